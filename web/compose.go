package web

import (
	"context"
	"errors"
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
	"belfry/views/link"
	"belfry/views/posts"
	"belfry/views/ui"
)

// showComposer shows an empty composer, or the form that was kept until after the sign-in.
func (r *request) showComposer() error {
	if err := r.caller.RequireScope(core.Write); err != nil {
		return err
	}
	r.tryRequestAccountFactsRefresh()
	if form, ok := r.popFormKeptForSignIn(); ok {
		return r.loadPlanAndRenderComposer(http.StatusOK, form, nil)
	}
	accounts, err := r.loadAccounts()
	if err != nil {
		return err
	}
	zone, err := r.loadWorkspaceZone()
	if err != nil {
		return err
	}
	form := url.Values{
		posts.FieldAccount: {r.echo.QueryParam(posts.FieldAccount)},
		posts.FieldWhen:    {posts.WhenNow}, posts.FieldAt: {r.timeInputOrProposal(nil, zone)},
	}
	if at := r.echo.QueryParam(posts.FieldAt); at != "" { // from the calendar
		form.Set(posts.FieldWhen, posts.WhenAt)
		form.Set(posts.FieldAt, at)
	}
	if group := r.echo.QueryParam("group"); group != "" {
		form.Set(posts.FieldPick, posts.PickGroup+group)
	} else if len(accounts) == 1 {
		form.Set(posts.FieldAccount, accounts[0].ID)
	}
	m, err := r.loadComposerAndPopFlash(form)
	if err != nil {
		return err
	}
	m.Plan.Missing = missingInputText(m.Values, newPlanRequest(m))
	return r.addPreviewsAndRenderComposer(http.StatusOK, m)
}

// addPreviewsAndRenderComposer adds previews and the newest files of the library, and renders the composer. A script
// gets only the form, without these files.
func (r *request) addPreviewsAndRenderComposer(status int, m posts.ComposeModel) (err error) {
	r.web.addPreviewsAndAppendedTextLengths(&m)
	if m.Part {
		return r.render(status, posts.Composer(m), posts.Composer(m))
	}
	if m.Library, err = r.listNewestUnchosenFiles(m.MediaIDs); err != nil {
		return err
	}
	return r.render(status, posts.Compose(m), nil)
}

// tryRequestAccountFactsRefresh starts asking the networks what the accounts may do, so that later plans can use the
// answers. The composer does not wait for the result. An error is only logged.
func (r *request) tryRequestAccountFactsRefresh() {
	if err := r.web.cfg.App.EnqueueRefreshOfStaleFacts(r.context(), r.caller); err != nil {
		r.web.cfg.Log.WarnContext(r.context(), "could not request current facts about the accounts from the networks", "error", err)
	}
}

// loadComposerAndPopFlash loads the composer for new posts, with the form's values but without a plan. For a whole
// page, it removes the flash from the session to show it.
func (r *request) loadComposerAndPopFlash(form url.Values) (posts.ComposeModel, error) {
	m := posts.ComposeModel{Form: newFormID(), Part: r.wantsFragment()}
	accounts, err := r.loadAccounts()
	if err != nil {
		return m, err
	}
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return m, err
	}
	who, err := r.loadWhoami()
	if err != nil {
		return m, err
	}
	facts, err := r.web.cfg.App.GetStoredAccountFacts(r.context(), r.caller)
	if err != nil {
		return m, err
	}
	for _, a := range accounts {
		chip := r.newAccountChip(a, slices.Contains(form[posts.FieldAccount], a.ID))
		chip.Choices = facts[a.ID].Choices
		m.Accounts = append(m.Accounts, chip)
	}
	if m.Groups, err = r.loadNonEmptyGroupsUnlessPart(m.Part); err != nil {
		return m, err
	}
	m.Unknown = unknownAccountIDs(form, accounts)
	chooseOrClearPickedAccounts(&m, form.Get(posts.FieldPick))
	var networks []network.Network
	for _, n := range r.web.cfg.Networks.Connectors() {
		if slices.ContainsFunc(accounts, func(a contract.Account) bool { return a.Platform == string(n.Describe().ID) }) {
			networks = append(networks, n)
		}
	}
	err = r.loadFilesAndFillComposer(&m, form, networks)
	m.Plan = posts.PlanModel{When: m.Values.When, Zone: m.Zone, Now: r.web.cfg.Now()}
	m.Autosave = who.Workspace.ID + "." + who.User.ID
	if err != nil {
		return m, err
	}
	m.Frame, err = r.loadFrameAndPopFlash("Compose", layout.SectionCompose)
	return m, err
}

// loadFilesAndFillComposer loads the form's files, and adds the networks and the form's values to the model.
func (r *request) loadFilesAndFillComposer(m *posts.ComposeModel, form url.Values, networks []network.Network) error {
	var err error
	if m.MediaIDs, m.Media, err = r.loadAndArrangeExistingFiles(form); err != nil {
		return err
	}
	m.Files = convertFiles(m.Media)
	for _, n := range networks {
		m.Networks = append(m.Networks, newComposerNetwork(n, form, m.Files))
	}
	m.Values = readComposerValues(form, m.Networks, m.Files)
	m.At = parseLocalTimeOrZero(m.Values.At, m.Zone, r.web.cfg.Now())
	return nil
}

// newComposerNetwork returns a network as the composer shows it for a post with the form's settings and files.
func newComposerNetwork(rules network.Rules, form url.Values, files []posts.File) posts.Network {
	d := rules.Describe()
	held := map[string]string{}
	for _, f := range d.Fields {
		held[f.Name] = settingTextFromLastInput(f, form[posts.SettingFieldName(string(d.ID), f.Name)])
	}
	draft := network.Draft{Settings: encodeNonEmptySettings(d.Fields, held)}
	for _, f := range files {
		draft.Media = append(draft.Media, core.Media{FileFacts: core.FileFacts{Kind: f.Kind()}})
	}
	n := posts.Network{
		ID: string(d.ID), Name: d.Name, Text: d.Limits.Text, Fields: network.FormFieldsFor(rules, draft),
	}
	if len(files) > 0 { // only videos have a title (Spec §2)
		n.Title = d.Limits.Title
	}
	return n
}

func (r *request) newAccountChip(a contract.Account, chosen bool) posts.Account {
	c := posts.Account{
		ID: a.ID, Name: a.DisplayName, Platform: a.Platform,
		Network: r.web.cfg.Networks.DisplayName(core.Platform(a.Platform)),
		Status:  a.Status, Chosen: chosen, Avatar: a.AvatarPath(),
	}
	if a.Username != nil {
		c.Username = *a.Username
	}
	return c
}

// loadComposerOrEditorAndPopFlash does what loadPostEditorAndPopFlash does for the post in the request's path, or
// what loadComposerAndPopFlash does if the path has none.
func (r *request) loadComposerOrEditorAndPopFlash(form url.Values) (posts.ComposeModel, error) {
	if r.pathID() == "" {
		return r.loadComposerAndPopFlash(form)
	}
	card, n, err := r.loadPostAndNetwork()
	if err != nil {
		return posts.ComposeModel{}, err
	}
	return r.loadPostEditorAndPopFlash(card, n, form)
}

// loadPlanAndRenderComposer renders the composer with the form's values, its plan, and the reason for a refusal, if
// any.
func (r *request) loadPlanAndRenderComposer(status int, form url.Values, refusalOrNil *core.Error) error {
	m, err := r.loadComposerOrEditorAndPopFlash(form)
	if err != nil {
		return err
	}
	m.Redrawn = true
	if err := r.loadPlanOrReason(&m, newPlanRequest(m)); err != nil {
		return err
	}
	r.addRefusalAndSetRetryAfter(&m, refusalOrNil)
	return r.addPreviewsAndRenderComposer(status, m)
}

// showInComposerIfRefusal renders the composer with the form's values and the reason for a refusal. It returns any
// other error, which the form cannot show.
func (r *request) showInComposerIfRefusal(form url.Values, err error) error {
	if e, ok := asFormRefusal(err); ok {
		return r.loadPlanAndRenderComposer(httpd.Status(e.Code), form, e)
	}
	return err
}

// addRefusalAndSetRetryAfter adds an error to its input or, if it belongs to none, to the top of the form. It sets
// the Retry-After header if the error says how long to wait.
func (r *request) addRefusalAndSetRetryAfter(m *posts.ComposeModel, refusalOrNil *core.Error) {
	switch {
	case refusalOrNil == nil:
	case errors.Is(refusalOrNil, app.ErrPostChanged): // the form shows the saved version
	case refusalOrNil.Code == core.CodeNotFound && m.PostID != "":
		m.Errors = map[string]string{posts.FieldAccount: accountOfPostGone}
	case refusalOrNil.Code == core.CodeNotFound:
		m.Errors = map[string]string{posts.FieldAccount: "One of the accounts is no longer connected. Choose the accounts again."}
	default:
		r.setRetryAfterHeader(refusalOrNil)
		var beside map[string]string
		if beside, m.Refused = r.placeError(refusalOrNil, inputForFieldPath(refusalOrNil.Path)); m.Errors == nil {
			m.Errors = map[string]string{}
		}
		maps.Copy(m.Errors, beside) // keeps the plan's errors
		if refusalOrNil.Code == core.CodePlanHasIssues {
			m.Refused.Hint = hints[refusalOrNil.Code] // the plan shows the details
		}
	}
}

// showComposerPlan shows the form with a new plan.
func (r *request) showComposerPlan(form url.Values) error {
	return r.loadPlanAndRenderComposer(http.StatusOK, form, nil)
}

// createPosts creates the posts of the form, or shows the form again with the reason for a refusal.
func (r *request) createPosts(form url.Values) error {
	m, err := r.loadComposerAndPopFlash(form)
	if err != nil {
		return err
	}
	made, mayBeOutdated, err := doOnce(r, form, func(ctx context.Context) (contract.Posts, error) {
		return r.saveAltTextsAndCreatePosts(ctx, form, m)
	})
	if core.CodeOf(err) == core.CodeNotFound {
		return r.loadPlanAndRenderComposer(http.StatusNotFound, form, core.ErrorOrInternal(err))
	}
	if err != nil {
		return r.showInComposerIfRefusal(form, err)
	}
	if mayBeOutdated {
		r.setFlash(ui.ToneInfo, formatForCount(createdBefore, len(made.Posts)))
	} else {
		r.setCreatedFlash(m, made.Posts)
	}
	if len(made.Posts) == 1 {
		return r.redirect(r.link.Post(made.Posts[0].ID))
	}
	return r.redirect(r.link.Posts(link.Filter{}))
}
