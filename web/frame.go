package web

import (
	"slices"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
	"belfry/views/ui"
)

// loadWhoami returns the caller and their workspace. It loads them once per request.
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

// loadAccounts returns the connected accounts in the order of their networks, and those of a network oldest first. It
// loads them once per request.
func (r *request) loadAccounts() ([]contract.Account, error) {
	if r.accounts == nil {
		found, err := r.web.cfg.App.ListAccounts(r.context(), r.caller)
		if err != nil {
			return nil, err
		}
		r.accounts = found.Accounts
		slices.SortStableFunc(r.accounts, func(a, b contract.Account) int {
			return r.web.cfg.Networks.CompareOrder(core.Platform(a.Platform), core.Platform(b.Platform))
		})
	}
	return r.accounts, nil
}

func (r *request) loadWorkspaceZone() (core.Zone, error) {
	who, err := r.loadWhoami()
	if err != nil {
		return core.Zone{}, err
	}
	return core.ParseZone(who.Workspace.TZ)
}

// loadFrameAndPopFlash loads the frame of a page, and removes the flash from the session to show it. The frame of a
// part of a page has only the person's rights and links.
func (r *request) loadFrameAndPopFlash(title string, section layout.Section) (layout.Frame, error) {
	role := r.caller.Role()
	f := layout.Frame{
		Title: title, Section: section, Writes: role.CanWrite(), Manages: role.CanManage(),
		Link: r.link, NoShortcuts: !r.preferences.Shortcuts, Sandbox: r.web.isInSandbox(),
		SandboxURL: r.web.sandboxControlURL(),
	}
	if r.wantsFragment() {
		return f, nil
	}
	who, err := r.loadWhoami()
	if err != nil {
		return f, err
	}
	f.Workspace, f.Person.Name = who.Workspace.Name, who.User.Name
	if f.Others, err = r.loadOtherWorkspaces(); err != nil {
		return f, err
	}
	if who.User.Email != nil {
		f.Person.Email = *who.User.Email
	}
	if f.Flash, err = r.popUpdatedFlashOrNil(); err != nil {
		return f, err
	}
	err = r.loadAttentionAndNotices(&f)
	return f, err
}

// loadFirstStepsOrNil returns the progress of a new workspace. It returns nil if everything is done, the person has
// hidden the steps, or their role does not allow them.
func (r *request) loadFirstStepsOrNil() (*core.FirstSteps, error) {
	if !r.preferences.FirstSteps || !r.caller.Role().CanWrite() {
		return nil, nil
	}
	steps, err := r.web.cfg.App.GetFirstSteps(r.context(), r.caller)
	if err != nil || steps.AllDone() {
		return nil, err
	}
	return &steps, nil
}

// loadOtherWorkspaces returns the person's workspaces except the present one.
func (r *request) loadOtherWorkspaces() ([]layout.Workspace, error) {
	all, err := r.web.cfg.App.ListJoinedWorkspaces(r.context(), r.caller)
	var list []layout.Workspace
	for _, w := range all {
		if w.ID != r.caller.Workspace() {
			list = append(list, layout.Workspace{Slug: w.Slug, Name: w.Name})
		}
	}
	return list, err
}

// newSignedOutFrame returns the frame of a page for a person who is not signed in.
func (r *request) newSignedOutFrame(title string) layout.Frame {
	return layout.Frame{Title: title, Sandbox: r.web.isInSandbox(), SandboxURL: r.web.sandboxControlURL()}
}

// loadAttentionAndNotices adds what requires a person's attention to the navigation, and to the notices unless the
// current page shows it anyway.
func (r *request) loadAttentionAndNotices(f *layout.Frame) error {
	f.Attention = map[layout.Section]layout.Attention{}
	accounts, err := r.loadAccounts()
	if err != nil {
		return err
	}
	lost := slices.DeleteFunc(slices.Clone(accounts), func(a contract.Account) bool {
		return a.Status == string(core.AccountOK)
	})
	f.Attention[layout.SectionAccounts] = layout.Attention{Count: len(lost), Words: "to reconnect"}
	if f.Section != layout.SectionAccounts {
		for _, a := range lost {
			f.Notices = append(f.Notices, r.newReconnectNotice(a))
		}
	}
	hold, _, err := r.web.cfg.App.FindPublishingHold(r.context(), r.caller)
	if err != nil {
		return err
	}
	if hold != "" {
		f.Notices = append(f.Notices, layout.Notice{
			Text:   "Publishing is on hold because " + hold + ".",
			Action: "View posts", URL: r.link.PublishingHold(),
		})
	}
	counts, err := r.web.cfg.App.CountPostsByStatusCapped(r.context(), r.caller)
	failed := counts[core.PostFailed]
	failedURL := r.link.Posts(link.Filter{Status: string(core.PostFailed)})
	f.Attention[layout.SectionPosts] = layout.Attention{Count: failed, Words: "to check", URL: failedURL}
	// The words do not say that the posts failed, because some may be live.
	// The tabs of that section show the number, and so does a message that offers to retry all of the posts.
	if failed > 0 && f.Section != layout.SectionPosts && countPostsToRetry(f.Flash) < failed {
		text := "1 post needs your attention."
		if failed > 1 {
			text = ui.FormatCappedCount(failed) + " posts need your attention."
		}
		f.Notices = append(f.Notices, layout.Notice{
			Text: text, Action: "View", Label: "View failed posts", URL: failedURL,
		})
	}
	return err
}

// countPostsToRetry returns the number of failed posts that the button of a message retries.
func countPostsToRetry(flashOrNil *layout.Flash) (n int) {
	if flashOrNil == nil || flashOrNil.Action == nil || flashOrNil.Action.ID != retryOthersID {
		return 0
	}
	for _, field := range flashOrNil.Action.Fields {
		if field.Name == posts.FieldPost {
			n++
		}
	}
	return n
}

// newReconnectNotice says that an account must be reconnected, with a link to do so if the person's role allows it.
func (r *request) newReconnectNotice(a contract.Account) layout.Notice {
	subject := r.accountAndNetworkName(a)
	n := layout.Notice{
		Text: subject + ": " + disconnectedReasons[a.Status], Action: "View", Label: "View accounts", URL: r.link.Accounts(),
	}
	if r.web.isNetworkSetUp(a.Platform) && r.caller.Role().CanManage() {
		n.Action, n.Label, n.URL = "Reconnect", "Reconnect "+subject, r.link.Reconnect(a.ID)
	}
	return n
}

// isNetworkSetUp reports whether this server has the network's credentials.
func (w *Web) isNetworkSetUp(platform string) bool {
	connector, ok := w.cfg.Networks.FindConnector(core.Platform(platform))
	return ok && connector.IsConfigured()
}

var disconnectedReasons = map[string]string{
	string(core.AccountExpired): "access has expired.", string(core.AccountRevoked): "access was revoked.",
}

func (w *Web) isInSandbox() bool { return w.cfg.SandboxPath != "" }

// sandboxControlURL returns the address of the simulated networks' control page.
func (w *Web) sandboxControlURL() (urlOrEmpty string) {
	if !w.isInSandbox() {
		return ""
	}
	return w.cfg.SandboxPath + "/_/"
}
