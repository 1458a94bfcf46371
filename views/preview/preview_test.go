package preview

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/all"
)

func allRules(t *testing.T) map[string]network.Rules {
	t.Helper()
	defaults := map[string]string{}
	for _, d := range all.Drivers() {
		for _, v := range d.Variables {
			defaults[v.Name] = v.Default
		}
	}
	set, err := network.NewSet(all.Drivers(), network.Environment{
		Client: network.NewClient(network.ClientConfig{}), Now: time.Now,
		Get: func(name string) string { return defaults[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]network.Rules{}
	for _, r := range set.Rules() {
		found[string(r.Describe().ID)] = r
	}
	return found
}

func image(width, height int) core.Media {
	return core.Media{Name: "picture.jpg", FileFacts: core.FileFacts{Kind: core.FileImage, Width: width, Height: height}}
}

func video(width, height int, length time.Duration) core.Media {
	return core.Media{Name: "clip.mp4", FileFacts: core.FileFacts{
		Kind: core.FileVideo, Width: width, Height: height, DurationMs: length.Milliseconds(),
	}}
}

func draw(t *testing.T, platform string, r network.Rules, d network.Draft) (Model, string) {
	t.Helper()
	m := Model{
		Preview: network.BuildPreview(r, d), Platform: platform, Network: r.Describe().Name,
		Account: Account{Name: "Harbour Bakery", Username: "harbourbakery"},
	}
	for _, f := range d.Media {
		m.Files = append(m.Files, File{
			Name: f.Name, Picture: "/files/x/thumbnail.jpg", Video: f.Kind == core.FileVideo, Width: f.Width, Height: f.Height,
			Length: time.Duration(f.DurationMs) * time.Millisecond,
		})
	}
	var out bytes.Buffer
	if err := Post(m).Render(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return m, out.String()
}

func TestEachKindOfPostLooksAsItsNetworkShowsIt(t *testing.T) {
	t.Parallel()
	square, upright, wide := image(1080, 1080), video(1080, 1920, 20*time.Second), video(1920, 1080, 20*time.Minute)
	tests := []struct {
		platform, kind, settings string
		media                    []core.Media
		fills                    bool
		shape                    string // of the first file
	}{
		{"facebook", "post", `{}`, nil, false, ""},
		{"facebook", "post", `{}`, []core.Media{square, square, square}, false, "1x1"},
		{"facebook", "video", `{}`, []core.Media{wide}, false, "16x9"},
		{"facebook", "Reel", `{"contentType":"reels"}`, []core.Media{upright}, true, "9x16"},
		{"facebook", "Story", `{"contentType":"stories"}`, []core.Media{square}, true, "9x16"},
		{"instagram", "post", `{}`, []core.Media{image(1000, 3000)}, false, "4x5"},
		{"instagram", "carousel", `{}`, []core.Media{square, upright}, false, "1x1"},
		{"instagram", "Reel", `{}`, []core.Media{upright}, true, "9x16"},
		{"instagram", "Story", `{"contentType":"stories"}`, []core.Media{square}, true, "9x16"},
		{"threads", "post", `{}`, nil, false, ""},
		{"threads", "carousel", `{}`, []core.Media{square, square}, false, "1x1"},
		{"threads", "video", `{}`, []core.Media{wide}, false, "16x9"},
		{"tiktok", "video", `{}`, []core.Media{upright}, true, "9x16"},
		{"tiktok", "photos", `{}`, []core.Media{square, square}, true, "9x16"},
		{"youtube", "video", `{}`, []core.Media{wide}, false, "16x9"},
		{"youtube", "Short", `{}`, []core.Media{upright}, true, "9x16"},
	}
	rules := allRules(t)
	for _, test := range tests {
		m, drawn := draw(t, test.platform, rules[test.platform], network.Draft{
			Text: "Rye bread is back.", Title: "Rye", Media: test.media, Settings: json.RawMessage(test.settings),
		})
		shape := ""
		if found := regexp.MustCompile(`data-shape="([^"]*)"`).FindStringSubmatch(drawn); found != nil {
			shape = found[1]
		}
		if m.Kind != test.kind || m.Fills != test.fills || shape != test.shape {
			t.Errorf("%s %s of %d files: kind %q, fills the screen: %t, shape %q", test.platform, test.settings,
				len(test.media), m.Kind, m.Fills, shape)
		}
		if !slices.Contains(m.Parts, network.PartAccount) || !strings.Contains(drawn, "arbour") {
			t.Errorf("%s %s does not show whose post it is", test.platform, test.kind)
		}
		if strings.Contains(drawn, `aria-hidden="true"></svg>`) {
			t.Errorf("%s %s has an icon that is not drawn", test.platform, test.kind)
		}
	}
}

// plain is a network that says nothing about its look.
type plain struct{ network.Rules }

func TestANetworkThatSaysNothingGetsAPlainLook(t *testing.T) {
	t.Parallel()
	for _, r := range allRules(t) {
		_, drawn := draw(t, "lantern", plain{r}, network.Draft{
			Text: "By lantern light.", Tags: []string{"night"}, Media: []core.Media{image(400, 300)},
		})
		for _, part := range []string{"Harbour Bakery", "By lantern light.", "#night", "/files/x/thumbnail.jpg", "4x3"} {
			if !strings.Contains(drawn, part) {
				t.Errorf("the plain look lacks %q: %s", part, drawn)
			}
		}
	}
}

func TestLinksMentionsAndHashtagsAreMarked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Nothing here": nil,
		"See https://example.org/a?b=c. And www.example.org, too.": {"https://example.org/a?b=c", "www.example.org"},
		"#rye und #Brötchen_2, not a#b":                            {"#rye", "#Brötchen_2"},
		"with @ada.baker. Mail ada@example.org":                    {"@ada.baker"},
		"#one#two":                                                 {"#one"},
	} {
		var marked []string
		whole := ""
		for _, piece := range splitLinksAndTags(text) {
			whole += piece.text
			if piece.marked {
				marked = append(marked, piece.text)
			}
		}
		if whole != text || !slices.Equal(marked, want) {
			t.Errorf("%q: marked %q, whole %q", text, marked, whole)
		}
	}
}

func TestALongTextIsFoldedBetweenWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text          string
		fold          int
		shown, folded string
	}{
		{"short", 10, "short", ""},
		{"as long as you like", 0, "as long as you like", ""},
		{"one two three", 9, "one two", " three"},
		{"öööööööööööö", 4, "öööö", "öööööööö"},
	} {
		m := Model{Preview: network.Preview{Text: test.text, Fold: test.fold}}
		if shown, folded := m.foldText(); shown != test.shown || folded != test.folded {
			t.Errorf("%q at %d: %q and %q", test.text, test.fold, shown, folded)
		}
	}
}

func TestTheTextIsShownAsItIsWritten(t *testing.T) {
	t.Parallel()
	text := "Rye bread is back.\n\nCome to #harbour <b>soon</b>,\n  says @ada"
	_, drawn := draw(t, "threads", allRules(t)["threads"], network.Draft{Text: text})
	_, rest, _ := strings.Cut(drawn, `data-testid="preview-text">`)
	body, _, _ := strings.Cut(rest, "</div>")
	body = regexp.MustCompile(`</?span[^>]*>`).ReplaceAllString(body, "")
	if want := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(text); strings.TrimSpace(body) != want {
		t.Errorf("it reads %q, want %q", body, want)
	}
}

func TestTheCoverStandsForTheVideo(t *testing.T) {
	t.Parallel()
	m := Model{Preview: network.Preview{Cover: 2}, Files: []File{
		{Name: "clip.mp4", Video: true, Picture: "/frame.jpg"}, {Name: "cover.jpg", Picture: "/cover.jpg"},
	}}
	shown := m.filesWithCoverApplied()
	if len(shown) != 1 || shown[0].Picture != "/cover.jpg" || !shown[0].Video {
		t.Errorf("shown are %+v", shown)
	}
}
