package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/network"
	"belfry/views/layout"
	"belfry/views/posts"
)

// loadPostAndNetwork returns the post with the id in the request's path, and its network.
func (r *request) loadPostAndNetwork() (app.PostCard, network.Network, error) {
	card, err := r.web.cfg.App.GetPostCard(r.context(), r.caller, r.pathID())
	if err != nil {
		return card, nil, err
	}
	n, ok := r.web.cfg.Networks.FindConnector(core.Platform(card.Platform))
	if !ok {
		return card, nil, core.NotFound()
	}
	return card, n, nil
}

func (r *request) showPostEditor() error {
	if err := r.caller.RequireScope(core.Write); err != nil {
		return err
	}
	card, n, err := r.loadPostAndNetwork()
	if err != nil {
		return err
	}
	if !slices.Contains(card.Acts, core.ActEdit) {
		return r.redirect(r.link.Post(r.pathID())) // the post's page says why it cannot be edited
	}
	r.tryRequestAccountFactsRefresh()
	if form, ok := r.popFormKeptForSignIn(); ok {
		return r.loadPlanAndRenderComposer(http.StatusOK, form, nil)
	}
	zone, err := core.ParseZone(card.TZ)
	if err != nil {
		return err
	}
	form := r.newEditForm(card, n.Describe(), zone)
	if when := r.echo.QueryParam(posts.FieldWhen); when == posts.WhenNow || when == posts.WhenAt { // of a copy
		form.Set(posts.FieldWhen, when)
	}
	m, err := r.loadPostEditorAndPopFlash(card, n, form)
	if err != nil {
		return err
	}
	if err := r.loadPlanOrReason(&m, newPlanRequest(m)); err != nil {
		return err
	}
	return r.addPreviewsAndRenderComposer(http.StatusOK, m)
}

// newEditForm returns the composer's form for a draft or a queued post.
func (r *request) newEditForm(card app.PostCard, about network.Description, zone core.Zone) url.Values {
	form := url.Values{
		posts.FieldText: {card.Text}, posts.FieldWhen: {posts.WhenDraft},
		posts.FieldAt: {r.timeInputOrProposal(card.PublishAt, zone)}, posts.FieldRevision: {card.Revision},
		posts.FieldMedia: card.MediaIDs, posts.FieldTags: {joinTags(card.Tags)},
	}
	if card.Title != nil {
		form.Set(posts.FieldTitle, *card.Title)
	}
	if card.PublishAt != nil {
		form.Set(posts.FieldWhen, posts.WhenAt)
	}
	for name, text := range settingInputValues(about.Fields, card.Settings) {
		form.Set(posts.SettingFieldName(string(about.ID), name), text)
	}
	return form
}

// loadPostEditorAndPopFlash loads the composer for a draft or a queued post, with the form's values but without a
// plan. For a whole page, it removes the flash from the session to show it.
func (r *request) loadPostEditorAndPopFlash(
	card app.PostCard, n network.Network, form url.Values,
) (posts.ComposeModel, error) {
	form = maps.Clone(form)
	if !form.Has(posts.FieldMedia) { // an older version rendered the form, without files
		form[posts.FieldMedia] = card.MediaIDs
	}
	if !form.Has(posts.FieldTags) {
		form.Set(posts.FieldTags, joinTags(card.Tags))
	}
	m, err := r.loadComposerAndPopFlash(form)
	if err != nil {
		return m, err
	}
	if m.Zone, err = core.ParseZone(card.TZ); err != nil {
		return m, err
	}
	m.Plan.Zone = m.Zone
	m.PostID, m.FilesChanged = card.ID, !slices.Equal(m.MediaIDs, card.MediaIDs)
	m.TagsChanged = form.Get(posts.FieldTags) != joinTags(card.Tags)
	m.Networks, m.Unknown = []posts.Network{newComposerNetwork(n, form, m.Files)}, nil
	about := n.Describe()
	account := posts.Account{
		ID: card.AccountID, Name: card.AccountName, Platform: card.Platform, Network: about.Name, Chosen: true,
		Status: string(core.AccountRevoked), // if it is not in the list below, it was disconnected
	}
	for _, a := range m.Accounts {
		if a.ID == account.ID {
			account.Status, account.Choices, account.Avatar, account.Username = a.Status, a.Choices, a.Avatar, a.Username
		}
	}
	m.Accounts = []posts.Account{account}
	m.Values = readComposerValues(form, m.Networks, m.Files)
	m.Values.Overrides = nil
	m.At = parseLocalTimeOrZero(m.Values.At, m.Zone, r.web.cfg.Now())
	if seen := m.Values.Revision; seen != "" && seen != card.Revision && slices.Contains(card.Acts, core.ActEdit) {
		saved := r.convertPostCard(card, nil)
		saved.PostZone = m.Zone
		m.Saved, m.Values.Revision = &saved, card.Revision
	}
	m.Plan.When = m.Values.When
	saved := readComposerValues(r.newEditForm(card, about, m.Zone), m.Networks, m.Files)
	m.Plan.Unchanged = !m.FilesChanged && m.Values.HasSameContentAndTime(saved)
	m.Autosave += "." + card.ID
	m.Frame.Title, m.Frame.Section = "Edit "+about.Name+" draft", layout.SectionPosts
	if card.Status == string(core.PostQueued) {
		m.Frame.Title, m.Plan.Queued = "Edit "+about.Name+" post", true
		m.QueuedAt = r.timeInputOrProposal(card.PublishAt, m.Zone)
	}
	if !m.Part {
		m.Beside, err = r.loadOtherCalendarEntryPosts(card)
	}
	return m, err
}

// saveOrQueueEditedPost saves a draft, and queues it if the form has a time. It changes a queued post in place.
func (r *request) saveOrQueueEditedPost(form url.Values) error {
	m, err := r.loadComposerOrEditorAndPopFlash(form)
	if err != nil {
		return err
	}
	if e := checkNoFileMissing(form, m); e != nil {
		return r.loadPlanAndRenderComposer(httpd.Status(e.Code), form, e)
	}
	if e := firstUnchosenSettingError(m); e != nil {
		return r.loadPlanAndRenderComposer(httpd.Status(e.Code), form, e)
	}
	if err := r.saveAltTexts(r.context(), m); err != nil { // first, because the post must not change if this fails
		return r.showInComposerIfRefusal(form, err)
	}
	in := newEditRequestWithoutID(m)
	in.ID, in.Revision, in.InPlace = r.pathID(), form.Get(posts.FieldRevision), true
	p, before, err := r.web.cfg.App.EditPostWithUndo(r.context(), r.caller, in)
	if err != nil {
		return r.showInComposerIfRefusal(form, err)
	}
	if m.Values.When == posts.WhenNow {
		r.setFlashWithDetails(r.newSendingFlash(before))
	} else {
		r.setFlashWithDetails(r.newScheduledOrDraftFlash(editedPostFlashText(m, p), m, p))
	}
	return r.redirect(r.link.Post(r.pathID()))
}

// editedPostFlashText says what was saved and, for a post that was already queued, when it goes out.
func editedPostFlashText(m posts.ComposeModel, p contract.Post) string {
	switch {
	case !m.Plan.Queued:
		return scheduledOrDraftFlashText(m, p)
	case p.PublishAt == nil:
		return "Saved and moved to drafts. The post will not be published."
	}
	return "Saved. The post goes out on " + m.Zone.FormatTime(p.PublishAt.Time) + "."
}

// newEditRequestWithoutID converts the form to the changes of a draft or a queued post. The caller adds the post's id
// and revision. Saving a draft does not change its time.
func newEditRequestWithoutID(m posts.ComposeModel) contract.EditPost {
	plan := newPlanRequest(m)
	blocks := map[string]json.RawMessage{m.Networks[0].ID: json.RawMessage("{}")}
	maps.Copy(blocks, plan.PerPlatform)
	in := contract.EditPost{Text: &plan.Text, Settings: &blocks}
	if m.Networks[0].Title != nil {
		in.Title = contract.Some(plan.Title)
	}
	if m.FilesChanged {
		in.MediaIDs = &m.MediaIDs
	}
	if m.TagsChanged {
		in.Tags = &plan.Tags
	}
	switch {
	case m.Values.When != posts.WhenDraft:
		in.When, in.Status = plan.When, string(core.PostQueued)
		if m.Values.When == posts.WhenAt && trimZeroSeconds(m.Values.At) == m.QueuedAt {
			in.When = nil // keeps the post's seconds, which the form omits
		}
	case m.Plan.Queued:
		in.When = plan.When
	}
	return in
}
