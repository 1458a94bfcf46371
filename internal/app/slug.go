package app

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"belfry/internal/core"
)

// checkSlug returns invalid_request for a slug that slugifyOrDefault would not return.
func checkSlug(slug string) error {
	if slugifyOrDefault(slug) != slug {
		return core.Invalid("slug", "Use at most %d characters: lowercase letters a to z, digits, and single hyphens between them.", maxSlug)
	}
	return nil
}

// slugifyOrDefault derives a slug from a name: letters without diacritics, digits and single hyphens. If nothing is
// left, it returns "workspace".
func slugifyOrDefault(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(name)) {
		switch {
		case b.Len() >= maxSlug:
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r): // a diacritic of the letter before it
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if slug := strings.Trim(b.String(), "-"); slug != "" {
		return slug
	}
	return "workspace"
}

// numberedSlug returns the nth slug to try: first base itself, then base with the number appended.
func numberedSlug(base string, n int) string {
	if n == 1 {
		return base
	}
	number := "-" + strconv.Itoa(n)
	return strings.TrimRight(base[:min(len(base), maxSlug-len(number))], "-") + number
}
