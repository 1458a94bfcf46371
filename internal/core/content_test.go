package core_test

import (
	"strings"
	"testing"

	"belfry/internal/core"
)

func TestALinkIsTheWholeAddressOfAPage(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]bool{
		"https://example.org":                               true,
		"http://example.org:8080/a?b=c#d":                   true,
		"https://example.org/" + strings.Repeat("a", 1_980): true,
		"https://example.org/" + strings.Repeat("a", 1_981): false,
		"":                             false,
		"example.org":                  false,
		"ftp://example.org":            false,
		"https://":                     false,
		"https://:443/a":               false,
		"https://somebody@example.org": false,
		"https://example.org/a b":      false,
		"https://example.org/a\u00a0b": false,
		"javascript:alert(1)//https://example.org": false,
	} {
		if got := core.IsLink(link); got != want {
			t.Errorf("%.60q: %t", link, got)
		}
	}
}

func TestMissingValuesAreAskedForInOneWay(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"Enter the group's name.": core.CheckRequiredLine("name", "The group's name", " ", 80),
		"Enter a tag.":            core.NotEntered("tag", "a tag"),
		"Select a post.":          core.NotSelected("post", "a post"),
	} {
		if got := core.ErrorOrInternal(err).Message; got != want {
			t.Errorf("the message is %q, want %q", got, want)
		}
	}
}
