package apptest

import (
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// Consent opens a network's consent page as a person would, allows what is asked for, for the profile
// typed, and returns the query of the way back. Without a name the page's own choice stays.
func (h *Harness) Consent(authorizeURL string, profile string) url.Values {
	h.t.Helper()
	return h.decide(authorizeURL, profile, "allow")
}

// Deny opens a network's consent page and refuses.
func (h *Harness) Deny(authorizeURL string) url.Values {
	h.t.Helper()
	return h.decide(authorizeURL, "", "deny")
}

// ConsentAll allows what is asked for and ticks every profile that the page offers.
func (h *Harness) ConsentAll(authorizeURL string) url.Values {
	h.t.Helper()
	f := h.form(authorizeURL)
	for _, in := range f.inputs {
		if in.checked || in.kind == "checkbox" && in.choosable {
			f.values.Add(in.name, in.value)
		}
	}
	return h.submit(f, "allow")
}

func (h *Harness) decide(authorizeURL, profile, decision string) url.Values {
	h.t.Helper()
	f := h.form(authorizeURL)
	for _, in := range f.inputs {
		switch {
		case in.kind == "text" && profile != "":
			f.values.Set(in.name, profile)
		case in.checked && (!in.choosable || profile == ""):
			f.values.Add(in.name, in.value)
		}
	}
	return h.submit(f, decision)
}

type input struct {
	kind, name, value string
	checked           bool
	choosable         bool // one of the profiles, not one of the permissions
}

type form struct {
	action string
	inputs []input
	values url.Values
}

func (h *Harness) form(authorizeURL string) *form {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.Context(), http.MethodGet, authorizeURL, nil)
	must(h.t, err)
	page, err := http.DefaultClient.Do(r)
	must(h.t, err)
	defer page.Body.Close()
	root, err := html.Parse(page.Body)
	must(h.t, err)
	if page.StatusCode != http.StatusOK {
		h.t.Fatalf("the consent page answers %s", page.Status)
	}
	f := &form{values: url.Values{}}
	f.read(root, nil)
	if f.action == "" {
		h.t.Fatal("the consent page has no form")
	}
	return f
}

// read collects a form's inputs. Profiles are what stands in one fieldset with a field for another's name.
func (f *form) read(n *html.Node, fieldset *html.Node) {
	a := attributes(n)
	switch n.Data {
	case "form":
		f.action = a["action"]
	case "fieldset":
		fieldset = n
	case "input":
		_, checked := a["checked"]
		in := input{kind: a["type"], name: a["name"], value: a["value"], checked: checked}
		in.choosable = fieldset != nil && hasText(fieldset)
		if in.kind == "hidden" {
			f.values.Set(in.name, in.value)
			break
		}
		f.inputs = append(f.inputs, in)
	}
	for c := range n.ChildNodes() {
		f.read(c, fieldset)
	}
}

func hasText(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Data == "input" && attributes(d)["type"] == "text" {
			return true
		}
	}
	return false
}

func attributes(n *html.Node) map[string]string {
	a := map[string]string{}
	for _, attribute := range n.Attr {
		a[attribute.Key] = attribute.Val
	}
	return a
}

func (h *Harness) submit(f *form, decision string) url.Values {
	h.t.Helper()
	f.values.Set("decision", decision)
	r, err := http.NewRequestWithContext(h.Context(), http.MethodPost, h.NetworksURL+f.action, strings.NewReader(f.values.Encode()))
	must(h.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	back, err := client.Do(r)
	must(h.t, err)
	must(h.t, back.Body.Close())
	to, err := back.Location()
	if err != nil {
		h.t.Fatalf("the consent page answers %s without a way back", back.Status)
	}
	if !strings.HasPrefix(to.String(), PublicURL+"/accounts/callback/") {
		h.t.Fatalf("the way back leads to %s", to)
	}
	return to.Query()
}
