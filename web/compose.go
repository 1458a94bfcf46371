package web

import (
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
)

// showComposer shows an empty composer, or one with the text that was sent after the session had ended.
func (r *request) showComposer() error {
	if err := r.caller.Need(core.Write); err != nil {
		return err
	}
	r.refreshFacts()
	if form, ok := r.takeSavedForm(); ok {
		return r.renderComposer(http.StatusOK, form, nil)
	}
	accounts, err := r.loadAccounts()
	if err != nil {
		return err
	}
	zone, err := r.workspaceZone()
	if err != nil {
		return err
	}
	form := url.Values{
		posts.FieldAccount: {r.echo.QueryParam(posts.FieldAccount)},
		posts.FieldWhen:    {posts.WhenNow}, posts.FieldAt: {r.defaultTime(nil, zone)},
	}
	if len(accounts) == 1 {
		form.Set(posts.FieldAccount, accounts[0].ID)
	}
	m, err := r.composerModel(form)
	if err != nil {
		return err
	}
	return r.renderCompose(http.StatusOK, m)
}

// renderCompose renders the composer with the newest files of the library.
func (r *request) renderCompose(status int, m posts.ComposeModel) (err error) {
	if m.Library, err = r.listLibrary(m.MediaIDs); err != nil {
		return err
	}
	return r.render(status, posts.Compose(m), nil)
}

// refreshFacts has the networks asked what the accounts may do, for the plans that follow. The composer does not wait
// for it, and works without it.
func (r *request) refreshFacts() {
	if err := r.web.cfg.App.RefreshFacts(r.context(), r.caller); err != nil {
		r.web.cfg.Log.WarnContext(r.context(), "could not have the networks asked what accounts may do", "error", err)
	}
}

// composerModel returns the composer with the form's values, without a plan.
func (r *request) composerModel(form url.Values) (posts.ComposeModel, error) {
	var m posts.ComposeModel
	accounts, err := r.loadAccounts()
	if err != nil {
		return m, err
	}
	zone, err := r.workspaceZone()
	if err != nil {
		return m, err
	}
	who, err := r.loadWhoami()
	if err != nil {
		return m, err
	}
	facts, err := r.web.cfg.App.AccountFacts(r.context(), r.caller)
	if err != nil {
		return m, err
	}
	if m.MediaIDs, m.Files, err = r.chosenFiles(form); err != nil {
		return m, err
	}
	for _, n := range r.web.cfg.Networks.List() {
		d := n.Describe()
		if slices.ContainsFunc(accounts, func(a contract.Account) bool { return a.Platform == string(d.ID) }) {
			m.Networks = append(m.Networks, composerNetwork(d, form, len(m.MediaIDs) > 0))
		}
	}
	for _, a := range accounts {
		chip := r.accountChip(a, slices.Contains(form[posts.FieldAccount], a.ID))
		chip.Choices = facts[a.ID].Choices
		m.Accounts = append(m.Accounts, chip)
	}
	m.Form, m.Zone, m.Values = newFormID(), zone, composerValues(form, m.Networks)
	m.Plan = posts.PlanModel{When: m.Values.When, Zone: zone, Now: r.web.cfg.Now()}
	m.Autosave = who.Workspace.ID + "." + who.User.ID
	m.Frame, err = r.pageFrame("Compose", layout.SectionCompose)
	return m, err
}

// composerNetwork returns a network for the composer, for a post with or without files.
func composerNetwork(d network.Description, form url.Values, files bool) posts.Network {
	held := func(setting string) string { return form.Get(posts.SettingField(string(d.ID), setting)) }
	n := posts.Network{ID: string(d.ID), Name: d.Name, Text: d.Limits.Text, Fields: d.FieldsFor(files, held)}
	if files { // only videos have a title (Spec §2)
		n.Title = d.Limits.Title
	}
	return n
}

func (r *request) accountChip(a contract.Account, chosen bool) posts.Account {
	c := posts.Account{
		ID: a.ID, Name: a.DisplayName, Platform: a.Platform, Network: r.web.cfg.Networks.Name(core.Platform(a.Platform)),
		Status: a.Status, Chosen: chosen,
	}
	if a.Username != nil {
		c.Username = *a.Username
	}
	return c
}

// loadComposer returns the form as it is, without a plan: for the draft in the request's path, or for new posts if the
// path has none.
func (r *request) loadComposer(form url.Values) (posts.ComposeModel, error) {
	if r.pathID() == "" {
		return r.composerModel(form)
	}
	card, about, err := r.loadPostAndNetwork()
	if err != nil {
		return posts.ComposeModel{}, err
	}
	return r.editorModel(card, about, form)
}

// renderComposer renders the form with its values, its plan, and why it was refused.
func (r *request) renderComposer(status int, form url.Values, e *core.Error) error {
	m, err := r.loadComposer(form)
	if err != nil {
		return err
	}
	m.Redrawn = true
	if err := r.fillPlan(&m, planRequest(m, form)); err != nil {
		return err
	}
	r.applyRefusal(&m, e)
	return r.renderCompose(status, m)
}

// applyRefusal shows an error at its place in the form.
func (r *request) applyRefusal(m *posts.ComposeModel, e *core.Error) {
	switch {
	case e == nil:
	case errors.Is(e, app.ErrPostChanged): // the form shows the saved version
	case e.Code == core.CodeNotFound:
		m.Errors = map[string]string{posts.FieldAccount: "One of the accounts is no longer connected. Choose again."}
	default:
		r.retryAfter(e)
		var beside map[string]string
		if beside, m.Refused = r.fieldErrors(e, inputForPath(e.Path)); m.Errors == nil {
			m.Errors = map[string]string{}
		}
		maps.Copy(m.Errors, beside) // to what the plan has found
		if e.Code == core.CodePlanHasIssues {
			m.Refused.Hint = hints[e.Code] // the plan beside it says the rest
		}
	}
}

// planPosts returns the plan: only the plan for a script, otherwise the whole form.
func (r *request) planPosts(form url.Values) error {
	if !r.wantsFragment() {
		return r.renderComposer(http.StatusOK, form, nil)
	}
	m, err := r.loadComposer(form)
	if err != nil {
		return err
	}
	if err := r.fillPlan(&m, planRequest(m, form)); err != nil {
		return err
	}
	m.Plan.Wrong = slices.Sorted(maps.Keys(m.Errors))
	return r.render(http.StatusOK, posts.Plan(m.Plan), posts.Plan(m.Plan))
}

// createPosts handles the form. After any refusal, it shows the form again with its values.
func (r *request) createPosts(form url.Values) error {
	m, err := r.composerModel(form)
	if err != nil {
		return err
	}
	if e := errFileMissing(form, m); e != nil {
		return r.renderComposer(httpd.Status(e.Code), form, e)
	}
	if e := unchosenSetting(m); e != nil {
		return r.renderComposer(httpd.Status(e.Code), form, e)
	}
	made, e, err := r.create(form, planRequest(m, form))
	switch {
	case err != nil:
		return err
	case e != nil:
		return r.renderComposer(httpd.Status(e.Code), form, e)
	}
	r.flashCreated(made.Posts)
	if len(made.Posts) == 1 {
		return r.redirect(r.link.Post(made.Posts[0].ID))
	}
	return r.redirect(r.link.Posts(link.Filter{}))
}
