package fetch

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/fetch/fetchtest"
)

func TestIsPublicJudgesAnAddressByItsForm(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://posts.example.org":             true,
		"https://posts.example.org:8443/belfry": true,
		"https://POSTS.EXAMPLE.ORG.":            true,
		"https://93.184.215.14":                 true,
		"https://[2606:2800:21f::1]":            true,
		"https://local.example.org":             true,
		"https://homer.example":                 true,
		"http://posts.example.org":              false,
		"http://localhost:8080":                 false,
		"https://localhost":                     false,
		"https://LOCALHOST.":                    false,
		"https://belfry.localhost":              false,
		"https://belfry":                        false,
		"https://belfry.":                       false,
		"https://nas.local":                     false,
		"https://nas.home.arpa":                 false,
		"https://nas.Lan":                       false,
		"https://belfry.internal":               false,
		"https://127.0.0.1":                     false,
		"https://127.1":                         false,
		"https://2130706433":                    false,
		"https://0x7f.0.0.0x1":                  false,
		"https://192.168.1.7":                   false,
		"https://100.64.0.1":                    false,
		"https://[::1]":                         false,
		"https://[fd00::1]":                     false,
		"https://[::ffff:10.0.0.1]":             false,
		"https://":                              false,
		"":                                      false,
		"%":                                     false,
	} {
		if got := LooksPublicHTTPS(address); got != want {
			t.Errorf("LooksPublicHTTPS(%q) = %v", address, got)
		}
	}
}

func TestCheckPublicLooksANameUp(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t, http.NotFound)
	w.Names["inside.example.com"] = []string{"93.184.215.14 192.168.1.7"}
	c := client(w, quick())
	for address, want := range map[string]string{
		"https://example.com":         "",
		"https://example.com:8443/x":  "",
		"http://example.com":          "does not begin with https://",
		"https://localhost":           "localhost is not on the public internet",
		"https://gone.example.com":    "the name gone.example.com cannot be resolved",
		"https://inside.example.com/": "the name inside.example.com resolves to 192.168.1.7",
	} {
		err := c.CheckPublicHTTPS(t.Context(), address)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", address, err, want)
		}
	}
	if len(w.Dials()) != 0 {
		t.Errorf("it connected to %v", w.Dials())
	}
}

func TestCheckOpensFindsWhatANetworkWouldMeet(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(rw, r, "/there", http.StatusMovedPermanently)
		case "/away":
			rw.WriteHeader(http.StatusBadGateway)
		default:
			http.NotFound(rw, r)
		}
	})
	w.Names["elsewhere.example.com"] = []string{"93.184.215.15"}
	c := client(w, quick())
	for address, want := range map[string]string{
		"https://example.com/media/":      "",
		"https://example.com/moved":       "redirects to another address",
		"https://example.com/away":        "responds with status 502",
		"https://elsewhere.example.com/":  "cannot be opened",
		"https://example.com:8443/a/port": ErrAddress.Error(),
	} {
		err := c.CheckOpensWithoutRedirectOrServerError(t.Context(), address)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", address, err, want)
		}
	}
	for _, r := range w.Asked() {
		if r.URL.Path == "/there" {
			t.Error("a redirect was followed")
		}
	}
}
