package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/settings"
	"belfry/views/ui"
)

// redirectToSettings redirects to the first settings page that the person may open.
func (r *request) redirectToSettings() error {
	if r.caller.Role().CanManage() {
		return r.redirect(r.link.WorkspaceSettings())
	}
	return r.redirect(r.link.Profile())
}

func (r *request) showKeys() error { return r.renderKeys(http.StatusOK, settings.KeysModel{}) }

func (r *request) renderKeys(status int, m settings.KeysModel) error {
	list, err := r.web.cfg.App.ListKeys(r.context(), r.caller)
	if err != nil {
		return err
	}
	who, err := r.loadWhoami()
	if err != nil {
		return err
	}
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return err
	}
	if m.Frame, err = r.loadFrameAndPopFlash("API keys", layout.SectionSettings); err != nil {
		return err
	}
	m.Form, m.Keys, m.API, m.UpgradeURL = newFormID(), list.Keys, who.Usage.API, r.web.cfg.UpgradeURL
	m.Slug = who.Workspace.Slug
	m.Address = r.web.cfg.PublicURL.JoinPath("v1").String()
	if m.CanCreatePosts() {
		if m.Sample, m.SampleAccount, err = r.findSampleDraftRequest(); err != nil { // must not hide the new key
			r.web.cfg.Log.WarnContext(r.context(), "cannot plan a draft for trying out a new key", "error", err)
		}
	}
	return r.render(status, settings.Keys(m), nil)
}

// createKey creates an API key. Only this response shows it, because only a hash of it is stored. Submitting the form
// again, for example by reloading, does not create a second key.
func (r *request) createKey(form url.Values) error {
	m := settings.KeysModel{Name: form.Get(settings.FieldName), Scope: form.Get(settings.FieldScope)}
	var made contract.Key
	repeated, err := r.actUnlessRepeated(form, func(ctx context.Context) (err error) {
		made, err = r.web.cfg.App.CreateKey(ctx, r.caller, contract.CreateKey{Name: m.Name, Scope: m.Scope})
		return err
	})
	if e, ok := asFormRefusal(err); ok {
		m.Errors, m.Refused = r.placeError(e, e.Path)
		return r.renderKeys(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if repeated {
		r.setFlash(ui.ToneInfo,
			"This key has already been created and was shown only once. If you did not copy it, revoke it and create another one.")
		return r.redirect(r.link.Keys())
	}
	r.showsSecret = true
	return r.renderKeys(http.StatusCreated, settings.KeysModel{New: &made})
}

// findSampleDraftRequest returns a request in JSON that creates a draft, and the name of the account that it is for:
// the oldest one whose network accepts a post without files. Both are "" if there is none.
func (r *request) findSampleDraftRequest() (jsonOrEmpty, accountName string, err error) {
	list, err := r.web.cfg.App.ListAccounts(r.context(), r.caller)
	if err != nil || len(list.Accounts) == 0 {
		return "", "", err
	}
	posts := contract.PlanPosts{Text: "A draft from the API", When: &contract.When{Word: "draft"}}
	for _, account := range list.Accounts {
		posts.Targets.AccountIDs = append(posts.Targets.AccountIDs, account.ID)
	}
	plan, err := r.web.cfg.App.PlanPosts(r.context(), r.caller, posts)
	if err != nil {
		return "", "", err
	}
	for i, row := range plan.Rows {
		if row.OK {
			posts.Targets.AccountIDs = []string{row.AccountID}
			body, err := json.Marshal(contract.CreatePosts{PlanPosts: posts, Confirm: true})
			return string(body), r.accountAndNetworkName(list.Accounts[i]), err
		}
	}
	return "", "", nil
}

func (r *request) showRevokeKeyConfirmation() error {
	list, err := r.web.cfg.App.ListKeys(r.context(), r.caller)
	if err != nil {
		return err
	}
	for _, k := range list.Keys {
		if k.ID == r.pathID() {
			return r.renderConfirmation(layout.SectionSettings, layout.ConfirmModel{
				Title:  "Revoke the key “" + k.Name + "”?",
				Points: []string{"Programs that use this key stop working immediately.", "This cannot be undone."},
				Action: r.link.RevokeKey(k.ID), Button: "Revoke key", Back: r.link.Keys(),
				Fields: []ui.Hidden{newFormIDField()},
			})
		}
	}
	return core.NotFound()
}

func (r *request) revokeKey(url.Values) error {
	if err := r.web.cfg.App.RevokeKey(r.context(), r.caller, r.pathID()); err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "Key revoked.")
	return r.redirect(r.link.Keys())
}
