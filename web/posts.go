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

func (r *request) showPosts() error {
	filter := link.Filter{
		Status: r.echo.QueryParam("status"), Account: r.echo.QueryParam("accountId"), Query: r.echo.QueryParam("q"),
		Cursor: r.echo.QueryParam("cursor"),
	}
	cards, next, counts, err := r.web.cfg.App.ListPostCards(r.context(), r.caller, contract.ListPosts{
		Status: filter.Status, AccountID: filter.Account, Q: filter.Query, Cursor: filter.Cursor,
	}, "")
	if err != nil {
		return err
	}
	frame, err := r.pageFrame("Posts", layout.SectionPosts)
	if err != nil {
		return err
	}
	accounts, err := r.loadAccounts()
	if err != nil {
		return err
	}
	m := posts.ListModel{Frame: frame, Filter: filter, Counts: counts, Next: next, Accounts: len(accounts) > 0}
	var named []string
	for _, card := range cards {
		named = append(named, card.MediaIDs...)
	}
	files, err := r.web.cfg.App.PostFiles(r.context(), r.caller, named)
	if err != nil {
		return err
	}
	for _, card := range cards {
		m.Rows = append(m.Rows, posts.Row{
			Post: card.Post, Network: r.web.cfg.Networks.Name(core.Platform(card.Platform)),
			Files: fileViews(card.MediaIDs, files),
		})
		if poll := r.pollInterval(card); poll > 0 && (m.Poll == 0 || poll < m.Poll) {
			m.Poll = poll
		}
	}
	if flash := m.Frame.Flash; flash != nil && flash.Provisional && m.Poll != posts.PollSoon {
		m.Frame.Flash = nil // everything has been published since
	}
	if r.upToDate(m) {
		return r.echo.NoContent(http.StatusNoContent)
	}
	return r.render(http.StatusOK, posts.List(m), posts.ListPart(m))
}

// upToDate reports whether a polling reader has already seen what a model shows.
func (r *request) upToDate(m interface{ Version() string }) bool {
	return r.wantsFragment() && r.echo.QueryParam(versionParam) == m.Version()
}

// pollInterval returns how often to poll a post.
func (r *request) pollInterval(card app.PostCard) time.Duration {
	now := r.web.cfg.Now()
	due, next := now, card.NextTryAt
	if card.PublishAt != nil {
		due = card.PublishAt.Time
	}
	if card.Asking {
		next = card.AskAt
	}
	return posts.PollEvery(card.Status, due, next, now)
}

// showPostsOnHold lists the affected posts while publishing is on hold.
func (r *request) showPostsOnHold() error {
	reason, held, err := r.web.cfg.App.PublishingHold(r.context(), r.caller)
	if err != nil {
		return err
	}
	frame, err := r.pageFrame("On hold", layout.SectionPosts)
	if err != nil {
		return err
	}
	m := posts.HoldModel{Frame: frame, Reason: reason}
	for _, p := range held {
		m.Rows = append(m.Rows, posts.HeldRow{
			ID: p.Post.String(), Platform: string(p.Platform), Network: r.web.cfg.Networks.Name(p.Platform),
			Account: p.AccountName, Text: p.Text, Fate: p.Fate(), URL: p.ExternalURL,
		})
	}
	return r.render(http.StatusOK, posts.OnHold(m), nil)
}

// loadFiles returns a post's files in order.
func (r *request) loadFiles(ids []string) ([]posts.File, error) {
	found, err := r.web.cfg.App.PostFiles(r.context(), r.caller, ids)
	return fileViews(ids, found), err
}

func fileViews(ids []string, found map[string]contract.Media) []posts.File {
	var list []posts.File
	for _, id := range ids {
		m, ok := found[id]
		if !ok {
			continue
		}
		f := posts.File{
			ID: m.ID, Name: m.OriginalName, Video: m.Kind == string(core.FileVideo), Trouble: fileTroubles[m.Status],
		}
		if m.DurationMs != nil {
			f.Length = time.Duration(*m.DurationMs) * time.Millisecond
		}
		if m.ThumbnailURL != nil {
			f.Thumbnail = *m.ThumbnailURL
		}
		if m.PurgedAt != nil {
			f.Trouble, f.Thumbnail = "removed", ""
		}
		list = append(list, f)
	}
	return list
}

// fileTroubles are the reasons, by status, why a file cannot be published.
var fileTroubles = map[string]string{
	string(core.MediaUploading): "not uploaded yet", string(core.MediaProcessing): "processing",
	string(core.MediaFailed): "cannot be used",
}
