package ui

// NoMatchText says that no items, such as "posts in Drafts", match a search and a filter, of which one may be missing.
func NoMatchText(items, query string, isFiltered bool) string {
	conditions := "the filter"
	if query != "" {
		conditions = "“" + query + "”"
		if isFiltered {
			conditions += " and the filter"
		}
	}
	return "No " + items + " match " + conditions + "."
}

// ClearLabel returns the label of the link that removes a search and a filter, of which one may be missing.
func ClearLabel(query string, isFiltered bool) string {
	switch {
	case query == "":
		return "Clear the filter"
	case isFiltered:
		return "Clear all"
	}
	return "Clear the search"
}
