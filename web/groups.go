package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/groups"
	"belfry/views/layout"
	"belfry/views/ui"
)

func (r *request) showGroups() error { return r.renderGroups(http.StatusOK, nil) }

// renderGroups renders the page of groups. refusalOrNil is why an action failed.
func (r *request) renderGroups(status int, refusalOrNil *contract.Error) error {
	list, err := r.web.cfg.App.ListGroups(r.context(), r.caller)
	if err != nil {
		return err
	}
	accounts, err := r.loadAccountsMarkingChosen(nil)
	if err != nil {
		return err
	}
	who, err := r.loadWhoami()
	if err != nil {
		return err
	}
	frame, err := r.loadFrameAndPopFlash("Groups", layout.SectionGroups)
	if err != nil {
		return err
	}
	m := groups.ListModel{
		Frame: frame, Accounts: accounts, Included: who.Usage.Groups, UpgradeURL: r.web.cfg.UpgradeURL,
		Refused: refusalOrNil,
	}
	m.Groups = newGroupViews(list.Groups, accounts)
	return r.render(status, groups.List(m), groups.ListPart(m))
}

// newGroupViews returns groups for display, with their accounts in the order of the list of accounts.
func newGroupViews(list []contract.Group, accounts []groups.Account) (views []groups.Group) {
	for _, g := range list {
		view := groups.Group{ID: g.ID, Name: g.Name, Description: g.Description, Color: g.Color}
		for _, a := range accounts {
			if slices.Contains(g.AccountIDs, a.ID) {
				view.Accounts = append(view.Accounts, a)
			}
		}
		views = append(views, view)
	}
	return views
}

// loadAccountsMarkingChosen returns all accounts for display. The accounts with the ids are marked as chosen.
func (r *request) loadAccountsMarkingChosen(chosenIDs []string) ([]groups.Account, error) {
	list, err := r.loadAccounts()
	views := make([]groups.Account, len(list))
	for i, a := range list {
		views[i] = groups.Account{
			ID: a.ID, Name: a.DisplayName, Avatar: a.AvatarPath(), Platform: a.Platform,
			Network: r.web.cfg.Networks.DisplayName(core.Platform(a.Platform)), Chosen: slices.Contains(chosenIDs, a.ID),
		}
		if a.Username != nil {
			views[i].Username = *a.Username
		}
	}
	return views, err
}

func (r *request) showNewGroupForm() error {
	return r.renderGroupFormOrRedirectViewer(http.StatusOK, groups.FormModel{Color: groups.DefaultColor()}, nil)
}

func (r *request) showEditGroupForm() error {
	g, err := r.web.cfg.App.GetGroup(r.context(), r.caller, r.pathID())
	if err != nil {
		return err
	}
	m := groups.FormModel{
		ID: g.ID, Revision: g.Revision(), Name: g.Name, Description: g.Description, Color: g.Color,
	}
	return r.renderGroupFormOrRedirectViewer(http.StatusOK, m, g.AccountIDs)
}

// renderGroupFormOrRedirectViewer renders the form of a group with the chosen accounts, or redirects to the groups if
// the person's role does not allow changes. It sets the model's Form.
func (r *request) renderGroupFormOrRedirectViewer(
	status int, m groups.FormModel, chosenAccountIDs []string,
) (err error) {
	if !r.caller.Role().CanWrite() {
		return r.redirect(r.link.Groups())
	}
	title := "New group"
	if m.ID != "" {
		title = "Edit group"
	}
	if m.Accounts, err = r.loadAccountsMarkingChosen(chosenAccountIDs); err != nil {
		return err
	}
	m.Form = newFormID()
	if m.Frame, err = r.loadFrameAndPopFlash(title, layout.SectionGroups); err != nil {
		return err
	}
	return r.render(status, groups.Form(m), nil)
}

func (r *request) createGroup(form url.Values) error {
	m, chosenAccountIDs := readGroupForm(form)
	made, err := r.web.cfg.App.CreateGroup(r.context(), r.caller, contract.CreateGroup{
		Name: m.Name, Description: m.Description, Color: &m.Color, AccountIDs: chosenAccountIDs,
	})
	return r.renderGroupFormErrorOrRedirect(m, chosenAccountIDs, made, err)
}

func (r *request) editGroup(form url.Values) error {
	m, chosenAccountIDs := readGroupForm(form)
	m.ID = r.pathID()
	made, err := r.web.cfg.App.EditGroup(r.context(), r.caller, contract.EditGroup{
		ID: m.ID, Name: &m.Name, Description: &m.Description, Color: &m.Color, AccountIDs: &chosenAccountIDs,
		Revision: m.Revision,
	})
	if errors.Is(err, app.ErrChanged) {
		return r.showGroupConflict(m, chosenAccountIDs)
	}
	return r.renderGroupFormErrorOrRedirect(m, chosenAccountIDs, made, err)
}

// showGroupConflict shows the form of a group again, with the version that somebody else has saved since. Saving the
// form again replaces that version.
func (r *request) showGroupConflict(m groups.FormModel, chosenAccountIDs []string) error {
	g, err := r.web.cfg.App.GetGroup(r.context(), r.caller, m.ID)
	if err != nil {
		return err
	}
	accounts, err := r.loadAccountsMarkingChosen(nil)
	if err != nil {
		return err
	}
	m.Saved, m.Revision = &newGroupViews([]contract.Group{g}, accounts)[0], g.Revision()
	return r.renderGroupFormOrRedirectViewer(http.StatusConflict, m, chosenAccountIDs)
}

// readGroupForm returns the values of a group's form, and the ids of the chosen accounts.
func readGroupForm(form url.Values) (m groups.FormModel, chosenAccountIDs []string) {
	m = groups.FormModel{
		Name: form.Get(groups.FieldName), Description: form.Get(groups.FieldDescription),
		Color: form.Get(groups.FieldColor), Revision: form.Get(groups.FieldRevision),
	}
	if m.Color == "" {
		m.Color = groups.DefaultColor()
	}
	return m, append([]string{}, form[groups.FieldAccount]...)
}

// renderGroupFormErrorOrRedirect redirects to the groups with a message, or shows the form again with the error.
func (r *request) renderGroupFormErrorOrRedirect(
	m groups.FormModel, chosenAccountIDs []string, saved contract.Group, err error,
) error {
	if core.CodeOf(err) == core.CodeNotFound && core.ErrorOrInternal(err).Path != "" { // not the group itself
		m.Refused = &contract.Error{
			Message: "A selected account is no longer connected.",
			Hint:    "Check the accounts and save the group again.",
		}
		return r.renderGroupFormOrRedirectViewer(http.StatusNotFound, m, chosenAccountIDs)
	}
	if e, ok := asFormRefusal(err); ok {
		input := e.Path
		if input != groups.FieldName && input != groups.FieldDescription {
			input = ""
		}
		if e.Code == core.CodeConflict { // another group has the name
			input = groups.FieldName
		}
		m.Errors, m.Refused = r.placeError(e, input)
		return r.renderGroupFormOrRedirectViewer(httpd.Status(e.Code), m, chosenAccountIDs)
	}
	if err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "Group “"+saved.Name+"” saved, with "+ui.CountNoun(len(saved.AccountIDs), "account", "accounts")+".")
	return r.redirect(r.link.Groups())
}

// addAccountToGroup adds an account, which the person dragged, to a group.
func (r *request) addAccountToGroup(form url.Values) error {
	_, err := r.web.cfg.App.AddAccountToGroup(r.context(), r.caller, r.pathID(), form.Get(groups.FieldAccount))
	e, refused := asFormRefusal(err)
	switch {
	case refused && !r.wantsFragment():
		return r.renderGroups(httpd.Status(e.Code), r.web.errorForPeople(e))
	case err != nil:
		return err
	case r.wantsFragment():
		return r.renderGroups(http.StatusOK, nil)
	}
	return r.redirect(r.link.Groups())
}

func (r *request) redirectToGroups() error { return r.redirect(r.link.Groups()) }

func (r *request) showDeleteGroupConfirmation() error {
	g, err := r.web.cfg.App.GetGroup(r.context(), r.caller, r.pathID())
	if err != nil {
		return err
	}
	return r.renderConfirmation(layout.SectionGroups, layout.ConfirmModel{
		Title: "Delete the group “" + g.Name + "”?", Points: []string{"Its accounts and their posts do not change."},
		Action: r.link.DeleteGroup(g.ID), Button: "Delete group", Back: r.link.Groups(),
		Fields: []ui.Hidden{newFormIDField()},
	})
}

func (r *request) deleteGroup(url.Values) error {
	if err := r.web.cfg.App.DeleteGroup(r.context(), r.caller, r.pathID()); err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "Group deleted.")
	return r.redirect(r.link.Groups())
}
