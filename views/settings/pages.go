package settings

import "belfry/views/layout"

// PageEntries returns the settings pages that the person may open, for the search.
func PageEntries(f layout.Frame) (list []layout.PaletteEntry) {
	for _, group := range settingsGroups(f) {
		for _, p := range group.pages {
			list = append(list, layout.PaletteEntry{Icon: "settings", Name: p.name, Detail: "Settings", URL: p.url})
		}
	}
	return list
}
