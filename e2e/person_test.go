package e2e

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// person uses the dashboard as a browser without scripts does: cookies, links and forms.
type person struct {
	t      testing.TB
	client *http.Client
	at     *url.URL
	status int
	header http.Header
	page   *html.Node
	raw    string
}

func newPerson(t testing.TB, base string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t: t, client: &http.Client{Jar: jar, Timeout: 30 * time.Second}, at: at}
}

// open follows a link from the page at hand.
func (p *person) open(link string) *person {
	p.t.Helper()
	return p.request(http.MethodGet, link, nil)
}

func (p *person) request(method, link string, form url.Values) *person {
	p.t.Helper()
	to, err := p.at.Parse(link)
	if err != nil {
		p.t.Fatal(err)
	}
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, to.String(), body)
	if err != nil {
		p.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", p.at.Scheme+"://"+p.at.Host)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Referer", p.at.String())
	answer, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.page, err = html.Parse(strings.NewReader(string(raw))); err != nil {
		p.t.Fatal(err)
	}
	p.at, p.status, p.header, p.raw = answer.Request.URL, answer.StatusCode, answer.Header, string(raw)
	return p
}

// want fails the test unless the page has the status.
func (p *person) want(status int) *person {
	p.t.Helper()
	if p.status != status {
		p.t.Fatalf("%s answers %d, want %d: %s", p.at, p.status, status, p.words("main"))
	}
	return p
}

func testid(name string) string { return fmt.Sprintf("[data-testid=%q]", name) }

// all are the elements of the page that a selector finds.
func (p *person) all(selector string) []*html.Node {
	p.t.Helper()
	s, err := cascadia.Parse(selector)
	if err != nil {
		p.t.Fatal(err)
	}
	return cascadia.QueryAll(p.page, s)
}

// one is the element of the page that a selector finds, which must be there.
func (p *person) one(selector string) *html.Node {
	p.t.Helper()
	all := p.all(selector)
	if len(all) == 0 {
		p.t.Fatalf("%s has no %s: %s", p.at, selector, p.words("main"))
	}
	return all[0]
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func value(n *html.Node, name string) string {
	v, _ := attr(n, name)
	return v
}

// text is what is written in an element, as it is.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// words are what is written in the elements that a selector finds.
func (p *person) words(selector string) string {
	p.t.Helper()
	var all []string
	for _, n := range p.all(selector) {
		all = append(all, strings.Fields(text(n))...)
	}
	return strings.Join(all, " ")
}

// form is a form as it stands on the page.
type form struct {
	action string
	values url.Values
}

func (p *person) form(selector string) form {
	p.t.Helper()
	root := p.one(selector)
	if root.Data == "button" {
		for root.Data != "form" && root.Parent != nil {
			root = root.Parent
		}
	}
	f := form{action: value(root, "action"), values: url.Values{}}
	if f.action == "" {
		f.action = p.at.String()
	}
	for n := range root.Descendants() {
		name, named := attr(n, "name")
		if _, off := attr(n, "disabled"); !named || off || n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "input":
			_, checked := attr(n, "checked")
			if kind := value(n, "type"); kind != "checkbox" && kind != "radio" || checked {
				f.values.Add(name, value(n, "value"))
			}
		case "textarea":
			f.values.Add(name, strings.TrimPrefix(text(n), "\n"))
		case "select":
			f.values.Add(name, chosen(n))
		}
	}
	return f
}

func chosen(list *html.Node) string {
	first, found := "", false
	for n := range list.Descendants() {
		if n.Data != "option" {
			continue
		}
		if _, selected := attr(n, "selected"); selected {
			return value(n, "value")
		}
		if !found {
			first, found = value(n, "value"), true
		}
	}
	return first
}

// fill is what a person enters: a name and its values, one after the other.
type fill map[string][]string

// submit sends a form, or the form of a button, with what the person enters. A button's own address and
// value go with it, and one that cannot be pressed fails the test.
func (p *person) submit(selector string, entered fill) *person {
	p.t.Helper()
	f, pressed := p.form(selector), p.one(selector)
	if pressed.Data == "button" {
		if _, off := attr(pressed, "disabled"); off {
			p.t.Fatalf("%s: the button %s cannot be pressed: %s", p.at, selector, p.words("main"))
		}
		if to, own := attr(pressed, "formaction"); own {
			f.action = to
		}
		if name, named := attr(pressed, "name"); named {
			f.values.Set(name, value(pressed, "value"))
		}
	}
	maps.Copy(f.values, entered)
	return p.request(http.MethodPost, f.action, f.values)
}

const password = "correct horse battery"

// setUp follows the link that the service printed and creates the workspace and its owner.
func (p *person) setUp(link string) *person {
	p.t.Helper()
	p.open(link).want(http.StatusOK)
	return p.submit(testid("set-up"), fill{
		"workspace": {"Harbour Bakery"}, "name": {"Ada Baker"}, "email": {"ada@example.org"}, "password": {password}, "tz": {"Europe/Berlin"},
	}).want(http.StatusOK)
}

// connect gives consent at a network's own page.
func (p *person) connect(network string, entered fill) *person {
	p.t.Helper()
	p.open("/accounts").want(http.StatusOK)
	p.open(value(p.one(testid("connect-"+network)), "href")).want(http.StatusOK)
	return p.submit(testid("allow"), entered)
}
