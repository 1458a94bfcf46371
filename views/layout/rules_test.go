package layout_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"belfry/static"
)

// page is a drawn screen to ask questions of.
type page struct {
	root *html.Node
	raw  string
}

func draw(t *testing.T, body []byte) page {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return page{root, string(body)}
}

func (p page) all(selector string) []*html.Node {
	return cascadia.QueryAll(p.root, cascadia.MustCompile(selector))
}

func attribute(n *html.Node, name string) string {
	value, _ := lookup(n, name)
	return value
}

func lookup(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func text(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

func (p page) ids() []string {
	var ids []string
	for _, n := range p.all("[id]") {
		ids = append(ids, attribute(n, "id"))
	}
	return ids
}

// rules are what every screen promises, whatever it shows.
var rules = map[string]func(*testing.T, page){
	"nothing is evaluated and nothing is styled inline": func(t *testing.T, p page) {
		for _, n := range p.all("script:not([src]), style, [style], [hx-on], [hx-vals], [hx-vars], a[href^='javascript:']") {
			t.Errorf("<%s> goes against the content security policy", n.Data)
		}
		for n := range p.root.Descendants() {
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") {
					t.Errorf("<%s %s> runs code inline", n.Data, a.Key)
				}
				if a.Key == "hx-trigger" && strings.Contains(a.Val, "[") {
					t.Errorf("<%s> filters a trigger: %s", n.Data, a.Val)
				}
			}
		}
	},
	"ids are unique": func(t *testing.T, p page) {
		ids := p.ids()
		slices.Sort(ids)
		for i := 1; i < len(ids); i++ {
			if ids[i] == ids[i-1] {
				t.Errorf("id %q stands twice", ids[i])
			}
		}
	},
	"what is named exists": func(t *testing.T, p page) {
		ids := p.ids()
		for _, name := range []string{"for", "aria-describedby", "aria-labelledby", "list", "data-copies", "data-opens"} {
			for _, n := range p.all("[" + name + "]") {
				for id := range strings.FieldsSeq(attribute(n, name)) {
					if !slices.Contains(ids, id) {
						t.Errorf("<%s %s> names %q, which is not there", n.Data, name, id)
					}
				}
			}
		}
	},
	"what stands below an input is heard with it": func(t *testing.T, p page) {
		for _, n := range p.all("p.help[id], p.error[id]") {
			by := p.all("[aria-describedby~='" + attribute(n, "id") + "']")
			if len(by) != 1 {
				t.Errorf("%q describes %d inputs", text(n), len(by))
				continue
			}
			if attribute(n, "class") == "error" && by[0].Data != "fieldset" && attribute(by[0], "aria-invalid") != "true" {
				t.Errorf("<%s name=%q> does not say that it is wrong: %s", by[0].Data, attribute(by[0], "name"), text(n))
			}
		}
	},
	"every input has a label": func(t *testing.T, p page) {
		for _, n := range p.all("input:not([type=hidden]), select, textarea") {
			if id := attribute(n, "id"); id != "" && len(p.all("label[for='"+id+"']")) == 1 {
				continue
			}
			if !inside(n, "label") {
				t.Errorf("<%s name=%q> has no label", n.Data, attribute(n, "name"))
			}
		}
	},
	"what a person can change has an id, by which an update recognises it": func(t *testing.T, p page) {
		const changeable = "input:not([type=hidden]), select, textarea, dialog, details:not(.preview-more), " +
			"form:has(input:not([type=hidden]))"
		for _, part := range p.all("[data-live], #compose") {
			for _, n := range cascadia.QueryAll(part, cascadia.MustCompile(changeable)) {
				if attribute(n, "id") == "" && !isKept(n) {
					t.Errorf("<%s name=%q class=%q> has none", n.Data, attribute(n, "name"), attribute(n, "class"))
				}
			}
		}
	},
	"every button and link has words": func(t *testing.T, p page) {
		for _, n := range p.all("button, a[href]") {
			if text(n) == "" && attribute(n, "aria-label") == "" {
				t.Errorf("a <%s> says nothing", n.Data)
			}
		}
	},
	"every form works without a script": func(t *testing.T, p page) {
		for _, n := range p.all("form") {
			method, action := attribute(n, "method"), attribute(n, "action")
			switch {
			case method == "dialog":
			case method != "get" && method != "post", !strings.HasPrefix(action, "/"):
				t.Errorf("a form with method %q and action %q", method, action)
			case len(cascadia.QueryAll(n, cascadia.MustCompile("button[type=submit]"))) == 0:
				t.Errorf("the form to %s has no button", action)
			}
		}
		for _, n := range p.all("a[hx-get]") {
			if attribute(n, "href") == "" {
				t.Errorf("a link that only htmx can follow: %s", text(n))
			}
		}
	},
	"every address names the workspace": func(t *testing.T, p page) {
		for _, name := range []string{"href", "action", "formaction", "hx-get", "hx-post"} {
			for _, n := range p.all("[" + name + "^='/']") {
				if to := attribute(n, name); !namesWorkspace.MatchString(to) {
					t.Errorf("<%s %s=%q> leads to the workspace that was visited last", n.Data, name, to)
				}
			}
		}
	},
	"every time says what it is in UTC": func(t *testing.T, p page) {
		for _, n := range p.all("time") {
			if !strings.HasSuffix(attribute(n, "datetime"), "Z") || !strings.HasSuffix(attribute(n, "title"), " UTC") {
				t.Errorf("<time> %q: %v", text(n), n.Attr)
			}
		}
	},
	"every asset is there": func(t *testing.T, p page) {
		for _, selector := range []string{"link[href]:not([rel=expect])", "script[src]", "img[src^='/static/']"} {
			for _, n := range p.all(selector) {
				address := attribute(n, "href") + attribute(n, "src")
				answer := httptest.NewRecorder()
				static.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))
				if answer.Code != http.StatusOK {
					t.Errorf("%s answers %d", address, answer.Code)
				}
			}
		}
	},
	"the first paint waits only for an element of the page": func(t *testing.T, p page) {
		for _, n := range p.all("link[rel=expect]") {
			if found := p.all(attribute(n, "href")); len(found) != 1 {
				t.Errorf("%d elements match %s", len(found), attribute(n, "href"))
			}
		}
	},
	"every icon is drawn": func(t *testing.T, p page) {
		for _, n := range p.all("svg") {
			if n.FirstChild == nil || text(n) == "" &&
				len(cascadia.QueryAll(n, cascadia.MustCompile("path, circle, rect, line, use"))) == 0 {
				t.Errorf("an empty drawing inside <%s class=%q>", n.Parent.Data, attribute(n.Parent, "class"))
			}
		}
	},
	"a button that asks first ends with an ellipsis, and no other": func(t *testing.T, p page) {
		const asking = "[hx-target='#dialog'], [data-asks], [formaction$='/posts/bulk/delete'], " +
			"[formaction$='/media/delete'], [action$='/media/delete'] button"
		asks := cascadia.MustCompile(asking)
		for _, n := range p.all("button, a.button:not(.row-act)") {
			if strings.HasSuffix(text(n), "…") != asks.Match(n) {
				t.Errorf("%q asks first: %t", text(n), asks.Match(n))
			}
		}
	},
	"a button that deletes is red": func(t *testing.T, p page) {
		for _, n := range p.all("main .button") {
			if strings.HasPrefix(text(n), "Delete") && !strings.Contains(attribute(n, "class"), "danger") {
				t.Errorf("%q is not red", text(n))
			}
		}
	},
	"the description of a picture has one name": func(t *testing.T, p page) {
		for _, n := range p.all("body") {
			if strings.Contains(strings.ToLower(text(n)), "alt text") {
				t.Error("it is called alt text")
			}
		}
	},
	"only people with a mouse are told to drop files": func(t *testing.T, p page) {
		for _, n := range p.all("main p:not(.needs-mouse):not([aria-hidden]), main .help:not(.needs-mouse)") {
			if strings.Contains(strings.ToLower(text(n)), "drop ") {
				t.Errorf("everybody reads %q", text(n))
			}
		}
	},
	"what people wrote is left alone by htmx": func(t *testing.T, p page) {
		for _, n := range p.all("[data-testid=post-text], [data-testid=preview-text], .row-text, .timeline-words[dir]") {
			if _, disabled := lookup(n, "hx-disable"); !disabled {
				t.Errorf("%q may carry htmx attributes", text(n))
			}
		}
	},
}

// namesWorkspace matches addresses that name a workspace, and those of pages that belong to none.
var namesWorkspace = regexp.MustCompile("^/(w/.+|static/.+|docs/api|design|set-up|sign-in|forgot-password|reset-password/.+|sign-out|invitations/.+|sandbox/.*|v1/openapi.json)?$")

func inside(n *html.Node, tag string) bool {
	for a := range n.Ancestors() {
		if a.Data == tag {
			return true
		}
	}
	return false
}

// isKept reports whether updates leave a node alone (static/js/morph.js).
func isKept(n *html.Node) bool {
	for a := range n.Ancestors() {
		if _, kept := lookup(a, "data-keep"); kept {
			return true
		}
	}
	return false
}

// A whole page also has these.
var pageRules = map[string]func(*testing.T, page){
	"it has one title, one heading and one main part": func(t *testing.T, p page) {
		for _, selector := range []string{"title", "h1", "main"} {
			if got := len(p.all(selector)); got != 1 {
				t.Errorf("%d of %s", got, selector)
			}
		}
		if got := text(p.all("title")[0]); !strings.HasSuffix(got, "· Belfry") {
			t.Errorf("title %q", got)
		}
	},
	"it is light": func(t *testing.T, p page) {
		if len(p.raw) > 48<<10 {
			t.Errorf("%d bytes", len(p.raw))
		}
	},
	"at most one act is the main one": func(t *testing.T, p page) {
		if got := len(p.all("main .button.primary:not(.needs-no-js)")); got > 1 {
			t.Errorf("%d primary buttons", got)
		}
	},
}

func TestEveryScreenKeepsTheRules(t *testing.T) {
	t.Parallel()
	for name, screen := range newFixture(t).screens() {
		p := draw(t, render(t, screen))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for rule, holds := range rules {
				t.Run(rule, func(t *testing.T) { holds(t, p) })
			}
			if strings.HasPrefix(name, "part-") {
				return
			}
			for rule, holds := range pageRules {
				t.Run(rule, func(t *testing.T) { holds(t, p) })
			}
		})
	}
}
