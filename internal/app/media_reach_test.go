package app_test

import (
	"slices"
	"testing"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// realNetworks is a configuration without simulated networks, on a server that serves files at an address.
func realNetworks(mediaURL string) func(*app.Config) {
	return func(c *app.Config) { c.NetworksURL, c.MediaURL = "", mediaURL }
}

func TestAPlanSaysWhichFilesANetworkCannotDownload(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	photo, video := ws.File("a.jpg", mediatest.JPEG(640, 480)), ws.File("a.mp4", mediatest.MP4(mediatest.Movie{}))
	accounts := map[string]contract.Account{}
	for _, platform := range []string{"threads", "facebook", "youtube", "tiktok", "instagram"} {
		accounts[platform] = ws.Account(platform)
	}
	servers := map[string]*app.App{
		"public":    h.Replica(realNetworks("https://files.example.org")),
		"local":     h.Replica(realNetworks("http://localhost:8080")),
		"simulated": h.App,
	}
	for _, c := range []struct {
		platform string
		files    []contract.Media
		local    bool // whether a local server says so
	}{
		{"threads", nil, false},
		{"threads", []contract.Media{photo}, true},
		{"threads", []contract.Media{video}, true},
		{"threads", []contract.Media{photo, video}, true},
		{"facebook", []contract.Media{photo}, false},
		{"facebook", []contract.Media{video}, false},
		{"instagram", []contract.Media{photo}, true},
		{"instagram", []contract.Media{video}, true},
		{"tiktok", []contract.Media{photo, photo}, true},
		{"tiktok", []contract.Media{video}, false},
		{"youtube", []contract.Media{video}, false},
	} {
		for name, server := range servers {
			for _, when := range []string{"now", "draft"} {
				want := c.local && name == "local" && when == "now"
				in := contract.PlanPosts{
					Targets: contract.Targets{AccountIDs: []string{accounts[c.platform].ID}}, Text: "A", Title: "A",
					When: &contract.When{Word: when},
				}
				for _, f := range c.files {
					in.MediaIDs = append(in.MediaIDs, f.ID)
				}
				plan, err := server.PlanPosts(t.Context(), ws.Owner, in)
				must(t, err)
				got := slices.ContainsFunc(plan.Rows[0].Issues, func(i contract.Issue) bool {
					return i.Code == string(core.IssueMediaUnreachable.Code)
				})
				if got != want {
					t.Errorf("%s with %d files, %s, on a %s server: %+v", c.platform, len(c.files), when, name, plan.Rows[0].Issues)
				}
			}
		}
	}
}

func TestAnAccountShowsWhichFilesItsNetworkCannotDownload(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	want := map[core.Platform][]core.FileKind{
		"threads": {core.FileImage, core.FileVideo}, "tiktok": {core.FileImage}, "youtube": nil,
	}
	for platform := range want {
		ws.Account(string(platform))
	}
	for name, server := range map[string]*app.App{
		"local": h.Replica(realNetworks("http://localhost:8080")), "public": h.Replica(realNetworks("https://a.example.org")),
		"simulated": h.App,
	} {
		cards, err := server.ListAccountCards(t.Context(), ws.Owner, app.AccountFilter{})
		must(t, err)
		for _, card := range cards {
			kinds := want[card.Platform]
			if name != "local" {
				kinds = nil
			}
			if !slices.Equal(card.Unreachable, kinds) {
				t.Errorf("%s on a %s server: %v; want %v", card.Platform, name, card.Unreachable, kinds)
			}
		}
		if len(cards) != len(want) {
			t.Errorf("%d accounts", len(cards))
		}
	}
}
