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

// Excerpt returns the beginning of a text on one line. A text of more than maxChars characters ends with an ellipsis,
// after a whole word unless that is less than half of what there is room for.
func Excerpt(text string, maxChars int) string {
	text = strings.Join(strings.Fields(text), " ")
	runes := []rune(text)
	if len(runes) <= maxChars {
		return text
	}
	start := string(runes[:maxChars-1])
	if end := strings.LastIndexByte(start, ' '); runes[maxChars-1] != ' ' && end > len(start)/2 {
		start = start[:end]
	}
	return strings.TrimSpace(start) + "…"
}
