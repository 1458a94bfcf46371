package core

import "strings"

// ContainsAllWords reports whether a text contains every word of a query, at least as part of a longer word. It ignores
// case.
func ContainsAllWords(text, query string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
