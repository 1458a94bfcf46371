package metasim

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"belfry/internal/network/sim"
)

// The person who is signed in at the simulated network.
const (
	personID   = "10160384756102938"
	personName = "Alex Rivera"
)

// Page is a Page on which the person has a role.
type Page struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Username string   `json:"username"`
	Category string   `json:"category"`
	Tasks    []string `json:"tasks"`
	// Alone is true if no account of another network is linked to the Page.
	Alone bool `json:"alone,omitempty"`
}

func demoPages() []*Page {
	const figures = "ANALYZE"
	all := []string{figures, "ADVERTISE", "MODERATE", taskCreate, "MANAGE"}
	return []*Page{
		{ID: "104758391620475", Name: "Harbour Bakery", Username: "harbourbakery", Category: "Bakery", Tasks: all},
		{ID: "118203947561038", Name: "Night Owl Cycles", Category: "Bicycle shop", Tasks: all, Alone: true},
		{
			ID: "126650918347205", Name: "Old Mill Choir", Username: "oldmillchoir", Category: "Musician",
			Tasks: []string{figures},
		},
	}
}

const taskCreate = "CREATE_CONTENT"

// MayCreate reports whether the person may publish for the Page.
func (p *Page) MayCreate() bool { return slices.Contains(p.Tasks, taskCreate) }

// PictureURL returns the address of the profile picture of a person or a Page.
func (l *PageLogin) PictureURL(id, name string) string { return l.kit.PictureURL(PageSite, id, name) }

func (l *PageLogin) pictureNode(id, name string) map[string]any {
	return map[string]any{"data": map[string]any{
		"height": 200, "is_silhouette": false, "url": l.PictureURL(id, name), "width": 200,
	}}
}

func (l *PageLogin) offerPages() sim.Group {
	group := sim.Group{
		Title: "Pages", Field: "newPage", FieldLabel: "Or another Page",
		FieldHint: "If no Page has this name, one is created.",
	}
	l.Lock.Lock()
	defer l.Lock.Unlock()
	for p := range l.pages.All() {
		note := p.Category
		if !p.MayCreate() {
			note += " (you can see only statistics)"
		}
		group.Choices = append(group.Choices, sim.Choice{
			Type: "checkbox", Name: "page", Value: p.ID, Label: p.Name, Note: note, Picture: l.PictureURL(p.ID, p.Name),
		})
	}
	return group
}

// chooseOrCreatePages returns the Pages that a person selected. An unknown name creates a Page.
func (l *PageLogin) chooseOrCreatePages(form url.Values) (sim.Consented, error) {
	l.Lock.Lock()
	defer l.Lock.Unlock()
	chosen := sim.Consented{Subject: personID}
	for _, id := range form["page"] {
		if !l.pages.Has(id) {
			return chosen, fmt.Errorf("there is no Page %s", id)
		}
		if !slices.Contains(chosen.Targets, id) {
			chosen.Targets = append(chosen.Targets, id)
		}
	}
	if typed := strings.Join(strings.Fields(form.Get("newPage")), " "); typed != "" {
		p, err := l.findOrCreatePage(typed)
		if err != nil {
			return chosen, err
		}
		if !slices.Contains(chosen.Targets, p.ID) {
			chosen.Targets = append(chosen.Targets, p.ID)
		}
	}
	return chosen, nil
}

func (l *PageLogin) findOrCreatePage(name string) (*Page, error) {
	for p := range l.pages.All() {
		if strings.EqualFold(p.Name, name) {
			return p, nil
		}
	}
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > 60 {
		return nil, errors.New("the name of a Page must be valid UTF-8 and have at most 60 characters")
	}
	p := &Page{
		ID: sim.StableID("13107", strings.ToLower(name), l.pages.Has), Name: name, Category: "Community",
		Tasks: demoPages()[0].Tasks,
	}
	return p, l.pages.Put(p.ID, p)
}

var (
	personKind = NewKind("User", "id,name", "name", "picture")
	pageKind   = NewKind(
		"Page", "id,name", "name", "username", "access_token", "tasks", "picture", "followers_count", "fan_count", "category",
		"category_list", "link", linkedAccount,
	)
	accountKind = Kind{
		name: "Page", byDefault: "access_token,category,category_list,name,id,tasks", fields: pageKind.fields,
	}
)

// pageNodeWithOwnToken returns a Page as the API shows it for a token, with the Page's own token, which it issues if
// there is none.
func (l *PageLogin) pageNodeWithOwnToken(t sim.Token, p *Page) (map[string]any, error) {
	node := map[string]any{
		"id": p.ID, "name": p.Name, "category": p.Category, "picture": l.pictureNode(p.ID, p.Name), "followers_count": 128,
		"fan_count": 120, "category_list": []any{map[string]any{"id": "2500", "name": p.Category}},
		"link": "https://" + PageSite + "/" + p.ID, "access_token": t.Text,
	}
	if p.Username != "" {
		node["username"] = p.Username
	}
	for _, m := range l.members {
		if m.Link == nil || p.Alone {
			continue
		}
		linked, err := m.Link(p)
		if err != nil {
			return nil, err
		}
		node[linkedAccount] = linked
	}
	if t.Kind == pageToken {
		return node, nil
	}
	own, err := l.findOrIssuePageToken(t, p.ID)
	node["access_token"], node["tasks"] = own.Text, p.Tasks
	return node, err
}

// findOrIssuePageToken returns the Page token that was derived from a person's token, and issues one if there is no
// valid one.
func (l *PageLogin) findOrIssuePageToken(t sim.Token, page string) (sim.Token, error) {
	if own, ok := l.oauth.FindDerivedToken(t.Text, page); ok {
		return own, nil
	}
	own := t
	own.Kind, own.Subject, own.Targets, own.Parent = pageToken, page, []string{page}, t.Text
	if t.Kind == longToken {
		return l.oauth.IssueToken(own, 0)
	}
	return l.oauth.IssueToken(own, t.ExpiresAt.Sub(l.kit.Now()))
}
