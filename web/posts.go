package web

import (
	"net/http"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
)

// pageOfPosts is how many posts the list shows at once.
const pageOfPosts = 50

func (v *visit) posts() error {
	filter := link.Filter{
		Status: v.QueryParam("status"), Account: v.QueryParam("accountId"), Query: v.QueryParam("q"), Cursor: v.QueryParam("cursor"),
	}
	list, err := v.web.cfg.App.ListPosts(v.ctx(), v.caller, contract.ListPosts{
		Status: filter.Status, AccountID: filter.Account, Q: filter.Query, Cursor: filter.Cursor, Limit: pageOfPosts,
	})
	if err != nil {
		return err
	}
	frame, err := v.frame("Posts", layout.SectionPosts)
	if err != nil {
		return err
	}
	accounts, err := v.accountList()
	if err != nil {
		return err
	}
	m := posts.ListModel{Frame: frame, Filter: filter, Accounts: len(accounts) > 0}
	if filter.Query == "" && filter.Account == "" {
		if m.Counts, err = v.counts(); err != nil {
			return err
		}
	}
	for _, p := range list.Posts {
		m.Rows = append(m.Rows, posts.Row{Post: p, Network: v.web.cfg.Networks.Name(core.Platform(p.Platform))})
	}
	if list.NextCursor != nil {
		m.Next = *list.NextCursor
	}
	return v.render(http.StatusOK, posts.List(m), posts.ListPart(m))
}

// counts are the posts of the whole workspace by state.
func (v *visit) counts() (map[string]int64, error) {
	found, err := v.web.cfg.App.CountPosts(v.ctx(), v.caller)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for status, n := range found {
		counts[string(status)] = int64(n)
	}
	return counts, nil
}
