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

// startConnect redirects the person to a network's consent page. It handles a GET, because a form must not lead to
// another site (Content-Security-Policy).
func (r *request) startConnect() error {
	if _, ok := r.web.cfg.Networks.FindConnector(core.Platform(r.pathID())); !ok {
		return core.NotFound()
	}
	ask, err := r.web.cfg.App.StartConnect(r.context(), r.caller, contract.Connect{Platform: r.pathID()})
	return r.redirectToConsentOrShowRefusal(ask, err)
}

func (r *request) startReconnect() error {
	ask, err := r.web.cfg.App.StartReconnect(r.context(), r.caller, r.pathID())
	return r.redirectToConsentOrShowRefusal(ask, err)
}

// redirectToConsentOrShowRefusal redirects to the network's consent page, or shows why the connection could not be
// started.
func (r *request) redirectToConsentOrShowRefusal(ask contract.Authorize, err error) error {
	if err != nil {
		return r.showOnAccountsPageIfRefusal(err)
	}
	return r.redirect(ask.AuthorizeURL)
}

// showOnAccountsPageIfRefusal shows the accounts page with the reason why connecting or disconnecting was refused. It
// returns any other error, which the page cannot show.
func (r *request) showOnAccountsPageIfRefusal(err error) error {
	e, ok := asFormRefusal(err)
	if !ok {
		return err
	}
	r.setRetryAfterHeader(e)
	return r.renderAccounts(httpd.Status(e.Code), r.web.errorForPeople(e))
}

// finishConnectOrReconnect handles the callback from a network's consent page, in the workspace in which the person
// started to connect. If the consent covers several profiles, it redirects to the page for choosing among them.
func (r *request) finishConnectOrReconnect() error {
	if _, ok := r.web.cfg.Networks.FindConnector(core.Platform(r.pathID())); !ok {
		return core.NotFound()
	}
	begun, err := r.web.cfg.App.FindConsentWorkspaceSlug(r.context(), r.caller, r.echo.QueryParam("state"))
	if err != nil {
		return err
	}
	if err := r.enterWorkspaceOrLast(begun); err != nil {
		return err
	}
	done, err := r.web.cfg.App.FinishConnectOrReconnect(r.context(), r.caller, r.pathID(), r.echo.QueryParams())
	if e, ok := asFormRefusal(err); ok {
		// Reloading this address would not help, so the error is shown on the page where the person started.
		told := r.web.errorForPeople(e)
		f := layout.Flash{Tone: ui.ToneDanger, Text: strings.TrimSpace(told.Message + " " + told.Hint)}
		if done.Reconnected != nil {
			f.URL, f.Label = r.reconnectURL(done.Reconnected), "Reconnect"
		}
		r.setFlashWithDetails(f)
		return r.redirect(r.reconnectReturnURL(done.Reconnected))
	}
	if err != nil {
		return err
	}
	if done.Reconnected != nil {
		return r.flashAndRedirectAfterReconnect(done)
	}
	if done.Choice == "" {
		return r.flashAndRedirectAfterConnect(done)
	}
	choice, err := json.Marshal(done)
	if err != nil {
		return fmt.Errorf("encode the profiles to choose from: %w", err)
	}
	r.putSessionValue(r.profileChoiceSessionKey(), string(choice))
	return r.redirect(r.link.ChooseProfilesToConnect())
}

// startReconnectForPost is startReconnect for the account of a failed post. The post is retried afterwards.
func (r *request) startReconnectForPost() error {
	ask, err := r.web.cfg.App.StartReconnectToRetryPost(r.context(), r.caller, r.pathID())
	return r.redirectToConsentOrShowRefusal(ask, err)
}

// reconnectReturnURL returns the page of the post for which an account was reconnected or, without such a post, the
// accounts page.
func (r *request) reconnectReturnURL(reconnectedOrNil *app.Reconnected) string {
	if reconnectedOrNil != nil && reconnectedOrNil.Post != "" {
		return r.link.Post(reconnectedOrNil.Post)
	}
	return r.link.Accounts()
}

// reconnectURL returns the address at which the reconnection starts again.
func (r *request) reconnectURL(after *app.Reconnected) string {
	if after.Post != "" {
		return r.link.ReconnectForPost(after.Post)
	}
	return r.link.Reconnect(after.Account)
}

// flashAndRedirectAfterReconnect redirects to reconnectReturnURL, with a message about the account, the post that was
// retried, and other posts that failed.
func (r *request) flashAndRedirectAfterReconnect(done app.Connected) error {
	after := done.Reconnected
	f := layout.Flash{Tone: ui.ToneGood, Text: r.accountAndNetworkName(done.Accounts[0]) + " reconnected."}
	switch {
	case after.Retried:
		f.Text += " The post was queued again."
	case after.Refused != nil:
		told := r.web.errorForPeople(after.Refused)
		f.Tone = ui.ToneWarn
		f.Text += " The post was not queued again: " + strings.TrimSpace(told.Message+" "+told.Hint)
	}
	if n := len(after.Lost); n > 0 {
		one, many := "post", "posts"
		if after.Post != "" {
			one, many = "other post", "other posts"
		}
		f.Text += fmt.Sprintf(" In the last 7 days, %s failed because Belfry had lost access to the account.",
			ui.CountNoun(n, one, many))
		f.Tone = ui.ToneWarn
		f.Action = r.newRetryLostPostsAction(after) // which an update would remove
	} else if after.Retried {
		f = r.withOutcomeUpdates(f, []string{after.Post})
	}
	r.setFlashWithDetails(f)
	return r.redirect(r.reconnectReturnURL(after))
}

// accountAndNetworkName names an account and its network.
func (r *request) accountAndNetworkName(a contract.Account) string {
	return a.DisplayName + " on " + r.web.cfg.Networks.DisplayName(core.Platform(a.Platform))
}

const retryOthersID = "retry-others"

// newRetryLostPostsAction returns the button that retries the posts that failed because access to the account was lost.
func (r *request) newRetryLostPostsAction(after *app.Reconnected) *ui.Action {
	retry := &ui.Action{
		ID: retryOthersID, URL: r.link.ChangeSelectedPosts(),
		Label: "Retry " + ui.CountNoun(len(after.Lost), "post", "posts"),
		Fields: []ui.Hidden{
			newFormIDField(),
			{Name: posts.FieldAct, Value: string(core.ActRetry)},
			{Name: posts.FieldBack, Value: r.reconnectReturnURL(after)},
		},
	}
	for _, id := range after.Lost {
		retry.Fields = append(retry.Fields, ui.Hidden{Name: posts.FieldPost, Value: id})
	}
	return retry
}

// flashAndRedirectAfterConnect redirects to the accounts page with a message about the new accounts and a link to the
// composer.
func (r *request) flashAndRedirectAfterConnect(done app.Connected) error {
	what := ui.CountNoun(len(done.Accounts), "account", "accounts")
	f := layout.Flash{Tone: ui.ToneGood, URL: r.link.Compose(), Label: "Write a post"}
	if len(done.Accounts) == 1 {
		what, f.URL = r.accountAndNetworkName(done.Accounts[0]), r.link.ComposeFor(done.Accounts[0].ID)
	}
	switch renewed := len(done.Accounts) - done.NewAccounts; renewed {
	case 0:
		f.Text = what + " connected."
	case len(done.Accounts):
		f.Text = what + " reconnected."
	default:
		f.Text = fmt.Sprintf("%s connected, %d reconnected.",
			ui.CountNoun(done.NewAccounts, "account", "accounts"), renewed)
	}
	for _, p := range done.Unusable {
		verb := "connected"
		if p.Connected {
			verb = "reconnected"
		}
		f.Tone = ui.ToneWarn
		f.Points = append(f.Points, p.DisplayName+" was not "+verb+". "+p.Unusable)
	}
	r.setFlashWithDetails(f)
	return r.redirect(r.link.Accounts())
}

// profileChoiceSessionKey returns the session's key for the profiles to choose from in this workspace.
func (r *request) profileChoiceSessionKey() string { return keyChoice + r.caller.Workspace().String() }

// findPendingProfileChoice returns the profiles to choose from, which finishConnectOrReconnect stored in the session
// without tokens.
func (r *request) findPendingProfileChoice() (pending app.Connected, ok bool) {
	kept := r.web.sessions.manager.GetString(r.context(), r.profileChoiceSessionKey())
	return pending, json.Unmarshal([]byte(kept), &pending) == nil
}

func (r *request) showProfileChoice() error {
	done, ok := r.findPendingProfileChoice()
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

// renderProfileChoice renders the page for choosing among a consent's profiles. refusalOrNil is why an action failed.
func (r *request) renderProfileChoice(
	status int, pending app.Connected, chosenExternalIDs []string, refusalOrNil *contract.Error,
) error {
	n, ok := r.web.cfg.Networks.FindConnector(pending.Platform)
	if !ok {
		return core.NotFound()
	}
	frame, err := r.loadFrameAndPopFlash("Choose what to connect", layout.SectionAccounts)
	if err != nil {
		return err
	}
	m := accounts.ChooseModel{
		Frame: frame, Platform: string(pending.Platform), Network: n.Describe().Name, Profile: n.Describe().Profile,
		Pending: pending.Choice,
		Refused: refusalOrNil,
	}
	for _, p := range pending.Profiles {
		m.Profiles = append(m.Profiles, accounts.Profile{
			ID: p.ExternalID, Name: p.DisplayName, Username: p.Username, Unusable: p.Unusable, Connected: p.Connected,
			Chosen: slices.Contains(chosenExternalIDs, p.ExternalID),
		})
	}
	return r.render(status, accounts.Choose(m), nil)
}

func (r *request) connectChosenProfiles(form url.Values) error {
	pending, chosen := form.Get(accounts.FieldPending), form[accounts.FieldProfile]
	connected, err := r.web.cfg.App.ConnectChosenProfiles(r.context(), r.caller, pending, chosen)
	if e, ok := asFormRefusal(err); ok {
		if done, waits := r.findPendingProfileChoice(); waits && done.Choice == pending && e.Code != core.CodeConflict {
			return r.renderProfileChoice(httpd.Status(e.Code), done, chosen, r.web.errorForPeople(e))
		}
		return r.showOnAccountsPageIfRefusal(err)
	}
	if err != nil {
		return err
	}
	r.popSessionValue(r.profileChoiceSessionKey())
	return r.flashAndRedirectAfterConnect(connected)
}
