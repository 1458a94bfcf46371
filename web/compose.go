package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/internal/network"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
)

// compose is the empty composer, or one with what was written before the session had ended.
func (v *visit) compose() error {
	if err := v.caller.Need(core.Write); err != nil {
		return err
	}
	if form, ok := v.carried(); ok {
		return v.showComposer(http.StatusOK, form, nil)
	}
	accounts, err := v.accountList()
	if err != nil {
		return err
	}
	zone, err := v.zone()
	if err != nil {
		return err
	}
	form := url.Values{
		posts.FieldAccount: {v.QueryParam(posts.FieldAccount)},
		posts.FieldWhen:    {posts.WhenNow}, posts.FieldAt: {v.proposedTime(nil, zone)},
	}
	if len(accounts) == 1 {
		form.Set(posts.FieldAccount, accounts[0].ID)
	}
	m, err := v.composer(form)
	if err != nil {
		return err
	}
	return v.render(http.StatusOK, posts.Compose(m), nil)
}

// composer is the form as it stands, without a plan.
func (v *visit) composer(form url.Values) (posts.ComposeModel, error) {
	var m posts.ComposeModel
	accounts, err := v.accountList()
	if err != nil {
		return m, err
	}
	zone, err := v.zone()
	if err != nil {
		return m, err
	}
	who, err := v.whoami()
	if err != nil {
		return m, err
	}
	for _, n := range v.web.cfg.Networks.List() {
		d := n.Describe()
		if slices.ContainsFunc(accounts, func(a contract.Account) bool { return a.Platform == string(d.ID) }) {
			m.Networks = append(m.Networks, networkOf(d, form, false))
		}
	}
	for _, a := range accounts {
		m.Accounts = append(m.Accounts, v.chip(a, slices.Contains(form[posts.FieldAccount], a.ID)))
	}
	m.Form, m.Zone, m.Values = newForm(), zone, valuesOf(form, m.Networks)
	m.Plan = posts.PlanModel{When: m.Values.When, Zone: zone, Now: v.web.cfg.Now()}
	m.Autosave = who.Workspace.ID + "." + who.User.ID
	m.Frame, err = v.frame("Compose", layout.SectionCompose)
	return m, err
}

// networkOf is a network as the form that stands needs it, for a post with or without files.
func networkOf(d network.Description, form url.Values, files bool) posts.Network {
	held := func(setting string) string { return form.Get(posts.SettingField(string(d.ID), setting)) }
	n := posts.Network{ID: string(d.ID), Name: d.Name, Text: d.Limits.Text, Fields: d.FieldsFor(files, held)}
	if files { // only videos have a title (Spec §2)
		n.Title = d.Limits.Title
	}
	return n
}

func (v *visit) chip(a contract.Account, chosen bool) posts.Account {
	c := posts.Account{
		ID: a.ID, Name: a.DisplayName, Platform: a.Platform, Network: v.web.cfg.Networks.Name(core.Platform(a.Platform)),
		Status: a.Status, Chosen: chosen,
	}
	if a.Username != nil {
		c.Username = *a.Username
	}
	return c
}

// showComposer draws the form with what it holds, its plan, and why it was refused.
func (v *visit) showComposer(status int, form url.Values, e *core.Error) error {
	m, err := v.composer(form)
	if err != nil {
		return err
	}
	m.Redrawn = true
	if err := v.plan(&m, requestOf(m, form[posts.FieldAccount])); err != nil {
		return err
	}
	v.explain(&m, e)
	return v.render(status, posts.Compose(m), nil)
}

// explain puts a refusal where it belongs in the form.
func (v *visit) explain(m *posts.ComposeModel, e *core.Error) {
	switch {
	case e == nil:
	case e.Code == core.CodeNotFound:
		m.Errors = map[string]string{posts.FieldAccount: "One of the accounts is not connected any more. Choose again."}
	default:
		v.retryAfter(e)
		var beside map[string]string
		if beside, m.Refused = v.beside(e, inputFor(e.Path)); m.Errors == nil {
			m.Errors = map[string]string{}
		}
		maps.Copy(m.Errors, beside) // to what the plan has found
		if e.Code == core.CodePlanHasIssues {
			m.Refused.Hint = hints[e.Code] // the plan beside it says the rest
		}
	}
}

// planPosts answers what would happen: to a script with the plan alone, else with the whole form.
func (v *visit) planPosts() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	if !v.fragment() {
		return v.showComposer(http.StatusOK, form, nil)
	}
	m, err := v.composer(form)
	if err != nil {
		return err
	}
	if err := v.plan(&m, requestOf(m, form[posts.FieldAccount])); err != nil {
		return err
	}
	return v.render(http.StatusOK, posts.Plan(m.Plan), posts.Plan(m.Plan))
}

// createPosts takes the form. Every refusal draws it again with all that stood in it.
func (v *visit) createPosts() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	m, err := v.composer(form)
	if err != nil {
		return err
	}
	made, e, err := v.create(form, requestOf(m, form[posts.FieldAccount]))
	switch {
	case err != nil:
		return err
	case e != nil:
		return v.showComposer(httpd.Status(e.Code), form, e)
	}
	v.sayCreated(made.Posts)
	if len(made.Posts) == 1 {
		return v.redirect(link.Post(made.Posts[0].ID))
	}
	return v.redirect(link.Posts(link.Filter{}))
}
