package web

import (
	"net/http"
	"time"

	"belfry/internal/app"
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
	cards, next, err := v.web.cfg.App.ListPostCards(v.ctx(), v.caller, contract.ListPosts{
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
	m := posts.ListModel{Frame: frame, Filter: filter, Next: next, Accounts: len(accounts) > 0}
	if filter.Query == "" && filter.Account == "" {
		if m.Counts, err = v.counts(); err != nil {
			return err
		}
	}
	var named []string
	for _, card := range cards {
		named = append(named, card.MediaIDs...)
	}
	files, err := v.web.cfg.App.PostFiles(v.ctx(), v.caller, named)
	if err != nil {
		return err
	}
	for _, card := range cards {
		m.Rows = append(m.Rows, posts.Row{
			Post: card.Post, Network: v.web.cfg.Networks.Name(core.Platform(card.Platform)), Files: shownFiles(card.MediaIDs, files),
		})
		if poll := v.pollOf(card); poll > 0 && (m.Poll == 0 || poll < m.Poll) {
			m.Poll = poll
		}
	}
	if v.upToDate(m) {
		return v.NoContent(http.StatusNoContent)
	}
	return v.render(http.StatusOK, posts.List(m), posts.ListPart(m))
}

// upToDate tells whether a reader who looks for news has seen what a model shows.
func (v *visit) upToDate(m interface{ Version() string }) bool {
	return v.fragment() && v.QueryParam(seenParam) == m.Version()
}

// pollOf is how often to look for news of a post.
func (v *visit) pollOf(card app.PostCard) time.Duration {
	now := v.web.cfg.Now()
	due, next := now, card.NextTryAt
	if card.PublishAt != nil {
		due = card.PublishAt.Time
	}
	if card.Asking {
		next = card.AskAt
	}
	return posts.PollEvery(card.Status, due, next, now)
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
