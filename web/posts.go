package web

import (
	"net/http"
	"slices"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
	"belfry/views/ui"
)

func (r *request) showPosts() error {
	filter := link.ParseFilter(r.echo.QueryParams())
	cards, next, counts, err := r.web.cfg.App.ListPostCards(r.context(), r.caller, postListRequestWithoutNetwork(filter),
		core.Platform(filter.Network))
	if err != nil {
		return err
	}
	m := posts.ListModel{Filter: filter, Counts: counts, Next: next, Now: r.web.cfg.Now(), Form: newFormID()}
	if m.Frame, err = r.loadFrameAndPopFlash("Posts", layout.SectionPosts); err != nil {
		return err
	}
	if filter == (link.Filter{}) {
		if m.Frame.FirstSteps, err = r.loadFirstStepsOrNil(); err != nil {
			return err
		}
	}
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return err
	}
	if filter == (link.Filter{}) && len(cards) == 0 && counts[core.PostLive] > 0 {
		if m.LiveToday, err = r.countLiveTodayCapped(m.Zone); err != nil {
			return err
		}
	}
	if filter.HasConditionsBesideStatus() && filter.Status != link.AllPosts && next == "" && filter.Cursor == "" {
		if m.Elsewhere, m.MoreElsewhere, err = r.countNewestMatchesByTab(filter); err != nil {
			return err
		}
	}
	if !r.wantsFragment() {
		m.Schedule, m.Move = r.popBulkInputOrProposals(m.Zone)
	}
	if m.Accounts, m.Groups, m.Networks, err = r.loadFilterOptions(); err != nil {
		return err
	}
	if err := r.loadFilesAndAddRows(&m, cards, r.popSelectionUnlessFragment()); err != nil {
		return err
	}
	if r.isPollWithoutNews(m) {
		return r.echo.NoContent(http.StatusNoContent)
	}
	return r.render(http.StatusOK, posts.List(m), posts.ListPart(m))
}

// countNewestMatchesByTab counts the posts that match the filter, by the status of their tab (link.Filter.Status). It
// counts the newest 100; more reports that there are others.
func (r *request) countNewestMatchesByTab(filter link.Filter) (counts map[string]int, more bool, err error) {
	filter.Status = link.AllPosts
	in := postListRequestWithoutNetwork(filter)
	in.Limit = app.MaxBulk
	cards, next, _, err := r.web.cfg.App.ListPostCards(r.context(), r.caller, in, core.Platform(filter.Network))
	counts = map[string]int{}
	for _, card := range cards {
		switch {
		case card.Status == string(core.PostQueued):
			counts[""]++
		case card.ReplacedBy == "":
			counts[card.Status]++
		}
	}
	return counts, next != "", err
}

// countLiveTodayCapped counts the posts that went live today, up to posts.MostLiveToday.
func (r *request) countLiveTodayCapped(zone core.Zone) (int, error) {
	today := zone.Today(r.web.cfg.Now()).Format(time.DateOnly)
	list, err := r.web.cfg.App.ListPosts(r.context(), r.caller, contract.ListPosts{
		Status: string(core.PostLive), From: today, Limit: posts.MostLiveToday,
	})
	return len(list.Posts), err
}

// postListRequestWithoutNetwork converts a filter to a request. The operation takes the network separately. Without a
// status, the request asks for the queued posts, soonest first.
func postListRequestWithoutNetwork(f link.Filter) contract.ListPosts {
	in := contract.ListPosts{
		Status: f.Status, AccountID: f.Account, GroupID: f.Group, From: f.From, To: f.To, Q: f.Query, Cursor: f.Cursor,
	}
	switch f.Status {
	case "":
		in.Status, in.Order = string(core.PostQueued), "asc"
	case link.AllPosts:
		in.Status = ""
	}
	return in
}

// loadFilterOptions loads the accounts, groups and networks of the workspace, by which posts can be filtered.
func (r *request) loadFilterOptions() (accounts, groups, networks []ui.Option, err error) {
	connected, err := r.loadAccounts()
	if err != nil {
		return nil, nil, nil, err
	}
	onNetwork := map[string]bool{}
	for _, a := range connected {
		name := r.web.cfg.Networks.DisplayName(core.Platform(a.Platform))
		accounts = append(accounts, ui.Option{Value: a.ID, Label: a.DisplayName + " on " + name})
		if !onNetwork[a.Platform] {
			onNetwork[a.Platform] = true
			networks = append(networks, ui.Option{Value: a.Platform, Label: name})
		}
	}
	found, err := r.web.cfg.App.ListGroups(r.context(), r.caller)
	for _, g := range found.Groups {
		groups = append(groups, ui.Option{Value: g.ID, Label: g.Name})
	}
	return accounts, groups, networks, err
}

// loadFilesAndAddRows adds a row for each post, with its files. The model must have its Zone.
func (r *request) loadFilesAndAddRows(m *posts.ListModel, cards []app.PostCard, selectedIDs []string) error {
	var named []string
	for _, card := range cards {
		named = append(named, card.MediaIDs...)
	}
	files, err := r.web.cfg.App.FindFilesIncludingDeleted(r.context(), r.caller, named)
	if err != nil {
		return err
	}
	for _, card := range cards {
		row := posts.Row{
			Post: card.Post, Revision: card.Revision, Account: card.AccountName, Avatar: card.AccountAvatar,
			Network: r.web.cfg.Networks.DisplayName(core.Platform(card.Platform)), Files: convertFilesByID(card.MediaIDs, files),
			LiveURL:  liveURL(card.Post),
			Editable: slices.Contains(card.Acts, core.ActEdit), Fix: rowFixLabel(card), ReplacedBy: card.ReplacedBy,
			BulkActs: card.BulkActs, Selected: slices.Contains(selectedIDs, card.ID),
		}
		if shown, ok := r.web.buildPreview(newPreviewInputWithoutAccount(card, files)); ok {
			row.Kind = shown.Kind
		}
		row.Note = rowNote(card, row.Network, m.Zone)
		m.Rows = append(m.Rows, row)
	}
	return nil
}

// liveURL returns the address of a live post, or "" if there is none.
func liveURL(p contract.Post) (urlOrEmpty string) {
	if p.Status != string(core.PostLive) {
		return ""
	}
	return valueOrZero(p.ExternalURL)
}

// rowNote returns why a post failed or what it is waiting for, or "".
func rowNote(card app.PostCard, networkName string, zone core.Zone) (reasonOrEmpty string) {
	clock := func(at time.Time) string { return at.In(zone.Location()).Format("15:04") }
	switch {
	case card.Error != nil && card.Error.Code == core.ErrorOutcomeUnknown:
		return "Is this post on " + networkName + "?"
	case card.Error != nil && !card.NextTryAt.IsZero():
		return card.Error.Message + " Next try at " + clock(card.NextTryAt) + "."
	case card.Error != nil:
		return card.Error.Message
	case card.NeedsReconnecting && card.Status == string(core.PostQueued):
		return "The account needs reconnecting"
	case card.Asking:
		return "Checking whether " + networkName + " published the post"
	case card.Held:
		return "Waiting for " + networkName + " until " + clock(card.NextTryAt)
	case card.Sending:
		return "Publishing now"
	case card.Preparing:
		return networkName + " is processing the post"
	case card.Waiting:
		return "Waiting for another post from this account"
	}
	return ""
}

// rowFixLabel returns the label of the link to a failed post that waits for a person, or "".
func rowFixLabel(card app.PostCard) (labelOrEmpty string) {
	switch {
	case card.ReplacedBy != "" || !card.NextTryAt.IsZero():
		return ""
	case slices.Contains(card.Acts, core.ActSettle):
		return "Answer"
	case slices.Contains(card.Acts, core.ActRetry), card.RetryableOnceReconnected:
		return "Fix"
	}
	return ""
}

// isPollWithoutNews reports whether the request is a poll of a page that already shows the model. Opening or reloading
// a page is not a poll, so the page is always rendered.
func (r *request) isPollWithoutNews(m interface{ ContentHash() string }) bool {
	return r.wantsFragment() && r.echo.QueryParam(versionParam) == m.ContentHash()
}

// showPublishingHold lists the posts that wait while publishing is on hold.
func (r *request) showPublishingHold() error {
	reason, held, err := r.web.cfg.App.FindPublishingHold(r.context(), r.caller)
	if err != nil {
		return err
	}
	frame, err := r.loadFrameAndPopFlash("On hold", layout.SectionPosts)
	if err != nil {
		return err
	}
	m := posts.HoldModel{Frame: frame, Reason: reason}
	for _, p := range held {
		m.Rows = append(m.Rows, posts.HeldRow{
			ID: p.Post.String(), Platform: string(p.Platform), Network: r.web.cfg.Networks.DisplayName(p.Platform),
			Account: p.AccountName, Text: p.Text, Fate: p.FateInWords(), URL: p.ExternalURL,
		})
	}
	return r.render(http.StatusOK, posts.OnHold(m), nil)
}

// convertFilesByID returns the files with the ids for display, in their order. It omits those that were not found.
func convertFilesByID(ids []string, found map[string]contract.Media) []posts.File {
	var known []contract.Media
	for _, id := range ids {
		if m, ok := found[id]; ok {
			known = append(known, m)
		}
	}
	return convertFiles(known)
}

// convertFiles returns files for display.
func convertFiles(files []contract.Media) []posts.File {
	var list []posts.File
	for _, m := range files {
		f := posts.File{
			ID: m.ID, Name: m.OriginalName, Video: m.Kind == string(core.FileVideo), Trouble: fileTroubles[m.Status],
			Alt: valueOrZero(m.Description), Thumbnail: valueOrZero(m.ThumbnailURL),
			Length:     time.Duration(valueOrZero(m.DurationMs)) * time.Millisecond,
			Processing: m.Status == string(core.MediaUploading) || m.Status == string(core.MediaProcessing),
			Broken:     m.Status == string(core.MediaFailed),
		}
		if m.PurgedAt != nil {
			f.Trouble, f.Thumbnail, f.Broken = "Deleted", "", true
		}
		list = append(list, f)
	}
	return list
}

// fileTroubles are the reasons why a file cannot be published, by its status.
var fileTroubles = map[string]string{
	string(core.MediaUploading): "Not uploaded yet", string(core.MediaProcessing): "Processing",
	string(core.MediaFailed): "Cannot be used",
}
