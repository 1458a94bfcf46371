package apptest

import (
	"encoding/json"
	"slices"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/media/mediatest"
)

// Kind is a kind of post on a network.
type Kind struct {
	Name    string // as people call it
	Network string
	Files   []string // keys of samples
	// Settings is the network's settings block in JSON; "" for the defaults.
	Settings string
	Titled   bool // the network requires a title
	Wordless bool // the network shows no text with it
}

// Kinds lists the kinds of posts that are published by different calls.
func Kinds() []Kind {
	const story, reel = `{"contentType":"stories"}`, `{"contentType":"reels"}`
	return []Kind{
		{Name: "Instagram image", Network: "instagram", Files: []string{"photo"}},
		{Name: "Instagram Reel", Network: "instagram", Files: []string{"video"}},
		{Name: "Instagram carousel", Network: "instagram", Files: []string{"photo", "video"}},
		{Name: "Instagram Story", Network: "instagram", Files: []string{"photo"}, Settings: story, Wordless: true},
		{Name: "Threads text", Network: "threads"},
		{Name: "Threads image", Network: "threads", Files: []string{"photo"}},
		{Name: "Threads video", Network: "threads", Files: []string{"video"}},
		{Name: "Threads carousel", Network: "threads", Files: []string{"photo", "photo"}},
		{Name: "Facebook text", Network: "facebook"},
		{Name: "Facebook photos", Network: "facebook", Files: []string{"photo", "photo"}},
		{Name: "Facebook video", Network: "facebook", Files: []string{"video"}},
		{Name: "Facebook Reel", Network: "facebook", Files: []string{"video"}, Settings: reel},
		{Name: "Facebook Story", Network: "facebook", Files: []string{"photo"}, Settings: story, Wordless: true},
		{Name: "Facebook video Story", Network: "facebook", Files: []string{"video"}, Settings: story, Wordless: true},
		{Name: "YouTube video", Network: "youtube", Files: []string{"video"}, Titled: true},
		{Name: "TikTok video", Network: "tiktok", Files: []string{"large video"}},
		{Name: "TikTok photos", Network: "tiktok", Files: []string{"photo", "photo"}},
	}
}

// KindNamed returns one of Kinds by its name.
func KindNamed(t testing.TB, name string) Kind {
	t.Helper()
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		t.Fatalf("there is no kind of post named %q", name)
	}
	return kinds[i]
}

// samples are files that every network accepts. Networks that receive videos in parts receive each of these in two
// parts.
var samples = map[string]struct {
	name    string
	content func() []byte
}{
	"photo":       {"photo.jpg", func() []byte { return mediatest.JPEG(720, 900) }},
	"video":       {"clip.mp4", func() []byte { return mediatest.MP4(mediatest.Movie{Audio: "mp4a", Size: 300_000}) }},
	"large video": {"film.mp4", func() []byte { return mediatest.MP4(mediatest.Movie{Audio: "mp4a", Size: 10_100_000}) }},
}

// Sample uploads one of the samples, once per workspace.
func (w *Workspace) Sample(name string) contract.Media {
	w.t.Helper()
	if m, ok := w.samples[name]; ok {
		return m
	}
	if w.samples == nil {
		w.samples = map[string]contract.Media{}
	}
	sample := samples[name]
	w.samples[name] = w.File(sample.name, sample.content())
	return w.samples[name]
}

// PostOf creates a queued post of a kind.
func (w *Workspace) PostOf(kind Kind, text string, account contract.Account, when contract.When) contract.Post {
	w.t.Helper()
	p, err := w.TryPostOf(kind, text, account, when)
	must(w.t, err)
	if p.Status != "queued" {
		w.t.Fatalf("a %s is %s", kind.Name, p.Status)
	}
	return p
}

// TryPostOf creates a post of a kind, and returns an error if it is refused or the database does not respond.
func (w *Workspace) TryPostOf(
	kind Kind, text string, account contract.Account, when contract.When,
) (contract.Post, error) {
	w.t.Helper()
	in := contract.CreatePosts{
		PlanPosts: contract.PlanPosts{Targets: contract.Targets{AccountIDs: []string{account.ID}}, When: &when},
		Confirm:   true,
	}
	if !kind.Wordless {
		in.Text = text
	}
	if kind.Titled {
		in.Title = text
	}
	if kind.Settings != "" {
		in.PerPlatform = map[string]json.RawMessage{kind.Network: json.RawMessage(kind.Settings)}
	}
	for _, name := range kind.Files {
		in.MediaIDs = append(in.MediaIDs, w.Sample(name).ID)
	}
	made, err := w.h.App.CreatePosts(w.h.Context(), w.Owner, in)
	if err != nil {
		return contract.Post{}, err
	}
	return made.Posts[0], nil
}
