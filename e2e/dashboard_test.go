package e2e

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
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

// openLink follows a link from the current page.
func (p *person) openLink(link string) *person {
	p.t.Helper()
	return p.sendRequest(http.MethodGet, link, nil)
}

func (p *person) sendRequest(method, link string, form url.Values) *person {
	p.t.Helper()
	if form == nil {
		return p.sendBody(method, link, "", nil)
	}
	return p.sendBody(method, link, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// sendBody sends a form of a content type, or nothing without one.
func (p *person) sendBody(method, link, contentType string, body io.Reader) *person {
	p.t.Helper()
	to, err := p.at.Parse(link)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, to.String(), body)
	if err != nil {
		p.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
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

var workspacePath = regexp.MustCompile("^/w/[^/]+")

// pagePath returns the path of the current page in its workspace.
func (p *person) pagePath() string { return workspacePath.ReplaceAllString(p.at.Path, "") }

// requireStatus fails the test unless the page has the status.
func (p *person) requireStatus(status int) *person {
	p.t.Helper()
	if p.status != status {
		p.t.Fatalf("%s answers %d, want %d: %s", p.at, p.status, status, p.visibleText("main"))
	}
	return p
}

func testid(name string) string { return fmt.Sprintf("[data-testid=%q]", name) }

// findAll returns the elements of the page that match a selector.
func (p *person) findAll(selector string) []*html.Node {
	p.t.Helper()
	s, err := cascadia.Parse(selector)
	if err != nil {
		p.t.Fatal(err)
	}
	return cascadia.QueryAll(p.page, s)
}

// findOne returns the first element of the page that matches a selector. There must be one.
func (p *person) findOne(selector string) *html.Node {
	p.t.Helper()
	all := p.findAll(selector)
	if len(all) == 0 {
		p.t.Fatalf("%s has no %s: %s", p.at, selector, p.visibleText("main"))
	}
	return all[0]
}

func findAttr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func attrValue(n *html.Node, name string) string {
	v, _ := findAttr(n, name)
	return v
}

// textOf returns the text of an element, unchanged.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// visibleText returns the text of all elements that match a selector, with single spaces.
func (p *person) visibleText(selector string) string {
	p.t.Helper()
	var all []string
	for _, n := range p.findAll(selector) {
		all = append(all, strings.Fields(textOf(n))...)
	}
	return strings.Join(all, " ")
}

// form is a form of the page with its current values.
type form struct {
	action string
	values url.Values
}

func (p *person) readForm(selector string) form {
	p.t.Helper()
	root := p.findOne(selector)
	if root.Data == "button" {
		for root.Data != "form" && root.Parent != nil {
			root = root.Parent
		}
	}
	f := form{action: attrValue(root, "action"), values: url.Values{}}
	if f.action == "" {
		f.action = p.at.String()
	}
	for n := range root.Descendants() {
		name, named := findAttr(n, "name")
		if _, off := findAttr(n, "disabled"); !named || off || n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "input":
			_, checked := findAttr(n, "checked")
			if kind := attrValue(n, "type"); kind != "checkbox" && kind != "radio" || checked {
				f.values.Add(name, attrValue(n, "value"))
			}
		case "textarea":
			f.values.Add(name, strings.TrimPrefix(textOf(n), "\n"))
		case "select":
			f.values.Add(name, selectedValue(n))
		}
	}
	return f
}

func selectedValue(list *html.Node) string {
	first, found := "", false
	for n := range list.Descendants() {
		if n.Data != "option" {
			continue
		}
		if _, selected := findAttr(n, "selected"); selected {
			return attrValue(n, "value")
		}
		if !found {
			first, found = attrValue(n, "value"), true
		}
	}
	return first
}

// formInput is what a person enters: the values of each field.
type formInput map[string][]string

// submitForm sends a form, or the form of a button, with what the person enters. A button's own address and
// value go with it, and one that cannot be pressed fails the test.
func (p *person) submitForm(selector string, entered formInput) *person {
	p.t.Helper()
	f, pressed := p.readForm(selector), p.findOne(selector)
	if pressed.Data == "button" {
		if _, off := findAttr(pressed, "disabled"); off {
			p.t.Fatalf("%s: the button %s cannot be pressed: %s", p.at, selector, p.visibleText("main"))
		}
		if to, own := findAttr(pressed, "formaction"); own {
			f.action = to
		}
		if name, named := findAttr(pressed, "name"); named {
			f.values.Set(name, attrValue(pressed, "value"))
		}
	}
	maps.Copy(f.values, entered)
	return p.sendRequest(http.MethodPost, f.action, f.values)
}

const password = "correct horse battery"

// setUp follows the link that the service printed and creates the workspace and its owner.
func (p *person) setUp(link string) *person {
	p.t.Helper()
	p.openLink(link).requireStatus(http.StatusOK)
	return p.submitForm(testid("set-up"), formInput{
		"workspace": {"Harbour Bakery"}, "name": {"Ada Baker"}, "email": {"ada@example.org"}, "password": {password},
		"tz": {"Europe/Berlin"},
	}).requireStatus(http.StatusOK)
}

// connectAccount gives consent at a network's own page.
func (p *person) connectAccount(network string, entered formInput) *person {
	p.t.Helper()
	p.openLink("/accounts").requireStatus(http.StatusOK)
	p.openLink(attrValue(p.findOne(testid("connect-"+network)), "href")).requireStatus(http.StatusOK)
	return p.submitForm(testid("allow"), entered)
}
