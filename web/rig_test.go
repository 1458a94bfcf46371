package web_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"github.com/labstack/echo/v4"
	"golang.org/x/net/html"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/store"
	"belfry/web"
)

const setUpCode = "OPENSESAME"

// rig is the complete dashboard with a complete App.
type rig struct {
	*apptest.Harness
	t      *testing.T
	web    *web.Web
	server *httpd.Server
}

func open(t *testing.T, options ...func(*app.Config)) *rig {
	t.Helper()
	return openWith(t, func(*web.Config) {}, options...)
}

func openWith(t *testing.T, change func(*web.Config), options ...func(*app.Config)) *rig {
	t.Helper()
	r := &rig{Harness: apptest.New(t, options...), t: t}
	public, err := url.Parse(apptest.PublicURL)
	must(t, err)
	cfg := web.Config{
		App: r.App, Networks: r.Config.Networks, Sessions: store.NewSessions(r.Store, time.Now), Log: r.Config.Log,
		PublicURL: public,
		Now:       r.Clock.Now, SetUpCode: setUpCode, SandboxPath: "/sandbox", UpgradeURL: "https://example.org/plans",
	}
	change(&cfg)
	r.server, err = httpd.New(httpd.Config{
		Addr: "127.0.0.1:0", Logger: r.Config.Log, PublicURL: cfg.PublicURL,
		Unavailable: func(err error) bool { return strings.Contains(err.Error(), "closed pool") },
		ErrorPage:   func(c echo.Context, e *core.Error) error { return r.web.RenderErrorPageOrAskToSignIn(c, e) },
	})
	must(t, err)
	cfg.Server = r.server
	r.web, err = web.New(cfg)
	must(t, err)
	description, err := os.ReadFile("../api/testdata/openapi.json")
	must(t, err)
	must(t, r.web.Mount(r.server.Echo, description))
	return r
}

// browser keeps cookies. Of redirects, it follows those alone that make it repeat its request elsewhere.
type browser struct {
	r       *rig
	cookies map[string]*http.Cookie
	// header is sent with every request.
	header http.Header
	peer   string
	host   string
}

func (r *rig) browser() *browser {
	return &browser{
		r: r, cookies: map[string]*http.Cookie{}, peer: "127.0.0.1:50000", host: "localhost:8080",
		header: http.Header{"Sec-Fetch-Site": {"same-origin"}, "Accept": {"text/html"}},
	}
}

// as is a browser in which the workspace's owner has signed in.
func (r *rig) as(ws *apptest.Workspace) *browser {
	r.t.Helper()
	b := r.browser()
	b.signIn(ws)
	return b
}

func (b *browser) signIn(ws *apptest.Workspace) {
	b.r.t.Helper()
	b.post("/sign-in", "email", ws.Email, "password", apptest.Password).leads(b.r.t, "/posts")
}

// page is an answer.
type page struct {
	*http.Response
	body string
	root *html.Node
}

// send sends a form to an address without a workspace to the workspace that the person visited last.
func (b *browser) send(method, target, body string, headers ...string) *page {
	b.r.t.Helper()
	p := b.sendOnce(method, target, body, headers...)
	to := cmp.Or(p.Header.Get("Location"), p.Header.Get("Hx-Redirect"))
	path, _, _ := strings.Cut(target, "?")
	if method == http.MethodPost && inWorkspace.MatchString(to) && inWorkspace.ReplaceAllString(to, "") == path {
		if !inWorkspace.MatchString(target) {
			return b.send(method, inWorkspace.FindString(to)+target, body, headers...)
		}
	}
	p.leaveOutWorkspace()
	return p
}

// sendOnce sends a request, and repeats it where the answer wants it.
func (b *browser) sendOnce(method, target, body string, headers ...string) *page {
	b.r.t.Helper()
	request := httptest.NewRequestWithContext(b.r.t.Context(), method, target, strings.NewReader(body))
	request.Header = b.header.Clone()
	request.RemoteAddr, request.Host = b.peer, b.host
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		if request.Header.Del(headers[i]); headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	for _, c := range b.cookies {
		request.AddCookie(c)
	}
	recorder := httptest.NewRecorder()
	b.r.server.ServeHTTP(recorder, request)
	p := &page{Response: recorder.Result()}
	raw, err := io.ReadAll(p.Body)
	must(b.r.t, err)
	p.body = string(raw)
	p.root, err = html.Parse(bytes.NewReader(raw))
	must(b.r.t, err)
	for _, c := range p.Cookies() {
		if b.cookies[c.Name] = c; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	if p.StatusCode == http.StatusTemporaryRedirect {
		return b.sendOnce(method, p.Header.Get("Location"), body, headers...)
	}
	return p
}

// inWorkspace is how an address names a workspace.
var inWorkspace = regexp.MustCompile("^/w/[^/]+")

// leaveOutWorkspace takes the workspace out of all addresses of a page, so that tests can name pages without it:
// an address that names none leads to the workspace that the person visited last. TestTheAddressNamesTheWorkspace and
// the rules of views/layout see to it that each address names it.
func (p *page) leaveOutWorkspace() {
	for _, name := range []string{"Location", "Hx-Redirect"} {
		if to := p.Header.Get(name); to != "" {
			p.Header.Set(name, inWorkspace.ReplaceAllString(to, ""))
		}
	}
	for n := range p.root.Descendants() {
		for i, a := range n.Attr {
			n.Attr[i].Val = inWorkspace.ReplaceAllString(a.Val, "")
		}
	}
}

func (b *browser) get(target string, headers ...string) *page {
	b.r.t.Helper()
	return b.send(http.MethodGet, target, "", headers...)
}

// post sends a form of pairs.
func (b *browser) post(target string, pairs ...string) *page {
	b.r.t.Helper()
	return b.send(http.MethodPost, target, pairsOf(pairs...).Encode())
}

func pairsOf(pairs ...string) url.Values {
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return form
}

// part asks as htmx does.
func (b *browser) part(method, target string, pairs ...string) *page {
	b.r.t.Helper()
	return b.send(method, target, pairsOf(pairs...).Encode(), "HX-Request", "true")
}

func (p *page) all(selector string) []*html.Node {
	return cascadia.QueryAll(p.root, cascadia.MustCompile(selector))
}

// one is what a selector finds, which must be one thing.
func (p *page) one(t *testing.T, selector string) *html.Node {
	t.Helper()
	found := p.all(selector)
	if len(found) != 1 {
		t.Fatalf("%s: %d found on a page with status %d:\n%s", selector, len(found), p.StatusCode, p.text())
	}
	return found[0]
}

func (p *page) text() string { return textOf(p.root) }

func textOf(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// value is what an input holds.
func (p *page) value(t *testing.T, name string) string {
	t.Helper()
	n := p.one(t, `main [name="`+name+`"]`)
	if n.Data == "textarea" {
		return raw(n)
	}
	return attribute(n, "value")
}

// raw is a text with its line ends.
func raw(n *html.Node) string {
	var out strings.Builder
	for c := range n.ChildNodes() {
		out.WriteString(c.Data)
	}
	return out.String()
}

// form is what a browser would send of the page's form.
func (p *page) form(t *testing.T, selector string) url.Values {
	t.Helper()
	form := url.Values{}
	for _, n := range cascadia.QueryAll(p.one(t, selector), cascadia.MustCompile("[name]:not(:disabled)")) {
		name := attribute(n, "name")
		switch kind := attribute(n, "type"); {
		case n.Data == "textarea":
			form.Add(name, strings.ReplaceAll(p.value(t, name), "\n", "\r\n"))
		case n.Data == "select":
			for _, o := range cascadia.QueryAll(n, cascadia.MustCompile("option[selected]")) {
				form.Add(name, attribute(o, "value"))
			}
		case n.Data == "button", (kind == "checkbox" || kind == "radio") && !cascadia.MustCompile("[checked]").Match(n):
		default:
			form.Add(name, attribute(n, "value"))
		}
	}
	return form
}

func (p *page) is(t *testing.T, status int) *page {
	t.Helper()
	if p.StatusCode != status {
		t.Fatalf("want status %d, got %d: %s", status, p.StatusCode, p.text())
	}
	return p
}

func (p *page) leads(t *testing.T, to string) {
	t.Helper()
	if p.StatusCode != http.StatusSeeOther || p.Header.Get("Location") != to {
		t.Fatalf("want a redirect to %s, got %d to %q: %s", to, p.StatusCode, p.Header.Get("Location"), p.text())
	}
}

// says fails unless the page's text holds some words.
func (p *page) says(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(p.text(), w) {
			t.Errorf("the page does not say %q but: %s", w, p.text())
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func testid(id string) string { return `[data-testid="` + id + `"]` }

// sessionRow is the name under which a session's token is kept.
func sessionRow(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
