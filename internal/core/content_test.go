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
