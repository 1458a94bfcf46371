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

// Excerpt returns the beginning of a text on one line. A text of more than maxChars characters ends with an ellipsis.
func Excerpt(text string, maxChars int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxChars {
		return strings.TrimSpace(string(runes[:maxChars-1])) + "…"
	}
	return text
}
