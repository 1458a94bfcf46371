package core

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// MatchesSearch reports whether a text contains every word of a query, at least as part of a longer word. It ignores
// case.
func MatchesSearch(text, query string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Excerpt returns the beginning of a text on one line. A text of more than maxChars characters is cut and ends with an
// ellipsis, which takes the place of a full stop. It is cut between two words, unless that would leave less than half
// of maxChars.
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
	return strings.TrimRight(start, " .") + "…"
}

// ExcerptAround returns the part of a text around the first match of FindPhrase, on one line. Where it is cut, it has
// an ellipsis, as with Excerpt. The part always contains the whole match, even if that makes it longer than maxChars.
// It returns "" if there is no match.
func ExcerptAround(text, phrase string, maxChars int) (excerptOrEmpty string) {
	text = strings.Join(strings.Fields(text), " ")
	found := FindPhrase(text, phrase)
	if len(found) == 0 {
		return ""
	}
	before, match, after := text[:found[0][0]], text[found[0][0]:found[0][1]], text[found[0][1]:]
	// room is for what comes before the match.
	room := max((maxChars-utf8.RuneCountInString(match))/3, maxChars-1-utf8.RuneCountInString(match+after), 0)
	if runes := []rune(before); len(runes) > room {
		before = string(runes[len(runes)-room:])
		if _, words, ok := strings.Cut(before, " "); ok {
			before = words
		}
		before = "…" + before
	}
	start := before + match
	if after == "" {
		return start
	}
	if excerpt := Excerpt(start+after, maxChars); strings.HasPrefix(excerpt, start) {
		return excerpt
	}
	return start + "…" // Excerpt cuts the match
}

// maxFoundPhrase is the number of characters of a phrase that FindPhrase looks for, so that an excerpt can show them.
const maxFoundPhrase = 60

// FindPhrase returns where a text on one line contains a phrase, as pairs of byte offsets. It ignores case, and the
// amount of space between the words of the phrase. Only the first maxFoundPhrase characters of a phrase count.
func FindPhrase(line, phrase string) (byteRanges [][]int) {
	phrase = strings.Join(strings.Fields(phrase), " ")
	if phrase == "" {
		return nil
	}
	if runes := []rune(phrase); len(runes) > maxFoundPhrase {
		phrase = strings.TrimSpace(string(runes[:maxFoundPhrase]))
	}
	pattern, err := regexp.Compile("(?i)" + regexp.QuoteMeta(phrase))
	if err != nil { // the phrase is not valid UTF-8
		return nil
	}
	return pattern.FindAllStringIndex(line, -1)
}
