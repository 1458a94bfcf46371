package web

import (
	"fmt"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
)

// whoami reads who is here and where, once per visit.
func (v *visit) whoami() (contract.Whoami, error) {
	if v.who == nil {
		who, err := v.web.cfg.App.Whoami(v.ctx(), v.caller)
		if err != nil {
			return who, err
		}
		v.who = &who
	}
	return *v.who, nil
}

// accountList reads the connected accounts, once per visit.
func (v *visit) accountList() ([]contract.Account, error) {
	if v.listed == nil {
		found, err := v.web.cfg.App.ListAccounts(v.ctx(), v.caller)
		if err != nil {
			return nil, err
		}
		v.listed = found.Accounts
	}
	return v.listed, nil
}

func (v *visit) zone() (core.Zone, error) {
	who, err := v.whoami()
	if err != nil {
		return core.Zone{}, err
	}
	return core.ParseZone(who.Workspace.TZ)
}

// frame is what surrounds a page. A part of a page needs the person's rights only.
func (v *visit) frame(title string, section layout.Section) (layout.Frame, error) {
	role := v.caller.Role()
	f := layout.Frame{Title: title, Section: section, Writes: role.Writes(), Manages: role.Manages(), Sandbox: v.web.sandboxed(), SandboxURL: v.web.sandboxURL()}
	if v.fragment() {
		return f, nil
	}
	who, err := v.whoami()
	if err != nil {
		return f, err
	}
	f.Workspace, f.Person.Name, f.Version = who.Workspace.Name, who.User.Name, v.web.cfg.Version
	if f.Others, err = v.others(); err != nil {
		return f, err
	}
	if who.User.Email != nil {
		f.Person.Email = *who.User.Email
	}
	if f.Notices, err = v.notices(section); err != nil {
		return f, err
	}
	f.Flash = v.flash()
	return f, nil
}

// others are the person's workspaces but for this one.
func (v *visit) others() ([]layout.Workspace, error) {
	all, err := v.web.cfg.App.Workspaces(v.ctx(), v.caller)
	var list []layout.Workspace
	for _, w := range all {
		if w.ID != v.caller.Workspace() {
			list = append(list, layout.Workspace{ID: w.ID.String(), Slug: w.Slug, Name: w.Name})
		}
	}
	return list, err
}

// door is what surrounds a page of somebody who is not signed in.
func (v *visit) door(title string) layout.Frame {
	return layout.Frame{Title: title, Sandbox: v.web.sandboxed(), SandboxURL: v.web.sandboxURL()}
}

// notices are what needs a person, but for what the page at hand shows anyway.
func (v *visit) notices(section layout.Section) ([]layout.Notice, error) {
	var list []layout.Notice
	accounts, err := v.accountList()
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		if a.Status == string(core.AccountOK) || section == layout.SectionAccounts {
			continue
		}
		name := v.web.cfg.Networks.Name(core.Platform(a.Platform))
		list = append(list, layout.Notice{
			Text: name + ", " + a.DisplayName + ": " + reconnectWords[a.Status], Action: "Reconnect", URL: link.Accounts,
		})
	}
	counts, err := v.web.cfg.App.CountPosts(v.ctx(), v.caller)
	if err != nil {
		return nil, err
	}
	if n := counts[core.PostFailed]; n > 0 && section != layout.SectionPosts {
		list = append(list, layout.Notice{Text: failedWords(n), Action: "Look", URL: link.Posts(link.Filter{Status: string(core.PostFailed)})})
	}
	return list, nil
}

var reconnectWords = map[string]string{
	string(core.AccountExpired): "the connection has expired.", string(core.AccountRevoked): "the connection was withdrawn.",
}

func failedWords(n int) string {
	if n == 1 {
		return "One post has failed."
	}
	return fmt.Sprintf("%d posts have failed.", n)
}

func (w *Web) sandboxed() bool { return w.cfg.SandboxPath != "" }

// sandboxURL is where the simulated networks can be looked at and made to misbehave.
func (w *Web) sandboxURL() string {
	if !w.sandboxed() {
		return ""
	}
	return w.cfg.SandboxPath + "/_/"
}
