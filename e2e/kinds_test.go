package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// kindOfPost is a kind of post on a network.
type kindOfPost struct {
	network, name string
	contentType   string // as GET /limits calls it
	files         []string
	shown         []string // of files, where the network does not show all of them
	title         string
	wordless      bool // it must not have a text
	atItsTime     bool // nothing can be prepared ahead
	settings      fields
}

// kindsOfPosts lists every kind of post on every network.
func kindsOfPosts() []kindOfPost {
	return []kindOfPost{
		{network: "youtube", name: "video", contentType: "video", title: "Wide", files: []string{"wide.mp4"}},
		{network: "youtube", name: "Short", contentType: "video", title: "Tall", files: []string{"tall.mp4"}},
		{network: "instagram", name: "image", contentType: "feed", files: []string{"square.jpg"}},
		{network: "instagram", name: "carousel", contentType: "carousel", files: []string{"square.jpg", "tall.mp4"}},
		{network: "instagram", name: "Reel", contentType: "reels", files: []string{"tall.mp4"}},
		{
			network: "instagram", name: "image Story", contentType: "stories", files: []string{"tall.jpg"}, wordless: true,
			settings: fields{"contentType": "stories"},
		},
		{
			network: "instagram", name: "video Story", contentType: "stories", files: []string{"tall.mp4"}, wordless: true,
			settings: fields{"contentType": "stories"},
		},
		{network: "facebook", name: "text", contentType: "text", atItsTime: true},
		{
			network: "facebook", name: "link", contentType: "text", atItsTime: true,
			settings: fields{"link": "https://example.org/stollen"},
		},
		{network: "facebook", name: "photo", contentType: "photo", files: []string{"square.jpg"}},
		{network: "facebook", name: "photos", contentType: "photo", files: []string{"tall.jpg", "square.jpg"}},
		{network: "facebook", name: "video", contentType: "video", title: "Wide", files: []string{"wide.mp4"}},
		{
			network: "facebook", name: "Reel", contentType: "reels", files: []string{"tall.mp4"},
			settings: fields{"contentType": "reels"},
		},
		{
			network: "facebook", name: "photo Story", contentType: "stories", files: []string{"tall.jpg"}, wordless: true,
			settings: fields{"contentType": "stories"},
		},
		{
			network: "facebook", name: "video Story", contentType: "stories", files: []string{"tall.mp4"}, wordless: true,
			settings: fields{"contentType": "stories"},
		},
		{network: "threads", name: "text", contentType: "text", atItsTime: true},
		{
			network: "threads", name: "link", contentType: "text", atItsTime: true,
			settings: fields{"linkAttachment": "https://example.org/stollen"},
		},
		{network: "threads", name: "image", contentType: "image", files: []string{"square.jpg"}},
		{network: "threads", name: "video", contentType: "video", files: []string{"tall.mp4"}},
		{
			network: "threads", name: "carousel", contentType: "carousel",
			files: []string{"tall.mp4", "square.jpg", "tall.jpg"},
		},
		{
			network: "tiktok", name: "video", contentType: "video", files: []string{"tall.mp4"},
			settings: fields{"privacyLevel": "PUBLIC_TO_EVERYONE"}, // which the dashboard wants people to choose
		},
		{
			network: "tiktok", name: "photos", contentType: "photo", title: "Two", files: []string{"square.jpg", "tall.jpg"},
			settings: fields{"privacyLevel": "PUBLIC_TO_EVERYONE"}, atItsTime: true,
		},
	}
}

// filesOfKinds are the files of kindsOfPosts and of settingRows.
func filesOfKinds() map[string][]byte {
	film := func(width, height int) []byte {
		return mediatest.MP4(mediatest.Movie{Width: width, Height: height, Duration: 4 * time.Second, Audio: "mp4a"})
	}
	return map[string][]byte{
		"square.jpg": mediatest.JPEG(1080, 1080), "tall.jpg": mediatest.JPEG(1080, 1350),
		"wide.mp4": film(1920, 1080), "tall.mp4": film(1080, 1920),
	}
}

// allNetworks sets up every network.
func allNetworks() map[string]string {
	set := map[string]string{}
	for _, name := range []string{"YOUTUBE", "INSTAGRAM", "TIKTOK", "FACEBOOK", "THREADS"} {
		set[name+"_CLIENT_ID"], set[name+"_CLIENT_SECRET"] = "sandbox", "sandbox"
	}
	return set
}

// kindsPress is a workspace with an account on every network and all the files of kindsOfPosts.
type kindsPress struct {
	*client
	service  *service
	seed     seedResult
	accounts map[string]string // by network
	media    map[string]string // ids by name
	sums     map[string]string // of contents, by name
}

// newKindsPress makes the workspace by seed with more settings.
func (s *service) newKindsPress(settings map[string]string) *kindsPress {
	s.t.Helper()
	other := *s
	other.env = maps.Clone(s.env)
	maps.Copy(other.env, settings)
	made := other.seedWorkspace()
	p := &kindsPress{
		client: s.newClient(made.Key), service: s, seed: made, accounts: made.Accounts, media: map[string]string{},
		sums: map[string]string{},
	}
	for name, content := range filesOfKinds() {
		sum := sha256.Sum256(content)
		p.media[name], p.sums[name] = p.uploadFile(name, content).MediaID, hex.EncodeToString(sum[:])
	}
	for name, id := range p.media {
		if f := p.waitForFile(s.t, id); f.Status != "ready" {
			s.t.Fatalf("%s is %s", name, f.Status)
		}
	}
	return p
}

// sentKind is a post of a kind that was sent.
type sentKind struct {
	kindOfPost
	press *kindsPress
	label string // its text, unless it is wordless
	id    string
}

// send creates a post of a kind; note tells posts of one kind apart.
func (p *kindsPress) send(k kindOfPost, note string, when any) sentKind {
	p.t.Helper()
	sent := sentKind{kindOfPost: k, press: p, label: k.name + " on " + k.network + note}
	body := newPostBody(sent.label, when, p.accounts[k.network])
	if k.wordless {
		body["text"] = ""
	}
	body["title"] = k.title
	media := []string{}
	for _, name := range k.files {
		media = append(media, p.media[name])
	}
	body["mediaIds"] = media
	if k.settings != nil {
		body["perPlatform"] = fields{k.network: k.settings}
	}
	answer := p.do("POST", "/posts", body)
	if answer.Status != 201 {
		p.t.Fatalf("%s: answered %d: %s", sent.label, answer.Status, answer.Raw)
	}
	sent.id = answer.Posts[0].ID
	return sent
}

// shownAs finds what the network shows of a live post: by its text, or by its id where it has none.
func (s sentKind) shownAs(t testing.TB, p post) visiblePost {
	t.Helper()
	var found []visiblePost
	for _, v := range s.press.service.visiblePosts() {
		byText := !s.wordless && v.Text == s.label
		byID := s.wordless && p.ExternalID != nil && v.ID == *p.ExternalID
		if v.Network == s.network && (byText || byID) {
			found = append(found, v)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s: the network shows it %d times", s.label, len(found))
	}
	return found[0]
}

// checkShown waits until the post is live, and checks that the network shows it once, with its very files.
func (s sentKind) checkShown(t testing.TB) visiblePost {
	t.Helper()
	shown := s.shownAs(t, s.press.inTest(t).waitForStatus(s.id, "live", 2*time.Minute))
	var want, got []string
	for _, name := range s.files {
		if s.shown == nil || slices.Contains(s.shown, name) {
			want = append(want, s.press.sums[name])
		}
	}
	for _, m := range shown.Media {
		got = append(got, m.SHA256)
	}
	if !slices.Equal(want, got) || shown.PublishCalls != 1 {
		t.Errorf("%s: published by %d calls with %v; want %v", s.label, shown.PublishCalls, got, want)
	}
	return shown
}

// dueLeast is how long before its time a post is scheduled here: enough to prepare it.
const dueLeast = 40 * time.Second

// The goal: "on each network each kind of post goes live exactly once, prepared ahead where the network allows it".
// Instagram by both of its logins.
func TestEveryKindOfPostGoesLiveOnceAtItsTime(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	linked := s.newKindsPress(map[string]string{"INSTAGRAM_LOGIN": "facebook"})
	checkEveryContentType(t, press.client)

	due := time.Now().Add(dueLeast + time.Minute).Truncate(time.Minute).UTC()
	at := fields{"publishAt": due.Format("2006-01-02T15:04"), "timezone": "UTC"}
	var sent []sentKind
	for _, k := range kindsOfPosts() {
		sent = append(sent, press.send(k, "", at))
		if k.network == "instagram" {
			sent = append(sent, linked.send(k, " by the other login", at))
		}
	}
	before := len(s.visiblePosts())
	eventually(t, 3*time.Minute, "the time has come", func() bool {
		seen := len(s.visiblePosts())
		if now := time.Now(); now.Before(due) && seen != before {
			t.Fatalf("%d posts are visible %s before their time", seen-before, due.Sub(now))
		}
		return !time.Now().Before(due)
	})
	for _, post := range sent {
		t.Run(post.label, func(t *testing.T) {
			shown := post.checkShown(t)
			if shown.CreatedAt.Before(due) || shown.FirstCallAt.Before(due) == post.atItsTime {
				t.Errorf("first call %s before its time, live %s after it", due.Sub(shown.FirstCallAt), shown.CreatedAt.Sub(due))
			}
		})
	}
	ahead := slices.DeleteFunc(slices.Clone(sent), func(post sentKind) bool { return post.atItsTime })
	t.Logf("%d posts of %d kinds, %d of them prepared ahead", len(sent), len(kindsOfPosts()), len(ahead))
	if got := len(s.visiblePosts()) - before; got != len(sent) {
		t.Errorf("the networks show %d posts more, want %d", got, len(sent))
	}
	for _, host := range []string{"graph.instagram.com", "graph.facebook.com"} {
		if !s.hasCall("instagram", "publish", host) {
			t.Errorf("nothing was published on instagram by %s", host)
		}
	}
}

// hasCall tells whether a call has reached a network at a host.
func (s *service) hasCall(network, call, host string) bool {
	s.t.Helper()
	var made struct {
		Calls []struct{ Network, Call, Host string }
	}
	if err := json.Unmarshal(s.callSandbox("GET", "calls", nil), &made); err != nil {
		s.t.Fatal(err)
	}
	return slices.ContainsFunc(made.Calls, func(c struct{ Network, Call, Host string }) bool {
		return c.Network == network && c.Call == call && c.Host == host
	})
}

// checkEveryContentType fails for content types that GET /limits lists and kindsOfPosts does not have, and the reverse.
func checkEveryContentType(t *testing.T, c *client) {
	t.Helper()
	var told struct {
		Limits map[string]struct{ ContentTypes map[string]any }
	}
	if err := json.Unmarshal([]byte(c.do("GET", "/limits", nil).requireStatus(t, 200).Raw), &told); err != nil {
		t.Fatal(err)
	}
	listed, had := map[string]bool{}, map[string]bool{}
	for network, limits := range told.Limits {
		for name := range limits.ContentTypes {
			listed[network+" "+name] = true
		}
	}
	for _, k := range kindsOfPosts() {
		had[k.network+" "+k.contentType] = true
	}
	if !maps.Equal(listed, had) {
		t.Errorf("GET /limits lists the content types %v; the test has %v", listed, had)
	}
}
