package core

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits for all networks. They keep a request from filling the database.
const (
	// MaxText is in bytes. The longest text of any network has 63,206 UTF-16 code units of up to three bytes each.
	MaxText  = 200_000
	maxTitle = 2_000
	maxLink  = 2_000
	maxTag   = 1_500 // bytes; on YouTube, one tag can use all 500 UTF-16 code units
)

// MaxTags is how many tags a post or a file may have.
const MaxTags = 200

// CheckContent returns an error for content that no post can have: control characters, invalid UTF-8 and excessive
// lengths. pathPrefixWithDot precedes the field's name in the error's path: "overrides.<platform>.", or "" at the top
// of the request.
func CheckContent(pathPrefixWithDot, text, title string, tags []string) error {
	if err := CheckText(pathPrefixWithDot+"text", "The text", text, MaxText); err != nil {
		return err
	}
	if err := CheckText(pathPrefixWithDot+"title", "The title", title, maxTitle); err != nil {
		return err
	}
	if len(tags) > MaxTags {
		return Invalid(pathPrefixWithDot+"tags", "There are more than %d tags.", MaxTags)
	}
	for i, tag := range tags {
		if err := CheckText(fmt.Sprintf("%stags[%d]", pathPrefixWithDot, i), "The tag", tag, maxTag); err != nil {
			return err
		}
		if tag == "" {
			return Invalid(fmt.Sprintf("%stags[%d]", pathPrefixWithDot, i), "A tag is empty.")
		}
	}
	return nil
}

// CheckText returns invalid_request if the text contains control characters or invalid UTF-8, or has more than maxBytes
// bytes. subject names the text and begins the message.
func CheckText(path, subject, text string, maxBytes int) error {
	if len(text) > maxBytes {
		return Invalid(path, "%s is longer than %d bytes.", subject, maxBytes)
	}
	if !utf8.ValidString(text) {
		return Invalid(path, "%s is not valid UTF-8.", subject)
	}
	for _, r := range text {
		if IsForbiddenControl(r) {
			return Invalid(path, "%s contains the control character U+%04X.", subject, r)
		}
	}
	return nil
}

// IsForbiddenControl reports whether r is an ASCII control character other than tab, line feed and carriage return.
func IsForbiddenControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
}

// CheckRequiredLine returns invalid_request if the text is blank, has more than maxChars characters, or contains
// control characters such as line breaks. subject names the text, such as "The name".
func CheckRequiredLine(path, subject, text string, maxChars int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return NotEntered(path, strings.ToLower(subject[:1])+subject[1:])
	case utf8.RuneCountInString(text) > maxChars:
		return Invalid(path, "%s has more than %d characters.", subject, maxChars)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return Invalid(path, "%s contains a line break, another control character or invalid UTF-8.", subject)
	}
	return nil
}

// CheckOptionalLink returns an error unless the link is empty or an absolute http or https address without credentials.
func CheckOptionalLink(path, link string) error {
	if link == "" {
		return nil
	}
	if !IsLink(link) {
		return Invalid(path,
			"This is not a web address.").WithHint("Enter the full address, such as https://example.org/page.")
	}
	return nil
}

// IsLink reports whether the text is a web address that can be shown as a link.
func IsLink(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		len(link) <= maxLink && !strings.ContainsFunc(link, unicode.IsSpace)
}
