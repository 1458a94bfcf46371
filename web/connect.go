package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/accounts"
	"belfry/views/layout"
	"belfry/views/posts"
	"belfry/views/ui"
)

// startConnect redirects the person to a network's consent page. It is a link instead of a form, because a form must
// not lead to another site (Content-Security-Policy).
func (r *request) startConnect() error {
	if _, ok := r.web.cfg.Networks.Get(core.Platform(r.pathID())); !ok {
		return core.NotFound()
	}
	ask, err := r.web.cfg.App.StartConnect(r.context(), r.caller, contract.Connect{Platform: r.pathID()})
	return r.redirectToConsent(ask, err)
}

func (r *request) startReconnect() error {
	ask, err := r.web.cfg.App.StartReconnect(r.context(), r.caller, r.pathID())
	return r.redirectToConsent(ask, err)
}

func (r *request) redirectToConsent(ask contract.Authorize, err error) error {
	if err != nil {
		return r.renderConnectError(err)
	}
	return r.redirect(ask.AuthorizeURL)
}

// renderConnectError shows on the accounts page why connecting failed.
func (r *request) renderConnectError(err error) error {
	e, ok := asRefusal(err)
	if !ok {
		return err
	}
	r.retryAfter(e)
	return r.renderAccounts(httpd.Status(e.Code), r.web.humanize(e))
}

// finishConnect handles the callback from a network's consent page, in the workspace in which the consent began.
func (r *request) finishConnect() error {
	if _, ok := r.web.cfg.Networks.Get(core.Platform(r.pathID())); !ok {
		return core.NotFound()
	}
	begun, err := r.web.cfg.App.ConsentWorkspace(r.context(), r.caller, r.echo.QueryParam("state"))
	if err != nil {
		return err
	}
	if err := r.enterWorkspace(begun); err != nil {
		return err
	}
	done, err := r.web.cfg.App.FinishConnect(r.context(), r.caller, r.pathID(), r.echo.QueryParams())
	if e, ok := asRefusal(err); ok {
		// The query is worth nothing a second time: the page where it began says why.
		told := r.web.humanize(e)
		r.setFlash(ui.ToneDanger, strings.TrimSpace(told.Message+" "+told.Hint))
		return r.redirect(r.pageAfter(done.Reconnected))
	}
	if err != nil {
		return err
	}
	if done.Reconnected != nil {
		return r.redirectReconnected(done)
	}
	if done.Choice == "" {
		return r.redirectConnected(done)
	}
	choice, err := json.Marshal(done)
	if err != nil {
		return fmt.Errorf("store the profiles to choose from: %w", err)
	}
	r.putSession(r.choiceKey(), string(choice))
	return r.redirect(r.link.ChooseProfiles())
}

// startReconnectForPost is startReconnect for the account of a failed post, which is retried afterwards.
func (r *request) startReconnectForPost() error {
	ask, err := r.web.cfg.App.StartReconnectForPost(r.context(), r.caller, r.pathID())
	return r.redirectToConsent(ask, err)
}

// pageAfter returns the page of the post for which an account was reconnected, or the accounts.
func (r *request) pageAfter(after *app.Reconnected) string {
	if after != nil && after.Post != "" {
		return r.link.Post(after.Post)
	}
	return r.link.Accounts()
}

// redirectReconnected says what became of the post for which an account was reconnected.
func (r *request) redirectReconnected(done app.Connected) error {
	after := done.Reconnected
	f := layout.Flash{Tone: ui.ToneGood, Text: done.Accounts[0].DisplayName + " reconnected."}
	switch {
	case after.Retried:
		f.Text += " The post is queued again."
	case after.Refused != nil:
		told := r.web.humanize(after.Refused)
		f.Tone = ui.ToneWarn
		f.Text += " The post was not queued again: " + strings.TrimSpace(told.Message+" "+told.Hint)
	}
	if n := len(after.Lost); n > 0 {
		why := "because access was lost"
		one, many := "post", "posts"
		if after.Post != "" {
			why, one, many = "for the same reason", "other post", "other posts"
		}
		f.Text += fmt.Sprintf(" %s failed %s in the last 7 days.", ui.CountNoun(n, one, many), why)
		f.Action = r.retryAction(after)
	}
	r.setFullFlash(f)
	return r.redirect(r.pageAfter(after))
}

// retryAction returns the button that retries the posts that failed because access to their account was lost.
func (r *request) retryAction(after *app.Reconnected) *ui.Action {
	retry := &ui.Action{
		ID: "retry-others", URL: r.link.ChangePosts(), Label: "Retry " + ui.CountNoun(len(after.Lost), "post", "posts"),
		Fields: []ui.Hidden{
			{Name: posts.FieldAct, Value: string(core.ActRetry)}, {Name: posts.FieldBack, Value: r.pageAfter(after)},
		},
	}
	for _, id := range after.Lost {
		retry.Fields = append(retry.Fields, ui.Hidden{Name: posts.FieldPost, Value: id})
	}
	return retry
}

func (r *request) redirectConnected(done app.Connected) error {
	text := fmt.Sprintf("%d accounts connected.", len(done.Accounts))
	if len(done.Accounts) == 1 {
		text = done.Accounts[0].DisplayName + " connected."
	}
	r.setFlash(ui.ToneGood, text)
	return r.redirect(r.link.Accounts())
}

// choiceKey is the session's key of the choice that is pending in this workspace.
func (r *request) choiceKey() string { return keyChoice + r.caller.Workspace().String() }

// pendingChoice returns the workspace's pending choice of profiles in the session. It contains names, but no token.
func (r *request) pendingChoice() (app.Connected, bool) {
	var done app.Connected
	kept := r.web.sessions.manager.GetString(r.context(), r.choiceKey())
	return done, json.Unmarshal([]byte(kept), &done) == nil
}

func (r *request) showProfileChoice() error {
	done, ok := r.pendingChoice()
	if !ok {
		return r.redirect(r.link.Accounts())
	}
	var usable []string
	for _, p := range done.Profiles {
		if p.Unusable == "" {
			usable = append(usable, p.ExternalID)
		}
	}
	return r.renderProfileChoice(http.StatusOK, done, usable, nil)
}

func (r *request) renderProfileChoice(status int, done app.Connected, chosen []string, refused *contract.Error) error {
	n, ok := r.web.cfg.Networks.Get(done.Platform)
	if !ok {
		return core.NotFound()
	}
	frame, err := r.pageFrame("Choose what to connect", layout.SectionAccounts)
	if err != nil {
		return err
	}
	m := accounts.ChooseModel{
		Frame: frame, Platform: string(done.Platform), Network: n.Describe().Name, Profile: n.Describe().Profile,
		Pending: done.Choice,
		Refused: refused,
	}
	for _, p := range done.Profiles {
		m.Profiles = append(m.Profiles, accounts.Profile{
			ID: p.ExternalID, Name: p.DisplayName, Username: p.Username, Unusable: p.Unusable, Connected: p.Connected,
			Chosen: slices.Contains(chosen, p.ExternalID),
		})
	}
	return r.render(status, accounts.Choose(m), nil)
}

func (r *request) chooseProfiles(form url.Values) error {
	pending, chosen := form.Get(accounts.FieldPending), form[accounts.FieldProfile]
	connected, err := r.web.cfg.App.ChooseProfiles(r.context(), r.caller, pending, chosen)
	if e, ok := asRefusal(err); ok {
		if done, waits := r.pendingChoice(); waits && done.Choice == pending && e.Code != core.CodeConflict {
			return r.renderProfileChoice(httpd.Status(e.Code), done, chosen, r.web.humanize(e))
		}
		return r.renderConnectError(err)
	}
	if err != nil {
		return err
	}
	r.popSession(r.choiceKey())
	return r.redirectConnected(connected)
}
