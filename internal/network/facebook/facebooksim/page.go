package facebooksim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"belfry/internal/network/sim"
)

// person is the one who is signed in at the simulated network.
type person struct {
	ID   string
	Name string
}

// page is a Page that the person has a role on.
type page struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Username string   `json:"username"`
	Category string   `json:"category"`
	Tasks    []string `json:"tasks"`

	posts   []*post // oldest first, without deleted ones
	stories []story
}

const taskCreate = "CREATE_CONTENT"

func demoPerson() person { return person{ID: "10160384756102938", Name: "Alex Rivera"} }

func demoPages() []*page {
	const figures = "ANALYZE"
	all := []string{figures, "ADVERTISE", "MODERATE", taskCreate, "MANAGE"}
	return []*page{
		{ID: "104758391620475", Name: "Harbour Bakery", Username: "harbourbakery", Category: "Bakery", Tasks: all},
		{ID: "118203947561038", Name: "Night Owl Cycles", Category: "Bicycle shop", Tasks: all},
		{
			ID: "126650918347205", Name: "Old Mill Choir", Username: "oldmillchoir", Category: "Musician",
			Tasks: []string{figures},
		},
	}
}

func (p *page) hasTask(task string) bool {
	return slices.Contains(p.Tasks, task) || slices.Contains(p.Tasks, "MANAGE")
}

func (s *Sim) addPage(p *page) {
	s.pages[p.ID] = p
	s.order = append(s.order, p.ID)
}

// chosenPages finds the Pages a person ticked; a typed name that no Page has makes a new Page.
func (s *Sim) chosenPages(ids []string, typed string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var chosen []string
	for _, id := range ids {
		if s.pages[id] == nil {
			return nil, fmt.Errorf("there is no Page %s", id)
		}
		if !slices.Contains(chosen, id) {
			chosen = append(chosen, id)
		}
	}
	if typed = strings.Join(strings.Fields(typed), " "); typed != "" {
		p, err := s.pageNamed(typed)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(chosen, p.ID) {
			chosen = append(chosen, p.ID)
		}
	}
	return chosen, nil
}

func (s *Sim) pageNamed(name string) (*page, error) {
	for _, id := range s.order {
		if strings.EqualFold(s.pages[id].Name, name) {
			return s.pages[id], nil
		}
	}
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > 60 {
		return nil, errors.New("the name of a Page has at most 60 characters")
	}
	p := &page{ID: s.newPageID(name), Name: name, Category: "Community", Tasks: demoPages()[0].Tasks}
	if err := s.kit.Record(Name, recPage, p); err != nil {
		return nil, err
	}
	s.addPage(p)
	return p, nil
}

// newPageID is always the same for a name, so that a lost journal does not turn a Page into a stranger.
func (s *Sim) newPageID(name string) string {
	return sim.StableID("13107", strings.ToLower(name), func(id string) bool { return s.pages[id] != nil })
}

func pictureURL(id string) string { return "https://" + site + "/picture/" + id + ".png" }

func pictureNode(id string) map[string]any {
	return map[string]any{"data": map[string]any{
		"height": 168, "is_silhouette": false, "url": pictureURL(id), "width": 168,
	}}
}
