package app_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/app/apptest"
)

// Pictures of simulated profiles had addresses at the real networks.
func TestAProfilesPictureIsFoundWhereTheNetworksAre(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	for _, platform := range []string{"threads", "facebook"} {
		connected := ws.Account(platform)
		list, err := h.App.ListAccounts(t.Context(), ws.Owner)
		must(t, err)
		last := list.Accounts[len(list.Accounts)-1]
		if connected.AvatarURL == nil || last.AvatarURL == nil || *connected.AvatarURL != *last.AvatarURL {
			t.Fatalf("%s: connected with the picture %v, listed with %v", platform, connected.AvatarURL, last.AvatarURL)
		}
		if !strings.HasPrefix(*last.AvatarURL, h.NetworksURL+"/") {
			t.Fatalf("%s: the picture is at %s", platform, *last.AvatarURL)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, *last.AvatarURL, nil)
		must(t, err)
		answer, err := http.DefaultClient.Do(request)
		must(t, err)
		must(t, answer.Body.Close())
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%s: %s answers %s with %s", platform, *last.AvatarURL, answer.Status, answer.Header.Get("Content-Type"))
		}
	}
}

func TestAnAddressThatNoBrowserMayBeSentToIsNoPicture(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	ws.Account("threads")
	for address, want := range map[string]bool{
		"javascript:alert(1)": false, "data:image/svg+xml,x": false, "ftp://example.org/a.png": false,
		"//example.org/a.png": false,
		"https:a.png":         false, "": false, "https://example.org/a.png": true, "http://example.org/a.png": true,
	} {
		_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET avatar_url = $1`, address)
		must(t, err)
		list, err := h.App.ListAccounts(t.Context(), ws.Owner)
		must(t, err)
		if got := list.Accounts[0].AvatarURL; (got != nil) != want {
			t.Errorf("%q is given as %v", address, got)
		}
	}
}
