package core

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits for every network, so that no request can fill the database.
const (
	maxText  = 200_000 // bytes: the longest text of a network has 63,206 UTF-16 units of up to three each
	maxTitle = 2_000
	maxLink  = 2_000
	maxTag   = 1_500 // bytes: one tag may be all 500 UTF-16 units that YouTube takes
)

// MaxTags is how many tags a post or a file may have.
const MaxTags = 200

// CheckContent returns an error for content that no post can have: control characters, invalid UTF-8 and excessive
// lengths. It does not change text. path precedes the field's name in the error.
func CheckContent(path, text, title string, tags []string) error {
	if err := CheckText(path+"text", text, maxText); err != nil {
		return err
	}
	if err := CheckText(path+"title", title, maxTitle); err != nil {
		return err
	}
	if len(tags) > MaxTags {
		return Invalid(path+"tags", "The post has more than %d tags.", MaxTags)
	}
	for i, tag := range tags {
		if err := CheckText(fmt.Sprintf("%stags[%d]", path, i), tag, maxTag); err != nil {
			return err
		}
		if tag == "" {
			return Invalid(fmt.Sprintf("%stags[%d]", path, i), "A tag is empty.")
		}
	}
	return nil
}

// CheckText returns an error for control characters, invalid UTF-8 and more than limit bytes.
func CheckText(path, s string, limit int) error {
	if len(s) > limit {
		return Invalid(path, "The text is longer than %d bytes.", limit)
	}
	if !utf8.ValidString(s) {
		return Invalid(path, "The text is not valid UTF-8.")
	}
	for _, r := range s {
		if Control(r) {
			return Invalid(path, "The text contains the control character U+%04X.", r)
		}
	}
	return nil
}

// Control reports whether r is a control character that texts must not contain: all of ASCII except tab, line feed
// and carriage return.
func Control(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }

// CheckLine returns invalid_request for a text that is blank, has more than limit characters or more than one line.
// what names the text at the beginning of the message.
func CheckLine(path, what, text string, limit int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return Invalid(path, "%s is missing.", what)
	case utf8.RuneCountInString(text) > limit:
		return Invalid(path, "%s has more than %d characters.", what, limit)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return Invalid(path, "%s contains characters that cannot be displayed.", what)
	}
	return nil
}

// CheckLink returns an error unless the link is empty, or an absolute http or https address without credentials.
func CheckLink(path, link string) error {
	if link == "" {
		return nil
	}
	if !IsLink(link) {
		return Invalid(path,
			"This is not a web address.").WithHint("Enter the full address, such as https://example.org/page.")
	}
	return nil
}

// IsLink reports whether a text is the address of a web page, which can be shown as a link.
func IsLink(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		len(link) <= maxLink && !strings.ContainsFunc(link, unicode.IsSpace)
}
