package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
	"belfry/views/settings"
	"belfry/views/ui"
)

const (
	// mostFound is the maximum number of accounts, and of posts, that a search shows. Posts that share a result count
	// once; the search reads mostRead posts.
	mostFound = 6
	mostRead  = 30
	// foundExcerpt is the maximum number of characters of a post's text in the results.
	foundExcerpt = 120
)

// showSearch shows the pages, actions, accounts and posts that match the query, in the search dialog or on a page.
func (r *request) showSearch() error {
	frame, err := r.loadFrameAndPopFlash("Search", "")
	if err != nil {
		return err
	}
	m := layout.PaletteModel{Frame: frame, Query: strings.TrimSpace(r.echo.QueryParam(layout.FieldQuery))}
	accounts, err := r.searchAccountsCapped(m.Query)
	if err != nil {
		return err
	}
	found, err := r.searchPostsCapped(m.Query)
	if err != nil {
		return err
	}
	for _, g := range []layout.PaletteGroup{
		{Name: "Actions", Entries: filterEntries(r.searchableActions(), m.Query)},
		{Name: "Pages", Entries: filterEntries(append(frame.PageEntries(), settings.PageEntries(frame)...), m.Query)},
		{Name: "Accounts", Entries: accounts},
		{Name: "Posts", Entries: found},
	} {
		if len(g.Entries) > 0 {
			m.Groups = append(m.Groups, g)
		}
	}
	return r.render(http.StatusOK, layout.Search(m), layout.PalettePart(m))
}

// searchableActions returns the actions for the search that the person's role allows.
func (r *request) searchableActions() []layout.PaletteEntry {
	var list []layout.PaletteEntry
	if r.caller.Role().CanWrite() {
		list = append(list, layout.PaletteEntry{Icon: "square-pen", Name: "Compose a post", URL: r.link.Compose()})
	}
	if !r.caller.Role().CanManage() {
		return list
	}
	for _, n := range r.web.cfg.App.ListSupportedNetworks() {
		if n.Configured {
			list = append(list, layout.PaletteEntry{
				Platforms: []string{string(n.ID)}, Name: "Connect an account on " + n.Name, URL: r.link.Connect(string(n.ID)),
			})
		}
	}
	return append(list,
		layout.PaletteEntry{Icon: "user", Name: "Invite a member", URL: r.link.Members()},
		layout.PaletteEntry{Icon: "key-round", Name: "Create an API key", URL: r.link.Keys()})
}

// searchAccountsCapped returns at most mostFound accounts that match a query, with links to their posts. For an empty
// query, it returns none.
func (r *request) searchAccountsCapped(query string) ([]layout.PaletteEntry, error) {
	if query == "" {
		return nil, nil
	}
	accounts, err := r.loadAccounts()
	if err != nil {
		return nil, err
	}
	var list []layout.PaletteEntry
	for _, a := range accounts {
		e := layout.PaletteEntry{
			Platforms: []string{a.Platform}, Name: a.DisplayName,
			Detail: r.web.cfg.Networks.DisplayName(core.Platform(a.Platform)),
			URL:    r.link.Posts(link.Filter{Account: a.ID}),
		}
		words := e.Name + " " + e.Detail
		if a.Username != nil {
			words += " " + *a.Username
		}
		if core.MatchesSearch(words, query) {
			list = append(list, e)
		}
	}
	return list[:min(len(list), mostFound)], nil
}

// searchPostsCapped returns the newest posts whose text contains a query. Posts with the same words that one request
// created for the same time share a result. If there are more than mostFound results, another entry leads to all of
// them. For an empty query, it returns none.
func (r *request) searchPostsCapped(query string) ([]layout.PaletteEntry, error) {
	if query == "" {
		return nil, nil
	}
	cards, next, _, err := r.web.cfg.App.ListPostCards(r.context(), r.caller,
		contract.ListPosts{Q: query, Limit: mostRead}, "")
	if _, refused := asFormRefusal(err); refused { // the query is not valid, so no post can contain it
		return nil, nil
	}
	found := groupAlikePostsOfRequests(cards)
	var entries []layout.PaletteEntry
	for _, together := range found[:min(len(found), mostFound)] {
		entries = append(entries, r.newPostsEntry(together, query))
	}
	if next != "" || len(found) > mostFound {
		entries = append(entries, layout.PaletteEntry{
			Icon: "list", Name: "Show all posts with “" + query + "”",
			URL: r.link.Posts(link.Filter{Status: link.AllPosts, Query: query}),
		})
	}
	return entries, err
}

// groupAlikePostsOfRequests groups posts with the same words, status and time that one request created, in their order.
// Posts without a time stay alone, because no page shows them together.
func groupAlikePostsOfRequests(list []app.PostCard) (groups [][]app.PostCard) {
	type origin struct {
		created, due time.Time
		status, name string
		replaced     bool
	}
	places := map[origin]int{}
	for _, p := range list {
		if p.PublishAt == nil {
			groups = append(groups, []app.PostCard{p})
			continue
		}
		name := posts.TitleOrText(p.Post, foundExcerpt)
		of := origin{p.CreatedAt.UTC(), p.PublishAt.UTC(), p.Status, name, p.ReplacedBy != ""}
		place, known := places[of]
		if !known {
			place = len(groups)
			places[of], groups = place, append(groups, nil)
		}
		groups[place] = append(groups[place], p)
	}
	return groups
}

// newPostsEntry returns the result for a post, or for several that groupAlikePostsOfRequests has grouped.
func (r *request) newPostsEntry(together []app.PostCard, query string) layout.PaletteEntry {
	first := together[0]
	name := posts.TitleOrText(first.Post, foundExcerpt)
	e := layout.PaletteEntry{
		Name: name, Detail: first.StatusLine, Query: query, Passage: posts.MatchingPassage(first.Post, query, name),
		URL: r.link.Post(first.ID),
	}
	var platforms []core.Platform
	for _, p := range together {
		platforms = append(platforms, core.Platform(p.Platform))
	}
	slices.SortFunc(platforms, r.web.cfg.Networks.CompareOrder)
	var networks []string
	for _, platform := range slices.Compact(platforms) {
		e.Platforms = append(e.Platforms, string(platform))
		networks = append(networks, r.web.cfg.Networks.DisplayName(platform))
	}
	if len(together) > 1 {
		e.URL = r.link.PostsOfCalendarEntry(first.ID, link.Filter{Query: query})
		// No number: the page that opens also shows posts of the same request with other words.
		e.Detail = ui.StateWord(first.Status) + " · " + core.JoinNames(networks, "and")
		if zone, err := core.ParseZone(first.TZ); err == nil {
			e.Detail += " · " + zone.FormatTime(first.PublishAt.Time)
		}
	}
	switch {
	case first.ReplacedBy == "":
	case len(together) == 1:
		e.Detail += " · A copy is live"
	default:
		e.Detail += " · Copies are live"
	}
	return e
}

// filterEntries returns the entries whose name and detail contain each word of a query.
func filterEntries(entries []layout.PaletteEntry, query string) (list []layout.PaletteEntry) {
	for _, e := range entries {
		if core.MatchesSearch(e.Name+" "+e.Detail, query) {
			list = append(list, e)
		}
	}
	return list
}
