package instagramsim_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
	"belfry/internal/network/instagram/instagramsim"
	"belfry/internal/network/sim"
)

const (
	callback  = "http://127.0.0.1:8080/accounts/callback/instagram"
	ownGraph  = "https://graph.instagram.com"
	ownScopes = "instagram_business_basic,instagram_business_content_publish,instagram_business_manage_insights"
	pageGraph = "https://graph.facebook.com"
	bakery    = "104758391620475"
	cycles    = "118203947561038"
	choir     = "126650918347205"
	day       = 24 * time.Hour
)

const pageScopes = "instagram_basic,instagram_content_publish,instagram_manage_insights,pages_show_list,pages_read_engagement"

type rig struct {
	*testing.T
	kit *sim.Kit
	net *instagramsim.Sim

	mu  sync.Mutex
	now time.Time
}

func start(t *testing.T) *rig { t.Helper(); return startAt(t, "") }

func startAt(t *testing.T, journal string) *rig {
	t.Helper()
	r := &rig{T: t, now: time.Date(2026, 10, 5, 8, 0, 0, 0, time.UTC)}
	kit, err := sim.New(sim.Config{ClientID: "app", ClientSecret: "secret", JournalPath: journal, Now: func() time.Time {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.now
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kit.Close() })
	if r.net, err = instagramsim.New(kit); err != nil {
		t.Fatal(err)
	}
	r.kit = kit
	return r
}

func (r *rig) forward(by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(by)
}

func (r *rig) option(name, value string) {
	r.Helper()
	if err := r.kit.SetOption(name, value); err != nil {
		r.Fatal(err)
	}
}

type answer struct {
	*testing.T
	status int
	header http.Header
	body   string
	json   map[string]any
}

func (r *rig) send(req *http.Request) answer {
	r.Helper()
	w := httptest.NewRecorder()
	r.net.ServeHTTP(w, req)
	a := answer{T: r.T, status: w.Code, header: w.Header(), body: w.Body.String()}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		d := json.NewDecoder(w.Body)
		d.UseNumber()
		if err := d.Decode(&a.json); err != nil {
			r.Fatalf("answer is no JSON: %v\n%s", err, a.body)
		}
	}
	return a
}

func (r *rig) call(method, address, token string, v url.Values) answer {
	r.Helper()
	req := httptest.NewRequestWithContext(r.Context(), method, address, strings.NewReader(v.Encode()))
	if v != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return r.send(req)
}

// user is an account with one of the two logins.
type user struct {
	*rig
	graph, token, id string
}

func (u user) get(path string) answer {
	u.Helper()
	return u.call("GET", u.graph+"/v26.0/"+path, u.token, nil)
}

func (u user) post(path string, v url.Values) answer {
	u.Helper()
	return u.call("POST", u.graph+"/v26.0/"+path, u.token, v)
}

func (a answer) text(key string) string {
	a.Helper()
	s, ok := a.json[key].(string)
	if !ok {
		a.Fatalf("no text %q in %d %s", key, a.status, a.body)
	}
	return s
}

// refused checks code, subcode and a part of the message.
func (a answer) refused(code, subcode, words string) {
	a.Helper()
	e, _ := a.json["error"].(map[string]any)
	got, _ := e["code"].(json.Number)
	gotSub, _ := e["error_subcode"].(json.Number)
	message, _ := e["message"].(string)
	if got.String() != code || gotSub.String() != subcode || !strings.Contains(message, words) || a.status < 400 {
		a.Errorf("want error %s/%s %q, got %d %s", code, subcode, words, a.status, a.body)
	}
}

func consent(change url.Values) url.Values {
	v := url.Values{
		"client_id": {"app"}, "redirect_uri": {callback}, "scope": {ownScopes}, "response_type": {"code"}, "state": {"st"},
		"decision": {"allow"},
	}
	maps.Copy(v, change)
	return v
}

func (r *rig) code(address string, form url.Values) string {
	r.Helper()
	a := r.call("POST", address, "", form)
	back, err := url.Parse(a.header.Get("Location"))
	if a.status != http.StatusFound || err != nil {
		r.Fatalf("consent answered %d %s, %v", a.status, a.body, err)
	}
	return back.Query().Get("code")
}

func exchange(code string) url.Values {
	return url.Values{
		"client_id": {"app"}, "client_secret": {"secret"}, "code": {code}, "grant_type": {"authorization_code"},
		"redirect_uri": {callback},
	}
}

const window = "https://www.instagram.com/oauth/authorize"

// short returns the first token of an account with Instagram Login.
func (r *rig) short(change url.Values) string {
	r.Helper()
	a := r.call("POST", "https://api.instagram.com/oauth/access_token", "", exchange(r.code(window, consent(change))))
	list, _ := a.json["data"].([]any)
	if len(list) != 1 {
		r.Fatalf("exchange answered %s", a.body)
	}
	token, _ := list[0].(map[string]any)["access_token"].(string)
	return token
}

func (r *rig) long(change url.Values) string {
	r.Helper()
	a := r.call("GET", ownGraph+"/access_token?grant_type=ig_exchange_token&client_secret=secret", r.short(change), nil)
	return a.text("access_token")
}

// own signs in an account with Instagram Login.
func (r *rig) own(username string) user {
	r.Helper()
	u := user{rig: r, graph: ownGraph, token: r.long(url.Values{"username": {username}})}
	u.id = u.get("me?fields=user_id").text("user_id")
	return u
}

const dialog = "https://www.facebook.com/v26.0/dialog/oauth"

// person signs in with Facebook Login and selects Pages.
func (r *rig) person(pages ...string) user {
	r.Helper()
	code := r.code(dialog, consent(url.Values{"scope": {pageScopes}, "grant": strings.Split(pageScopes, ","), "page": pages}))
	short := r.call("GET", pageGraph+"/v26.0/oauth/access_token?"+exchange(code).Encode(), "", nil).text("access_token")
	v := url.Values{
		"client_id": {"app"}, "client_secret": {"secret"}, "grant_type": {"fb_exchange_token"}, "fb_exchange_token": {short},
	}
	a := r.call("GET", pageGraph+"/v26.0/oauth/access_token?"+v.Encode(), "", nil)
	return user{rig: r, graph: pageGraph, token: a.text("access_token")}
}

// linked returns the account of a Page, with the Page's token.
func (r *rig) linked(page string) user {
	r.Helper()
	u := r.person(page)
	a := u.get("me/accounts?fields=access_token,instagram_business_account{id}")
	node := a.json["data"].([]any)[0].(map[string]any)
	u.token = node["access_token"].(string)
	u.id = node["instagram_business_account"].(map[string]any)["id"].(string)
	return u
}

// both runs a test with each login.
func both(t *testing.T, test func(t *testing.T, u user)) {
	t.Helper()
	t.Run("own login", func(t *testing.T) { t.Parallel(); test(t, start(t).own("harbour.bakery")) })
	t.Run("linked to a Page", func(t *testing.T) { t.Parallel(); test(t, start(t).linked(bakery)) })
}

func movie(change func(*mediatest.Movie)) []byte {
	m := mediatest.Movie{Duration: 5 * time.Second}
	if change != nil {
		change(&m)
	}
	return mediatest.MP4(m)
}

var files = map[string][]byte{
	"/a.jpg": mediatest.JPEG(640, 640), "/b.jpg": mediatest.JPEG(640, 500), "/a.png": mediatest.PNG(640, 640),
	"/tall.jpg": mediatest.JPEG(300, 600), "/page.jpg": []byte("<html>"),
	"/large.jpg": append(mediatest.JPEG(640, 640), make([]byte, 8<<20)...),
	"/a.mp4":     movie(nil), "/blink.mp4": movie(func(m *mediatest.Movie) { m.Duration = 2 * time.Second }),
	"/minute.mp4": movie(func(m *mediatest.Movie) { m.Duration = 61 * time.Second }),
	"/long.mp4":   movie(func(m *mediatest.Movie) { m.Duration = 901 * time.Second }),
	"/vp9.mp4":    movie(func(m *mediatest.Movie) { m.Codec = "vp09" }),
	"/slow.mp4":   movie(func(m *mediatest.Movie) { m.FPS = 15 }),
	"/wide.mp4":   movie(func(m *mediatest.Movie) { m.Width, m.Height = 1930, 1080 }),
	"/page.mp4":   []byte("<html>"),
}

func mediaHost(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", map[string]string{
			".jpg": "image/jpeg", ".png": "image/png", ".mp4": "video/mp4",
		}[path.Ext(r.URL.Path)])
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// settled polls a container until it is no longer IN_PROGRESS.
func (u user) settled(id string) answer {
	u.Helper()
	for {
		if err := u.kit.WaitIdle(u.Context()); err != nil {
			u.Fatal(err)
		}
		if a := u.get(id + "?fields=status_code,status"); a.text("status_code") != "IN_PROGRESS" {
			return a
		}
	}
}

// create creates a container and waits until it is finished.
func (u user) create(v url.Values) string {
	u.Helper()
	id := u.post(u.id+"/media", v).text("id")
	if a := u.settled(id); a.text("status_code") != "FINISHED" {
		u.Fatalf("container %s", a.body)
	}
	return id
}

func (u user) publish(id string) answer {
	u.Helper()
	return u.post(u.id+"/media_publish", url.Values{"creation_id": {id}})
}

func (u user) upload(uri string, part io.Reader, header ...string) answer {
	u.Helper()
	req := httptest.NewRequestWithContext(u.Context(), "POST", uri, part)
	req.Header.Set("Authorization", "OAuth "+u.token)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return u.send(req)
}
