package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// GiveConsent opens the consent page of a simulated network, chooses the profile, grants everything, and returns the
// address to which the network redirects. sandboxOrigin is the address of the simulated networks, as SCHEME://HOST.
func GiveConsent(ctx context.Context, sandboxOrigin, authorizeURL, profile string) (redirect *url.URL, err error) {
	page, err := OpenConsentPage(ctx, authorizeURL)
	if err != nil {
		return nil, err
	}
	if err := page.ChooseOrEnterProfiles([]string{profile}); err != nil {
		return nil, err
	}
	return page.Submit(ctx, sandboxOrigin, Allow)
}

// Decisions of a person on a consent page.
const (
	Allow = "allow"
	Deny  = "deny"
)

// consentInput is a field of the consent form.
type consentInput struct {
	kind, name, value string
	label             string // the bold part of its label: a profile's name
	checked           bool
	choosable         bool // a profile, not a permission
}

// person makes the requests of a browser. It does not reuse connections, because a test server that stops closes the
// connections of http.DefaultClient.
var person = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ConsentPage is an open consent page of a simulated network, for programs that act as a person.
type ConsentPage struct {
	action string
	inputs []consentInput
	values url.Values
}

// OpenConsentPage opens the consent page at the address to which Belfry sends a person.
func OpenConsentPage(ctx context.Context, authorizeURL string) (*ConsentPage, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, authorizeURL, nil)
	if err != nil {
		return nil, fmt.Errorf("open the consent page: %w", err)
	}
	answer, err := person.Do(r)
	if err != nil {
		return nil, fmt.Errorf("open the consent page: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the consent page responded with status %s", answer.Status)
	}
	root, err := html.Parse(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("read the consent page: %w", err)
	}
	page := &ConsentPage{values: url.Values{}}
	page.collectFields(root, nil)
	if page.action == "" {
		return nil, errors.New("the consent page has no form")
	}
	return page, nil
}

// collectFields collects the form's fields. Profiles are the inputs in a fieldset that also has a text input
// for another name.
func (p *ConsentPage) collectFields(node, enclosingFieldset *html.Node) {
	a := attributesOf(node)
	switch node.Data {
	case "form":
		p.action = a["action"]
	case "fieldset":
		enclosingFieldset = node
	case "input":
		_, checked := a["checked"]
		if a["type"] == "hidden" {
			p.values.Set(a["name"], a["value"])
			break
		}
		p.inputs = append(p.inputs, consentInput{
			kind: a["type"], name: a["name"], value: a["value"], label: firstBoldTextOrEmpty(node.Parent), checked: checked,
			choosable: enclosingFieldset != nil && hasTextInput(enclosingFieldset),
		})
	}
	for c := range node.ChildNodes() {
		p.collectFields(c, enclosingFieldset)
	}
}

func hasTextInput(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Data == "input" && attributesOf(d)["type"] == "text" {
			return true
		}
	}
	return false
}

// firstBoldTextOrEmpty returns the text of the first <strong> below n, or "".
func firstBoldTextOrEmpty(n *html.Node) string {
	for d := range n.Descendants() {
		if d.Data == "strong" && d.FirstChild != nil {
			return d.FirstChild.Data
		}
	}
	return ""
}

func attributesOf(n *html.Node) map[string]string {
	a := map[string]string{}
	for _, attribute := range n.Attr {
		a[attribute.Key] = attribute.Val
	}
	return a
}

// ChooseOrEnterProfiles selects the profiles with these names, and enters a name that the page does not offer. If the
// only name is empty, the page's own selection stays. Every permission stays selected. It must be called only once. It
// returns an error if there are no names, or several that the page does not offer.
func (p *ConsentPage) ChooseOrEnterProfiles(names []string) error {
	if len(names) == 0 {
		return errors.New("choose on the consent page: no profile was named")
	}
	keepsSelection := slices.Equal(names, []string{""})
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return keepsSelection || p.offersProfile(name)
	})
	if len(others) > 1 {
		return fmt.Errorf("choose on the consent page: it offers none of %q, and only one name can be entered", others)
	}
	for _, in := range p.inputs {
		switch {
		case in.kind == "text":
			if len(others) > 0 {
				p.values.Set(in.name, others[0])
			}
		case in.choosable && !keepsSelection:
			if slices.Contains(names, in.label) {
				p.values.Add(in.name, in.value)
			}
		case in.checked:
			p.values.Add(in.name, in.value)
		}
	}
	return nil
}

// offersProfile reports whether the page has a profile with this name.
func (p *ConsentPage) offersProfile(name string) bool {
	return slices.ContainsFunc(p.inputs, func(in consentInput) bool { return in.choosable && in.label == name })
}

// TickAll selects every profile on the page, and every permission.
func (p *ConsentPage) TickAll() {
	for _, in := range p.inputs {
		if in.checked || in.kind == "checkbox" && in.choosable {
			p.values.Add(in.name, in.value)
		}
	}
}

// Submit submits the page with Allow or Deny, and returns the address of the redirect. sandboxOrigin is the address of
// the simulated networks, as SCHEME://HOST.
func (p *ConsentPage) Submit(ctx context.Context, sandboxOrigin, decision string) (redirect *url.URL, err error) {
	p.values.Set("decision", decision)
	body := strings.NewReader(p.values.Encode())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, sandboxOrigin+p.action, body)
	if err != nil {
		return nil, fmt.Errorf("submit the consent page: %w", err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	back, err := person.Do(r)
	if err != nil {
		return nil, fmt.Errorf("submit the consent page: %w", err)
	}
	defer back.Body.Close()
	to, err := back.Location()
	if err != nil {
		return nil, fmt.Errorf("the consent page responded with status %s instead of a redirect", back.Status)
	}
	return to, nil
}
