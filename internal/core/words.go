package core

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

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

// ExcerptAround returns the part of a text around the first match of a phrase, on one line. Where it is cut, it has an
// ellipsis, as with Excerpt. It returns "" if the text does not contain the phrase.
func ExcerptAround(text, phrase string, maxChars int) string {
	text = strings.Join(strings.Fields(text), " ")
	found := FindPhrase(text, phrase)
	if len(found) == 0 {
		return ""
	}
	before, rest := []rune(text[:found[0][0]]), text[found[0][0]:]
	match := utf8.RuneCountInString(text[found[0][0]:found[0][1]])
	room := max((maxChars-match)/3, maxChars-utf8.RuneCountInString(rest)-1, 0) // for what comes before the match
	if len(before) <= room {
		return Excerpt(text, maxChars)
	}
	start := string(before[len(before)-room:])
	if _, words, ok := strings.Cut(start, " "); ok {
		start = words
	}
	return "…" + Excerpt(start+rest, maxChars-1)
}

// FindPhrase returns where a text on one line contains a phrase, as pairs of byte offsets. It ignores case, and the
// amount of space between the words of the phrase.
func FindPhrase(text, phrase string) [][]int {
	phrase = strings.Join(strings.Fields(phrase), " ")
	pattern, err := regexp.Compile("(?i)" + regexp.QuoteMeta(phrase))
	if phrase == "" || err != nil { // the phrase is not valid UTF-8
		return nil
	}
	return pattern.FindAllStringIndex(text, -1)
}
