package web_test

import (
	"net/http"
	"slices"
	"testing"
)

// The accounts are connected in the opposite order, and the names are in the opposite order of the alphabet.
func TestNetworksHaveTheSameOrderOnEveryScreen(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	instagram := s.ws.Account("instagram")
	group := s.ws.Group("Both", s.page, instagram)
	written := []string{
		"account", s.page.ID, "account", instagram.ID, "text", "Ring", "when", "at", "at", "2026-10-06T09:30",
		"media", s.ws.Sample("photo").ID,
	}
	s.b.post("/posts", written...).leads(t, "/posts")
	plan, found := s.b.post("/compose/plan", written...), s.b.get("/search?q=Ring")
	together := s.b.get(attribute(found.one(t, "main .palette-entry"), "href"))
	for name, screen := range map[string]struct {
		page     *page
		selector string
	}{
		"chips of the composer":   {s.b.get("/compose"), ".chip .mark"},
		"plan":                    {plan, testid("plan-row") + " .mark"},
		"tabs":                    {plan, ".tab-own .mark"},
		"previews":                {plan, ".preview-fold summary .mark"},
		"filter of posts":         {s.b.get("/posts?status=all"), "[name=network] option"},
		"groups":                  {s.b.get("/groups"), testid("group") + " .mark"},
		"accounts of a group":     {s.b.get("/groups/" + group.ID), testid("group-form") + " .mark"},
		"search for posts":        {found, "main .palette-entry .mark"},
		"search for accounts":     {s.b.get("/search?q=a"), "main .palette-entry[href*='accountId='] .mark"},
		"entry of the calendar":   {s.b.get("/calendar?view=list&date=2026-10-06"), ".entry .mark"},
		"posts composed together": {together, testid("post-row") + " .mark"},
		"accounts":                {s.b.get("/accounts"), ".network-row .mark"},
	} {
		var order []string
		for _, n := range screen.page.is(t, http.StatusOK).all(screen.selector) {
			switch network := attribute(n, "data-platform") + attribute(n, "value"); network {
			case "instagram", "facebook":
				order = append(order, network)
			}
		}
		if !slices.Equal(order, []string{"instagram", "facebook"}) {
			t.Errorf("%s: %q", name, order)
		}
	}
}
