package web

import (
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

// loadWhoami returns the caller and their workspace, and reads them once per request.
func (r *request) loadWhoami() (contract.Whoami, error) {
	if r.whoami == nil {
		who, err := r.web.cfg.App.Whoami(r.context(), r.caller)
		if err != nil {
			return who, err
		}
		r.whoami = &who
	}
	return *r.whoami, nil
}

// loadAccounts returns the connected accounts, and reads them once per request.
func (r *request) loadAccounts() ([]contract.Account, error) {
	if r.accounts == nil {
		found, err := r.web.cfg.App.ListAccounts(r.context(), r.caller)
		if err != nil {
			return nil, err
		}
		r.accounts = found.Accounts
	}
	return r.accounts, nil
}

func (r *request) workspaceZone() (core.Zone, error) {
	who, err := r.loadWhoami()
	if err != nil {
		return core.Zone{}, err
	}
	return core.ParseZone(who.Workspace.TZ)
}

// pageFrame returns the frame of a page. A part of a page needs only the person's rights.
func (r *request) pageFrame(title string, section layout.Section) (layout.Frame, error) {
	role := r.caller.Role()
	f := layout.Frame{
		Title: title, Section: section, Writes: role.Writes(), Manages: role.Manages(),
		Link: r.link, Sandbox: r.web.inSandbox(), SandboxURL: r.web.sandboxURL(),
	}
	if r.wantsFragment() {
		return f, nil
	}
	who, err := r.loadWhoami()
	if err != nil {
		return f, err
	}
	f.Workspace, f.Person.Name, f.Version = who.Workspace.Name, who.User.Name, r.web.cfg.Version
	if f.Others, err = r.otherWorkspaces(); err != nil {
		return f, err
	}
	if who.User.Email != nil {
		f.Person.Email = *who.User.Email
	}
	if f.Notices, err = r.loadNotices(section); err != nil {
		return f, err
	}
	f.Flash = r.popFlash()
	return f, nil
}

// otherWorkspaces returns the person's workspaces except this one.
func (r *request) otherWorkspaces() ([]layout.Workspace, error) {
	all, err := r.web.cfg.App.Workspaces(r.context(), r.caller)
	var list []layout.Workspace
	for _, w := range all {
		if w.ID != r.caller.Workspace() {
			list = append(list, layout.Workspace{Slug: w.Slug, Name: w.Name})
		}
	}
	return list, err
}

// signedOutFrame returns the frame of a page for a person who is not signed in.
func (r *request) signedOutFrame(title string) layout.Frame {
	return layout.Frame{Title: title, Sandbox: r.web.inSandbox(), SandboxURL: r.web.sandboxURL()}
}

// loadNotices returns the problems that require a person's attention, except those that the present page shows
// anyway.
func (r *request) loadNotices(section layout.Section) ([]layout.Notice, error) {
	var list []layout.Notice
	accounts, err := r.loadAccounts()
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		if a.Status == string(core.AccountOK) || section == layout.SectionAccounts {
			continue
		}
		name := r.web.cfg.Networks.Name(core.Platform(a.Platform))
		list = append(list, layout.Notice{
			Text: a.DisplayName + " on " + name + ": " + disconnectedReasons[a.Status], Action: "Reconnect", URL: r.link.Accounts(),
		})
	}
	hold, _, err := r.web.cfg.App.PublishingHold(r.context(), r.caller)
	if err != nil {
		return nil, err
	}
	if hold != "" {
		list = append(list, layout.Notice{
			Text:   "Publishing is on hold because " + hold + ".",
			Action: "View posts", URL: r.link.OnHold(),
		})
	}
	if section == layout.SectionPosts { // where the tabs say so
		return list, nil
	}
	counts, err := r.web.cfg.App.CountPosts(r.context(), r.caller)
	if n := counts[core.PostFailed]; n > 0 {
		text := "1 post failed."
		if n > 1 {
			text = ui.Counted(n) + " posts failed."
		}
		list = append(list, layout.Notice{
			Text: text, Action: "View", URL: r.link.Posts(link.Filter{Status: string(core.PostFailed)}),
		})
	}
	return list, err
}

var disconnectedReasons = map[string]string{
	string(core.AccountExpired): "access has expired.", string(core.AccountRevoked): "access was revoked.",
}

func (w *Web) inSandbox() bool { return w.cfg.SandboxPath != "" }

// sandboxURL returns the address of the simulated networks' control page.
func (w *Web) sandboxURL() string {
	if !w.inSandbox() {
		return ""
	}
	return w.cfg.SandboxPath + "/_/"
}
