package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"

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

// draft is a post whose content may be changed, and its network.
func (v *visit) draft() (app.PostCard, network.Description, error) {
	card, err := v.web.cfg.App.PostCard(v.ctx(), v.caller, v.id())
	if err != nil {
		return card, network.Description{}, err
	}
	n, ok := v.web.cfg.Networks.Get(core.Platform(card.Platform))
	if !ok {
		return card, network.Description{}, core.NotFound()
	}
	return card, n.Describe(), nil
}

func (v *visit) editForm() error {
	if err := v.caller.Need(core.Write); err != nil {
		return err
	}
	card, about, err := v.draft()
	if err != nil {
		return err
	}
	if card.Status != string(core.PostDraft) {
		return v.redirect(link.Post(v.id())) // it has gone out, or will: the page says which
	}
	if form, ok := v.carried(); ok {
		return v.showEditor(http.StatusOK, form, nil)
	}
	zone, err := core.ParseZone(card.TZ)
	if err != nil {
		return err
	}
	m, err := v.editor(card, about, v.formOf(card, about, zone))
	if err != nil {
		return err
	}
	if err := v.plan(&m, requestOf(m, []string{m.Accounts[0].ID})); err != nil {
		return err
	}
	return v.render(http.StatusOK, posts.Compose(m), nil)
}

// formOf fills the form with a draft.
func (v *visit) formOf(card app.PostCard, about network.Description, zone core.Zone) url.Values {
	form := url.Values{
		posts.FieldText: {card.Text}, posts.FieldWhen: {posts.WhenDraft}, posts.FieldAt: {v.proposedTime(card.PublishAt, zone)},
	}
	if card.Title != nil {
		form.Set(posts.FieldTitle, *card.Title)
	}
	if card.PublishAt != nil {
		form.Set(posts.FieldWhen, posts.WhenAt)
	}
	for name, text := range settingTexts(about.Fields, card.Settings) {
		form.Set(posts.SettingField(string(about.ID), name), text)
	}
	return form
}

// editor is the composer for one draft.
func (v *visit) editor(card app.PostCard, about network.Description, form url.Values) (posts.ComposeModel, error) {
	m, err := v.composer(form)
	if err != nil {
		return m, err
	}
	if m.Zone, err = core.ParseZone(card.TZ); err != nil {
		return m, err
	}
	m.Plan.Zone = m.Zone
	m.PostID, m.MediaIDs = card.ID, card.MediaIDs
	m.Networks = []posts.Network{networkOf(about, form, len(card.MediaIDs) > 0)}
	m.Accounts = []posts.Account{{
		ID: card.AccountID, Name: card.AccountName, Platform: card.Platform, Network: about.Name, Status: v.statusOf(card.AccountID), Chosen: true,
	}}
	if m.Files, err = v.filesOf(card.MediaIDs); err != nil {
		return m, err
	}
	m.Values = valuesOf(form, m.Networks)
	m.Values.Overrides = nil
	m.Plan.When, m.Plan.Editing = m.Values.When, true
	m.Autosave += "." + card.ID
	m.Frame.Title, m.Frame.Section = "Edit draft", layout.SectionPosts
	return m, nil
}

// statusOf is an account's state; one that is not in the list was disconnected.
func (v *visit) statusOf(account string) string {
	for _, a := range v.listed {
		if a.ID == account {
			return a.Status
		}
	}
	return string(core.AccountRevoked)
}

func (v *visit) showEditor(status int, form url.Values, e *core.Error) error {
	card, about, err := v.draft()
	if err != nil {
		return err
	}
	m, err := v.editor(card, about, form)
	if err != nil {
		return err
	}
	m.Redrawn = true
	if err := v.plan(&m, requestOf(m, []string{m.Accounts[0].ID})); err != nil {
		return err
	}
	v.explain(&m, e)
	return v.render(status, posts.Compose(m), nil)
}

func (v *visit) planEdit() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	if !v.fragment() {
		return v.showEditor(http.StatusOK, form, nil)
	}
	card, about, err := v.draft()
	if err != nil {
		return err
	}
	m, err := v.editor(card, about, form)
	if err != nil {
		return err
	}
	if err := v.plan(&m, requestOf(m, []string{m.Accounts[0].ID})); err != nil {
		return err
	}
	return v.render(http.StatusOK, posts.Plan(m.Plan), posts.Plan(m.Plan))
}

// edit saves the draft, and queues it when the form says a time.
func (v *visit) edit() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	card, about, err := v.draft()
	if err != nil {
		return err
	}
	m, err := v.editor(card, about, form)
	if err != nil {
		return err
	}
	_, err = v.web.cfg.App.EditPost(v.ctx(), v.caller, v.id(), changesOf(m))
	if e, ok := refused(err); ok {
		return v.showEditor(httpd.Status(e.Code), form, e)
	}
	if err != nil {
		return err
	}
	v.say(ui.ToneGood, savedWords[m.Values.When])
	return v.redirect(link.Post(v.id()))
}

var savedWords = map[string]string{
	posts.WhenNow: handedOver, posts.WhenAt: "The post is scheduled.", posts.WhenDraft: "The draft is saved.",
}

// changesOf says in the interface's words what the form changes. Saving as a draft leaves the time alone.
func changesOf(m posts.ComposeModel) contract.EditPost {
	plan := requestOf(m, []string{m.Accounts[0].ID})
	blocks := map[string]json.RawMessage{m.Networks[0].ID: json.RawMessage("{}")}
	maps.Copy(blocks, plan.PerPlatform)
	in := contract.EditPost{Text: &plan.Text, Settings: &blocks}
	if m.Networks[0].Title != nil {
		in.Title = contract.Some(plan.Title)
	}
	if m.Values.When != posts.WhenDraft {
		in.When, in.Status = plan.When, string(core.PostQueued)
	}
	return in
}
