package network

import (
	"regexp"
	"strings"
	"unicode"
)

// A hashtag ends before the first rune that is not a letter, mark, digit or underscore.
var (
	hashtag   = regexp.MustCompile(`#[\p{L}\p{M}\p{N}_]+`)
	inHashtag = regexp.MustCompile(`^[\p{L}\p{M}\p{N}_]`)
	mention   = regexp.MustCompile(`(?:^|[^\p{L}\p{M}\p{N}_.@/])@[\p{L}\p{N}_]`)
	link      = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"]+`)
)

// linkEnd are the characters that end a sentence and do not belong to the address before them.
const linkEnd = ".,;:!?)]}'’”»"

// AppendMissingTags appends a hashtag for each tag that the text does not contain, after a blank line (decisions.md,
// Records).
func AppendMissingTags(text string, tags []string) string {
	seen, lower := map[string]bool{}, strings.ToLower(text)
	var missing []string
	for _, tag := range tags {
		h := "#" + stripHashAndSpaces(tag)
		if key := strings.ToLower(h); len(h) > 1 && !seen[key] && !containsHashtag(lower, key) {
			seen[key] = true
			missing = append(missing, h)
		}
	}
	if len(missing) == 0 {
		return text
	}
	line := strings.Join(missing, " ")
	if text == "" {
		return line
	}
	return text + "\n\n" + line
}

// containsHashtag reports whether a text contains a hashtag as a whole: #artist does not contain #art. lowerHashtag
// begins with # and may contain characters that would end a hashtag.
func containsHashtag(lowerText, lowerHashtag string) bool {
	for _, after := range strings.Split(lowerText, lowerHashtag)[1:] {
		if !inHashtag.MatchString(after) {
			return true
		}
	}
	return false
}

// stripHashAndSpaces returns a tag without leading # and without white space, which would end the hashtag.
func stripHashAndSpaces(tag string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.TrimLeft(strings.TrimSpace(tag), "#"))
}

// CountHashtags counts the hashtags of a text.
func CountHashtags(text string) int { return len(hashtag.FindAllString(text, -1)) }

// CountMentions counts the accounts that a text mentions with an @. An email address does not count.
func CountMentions(text string) int { return len(mention.FindAllString(text, -1)) }

// CountDistinctLinks counts the different addresses in a text and in extraLinks. Different spellings count separately,
// because no network documents which ones it treats as equal.
func CountDistinctLinks(text string, extraLinks ...string) int {
	seen := map[string]bool{}
	for _, l := range append(link.FindAllString(text, -1), extraLinks...) {
		if l = strings.TrimRight(l, linkEnd); l != "" {
			seen[l] = true
		}
	}
	return len(seen)
}

// FirstLink returns the first address in a text, or "".
func FirstLink(text string) (linkOrEmpty string) {
	return strings.TrimRight(link.FindString(text), linkEnd)
}
