package core

import "strings"

// ContainsWords reports whether a text contains each word of a query, in upper or lower case.
func ContainsWords(text, query string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
