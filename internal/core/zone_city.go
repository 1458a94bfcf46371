package core

import (
	_ "embed"
	"strings"
)

// zoneNames are the names of all time zones of Go's database, one per line.
//
//go:embed zones.txt
var zoneNames string

// FindZoneNames returns the names of the time zones with a city, such as Europe/Berlin for "berlin", in alphabetical
// order. For the name of a zone in any case, it returns only this name.
func FindZoneNames(cityOrName string) (found []string) {
	wanted := strings.ReplaceAll(strings.TrimSpace(cityOrName), " ", "_")
	for name := range strings.FieldsSeq(zoneNames) {
		if strings.EqualFold(name, wanted) {
			return []string{name}
		}
		if city := name[strings.LastIndex(name, "/")+1:]; strings.EqualFold(city, wanted) {
			found = append(found, name)
		}
	}
	return found
}
