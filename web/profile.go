package web

import (
	"net/http"
	"net/url"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/settings"
	"belfry/views/ui"
)

func (r *request) showProfile() error {
	who, err := r.loadWhoami()
	if err != nil {
		return err
	}
	m := settings.ProfileModel{Name: who.User.Name}
	if who.User.Email != nil {
		m.Email = *who.User.Email
	}
	if m.Mail, err = r.web.cfg.App.GetMailChoice(r.context(), r.caller); err != nil {
		return err
	}
	return r.renderProfile(http.StatusOK, m)
}

func (r *request) renderProfile(status int, m settings.ProfileModel) (err error) {
	if m.Frame, err = r.loadFrameAndPopFlash("Profile", layout.SectionSettings); err != nil {
		return err
	}
	if m.Managers, err = r.listManagersToAsk(); err != nil {
		return err
	}
	m.Role, m.Mails = r.caller.Role(), r.web.cfg.App.MailMode() != app.MailOff
	return r.render(status, settings.Profile(m), nil)
}

// listManagersToAsk returns the people to ask for what the person's own role does not allow; none for a manager.
func (r *request) listManagersToAsk() ([]contract.Member, error) {
	if r.caller.Role().CanManage() {
		return nil, nil
	}
	return r.web.cfg.App.ListManagers(r.context(), r.caller)
}

func (r *request) editProfile(form url.Values) error {
	m := settings.ProfileModel{
		Name: form.Get(settings.FieldName), Email: form.Get(settings.FieldEmail),
		Mail: core.MailChoice(form.Get(settings.FieldMail)),
	}
	err := r.web.cfg.App.EditProfile(r.context(), r.caller, contract.EditProfile{Name: m.Name, Email: m.Email})
	if err == nil && form.Has(settings.FieldMail) {
		err = r.web.cfg.App.SetMailChoice(r.context(), r.caller, string(m.Mail))
	}
	if e, ok := asFormRefusal(err); ok {
		if e.Code == core.CodeConflict { // only the email address can be taken
			e.Path = settings.FieldEmail
		}
		m.Errors, m.Refused = r.placeError(e, e.Path)
		return r.renderProfile(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "Profile saved.")
	return r.redirect(r.link.Profile())
}

func (r *request) showAppearance() error {
	frame, err := r.loadFrameAndPopFlash("Theme and shortcuts", layout.SectionSettings)
	if err != nil {
		return err
	}
	return r.render(http.StatusOK, settings.Appearance(frame), nil)
}

func (r *request) showUsage() error {
	who, err := r.loadWhoami()
	if err != nil {
		return err
	}
	m := settings.UsageModel{Usage: who.Usage, UpgradeURL: r.web.cfg.UpgradeURL}
	if m.Plan, m.Drafts, err = r.web.cfg.App.GetPlanAndDraftCount(r.context(), r.caller); err != nil {
		return err
	}
	if m.Frame, err = r.loadFrameAndPopFlash("Usage and limits", layout.SectionSettings); err != nil {
		return err
	}
	return r.render(http.StatusOK, settings.Usage(m), nil)
}

func (r *request) showAuditLog() error {
	q := link.AuditFilter{
		User: r.echo.QueryParam("user"), Action: r.echo.QueryParam("action"), Cursor: r.echo.QueryParam("cursor"),
	}
	page, err := r.web.cfg.App.ReadAuditLog(r.context(), r.caller, app.AuditQuery{
		User: q.User, Action: core.AuditAction(q.Action), Cursor: q.Cursor,
	})
	if err != nil {
		return err
	}
	members, err := r.web.cfg.App.ListMembersAndInvitations(r.context(), r.caller)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, m := range members.Members {
		names[m.ID] = m.Name
	}
	m := settings.AuditModel{Members: members.Members, Filter: q, NetworkName: r.web.cfg.Networks.DisplayName}
	for _, rows := range page.Actions {
		var entries []settings.AuditEntry
		for _, e := range rows {
			entries = append(entries, settings.AuditEntry{
				At: e.At, Actor: e.Actor, Name: e.UserName, Credential: e.Credential, Action: e.Action, Subject: e.Subject,
				SubjectName: names[e.Subject], Before: e.Before, After: e.After, Address: e.Address,
			})
		}
		m.Actions = append(m.Actions, entries)
	}
	if page.Next != "" {
		m.Older = r.link.AuditLog(link.AuditFilter{User: q.User, Action: q.Action, Cursor: page.Next})
	}
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return err
	}
	if m.Frame, err = r.loadFrameAndPopFlash("Audit log", layout.SectionSettings); err != nil {
		return err
	}
	return r.render(http.StatusOK, settings.Audit(m), nil)
}
