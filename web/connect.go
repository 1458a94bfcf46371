package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/accounts"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

// connect sends the person to a network's consent page. It is a link and no form, because a form may not
// lead to another site (Content-Security-Policy).
func (v *visit) connect() error {
	if _, ok := v.web.cfg.Networks.Get(core.Platform(v.id())); !ok {
		return core.NotFound()
	}
	ask, err := v.web.cfg.App.StartConnect(v.ctx(), v.caller, v.id(), v.web.SessionID(v.Request()))
	return v.toConsent(ask, err)
}

func (v *visit) reconnect() error {
	ask, err := v.web.cfg.App.StartReconnect(v.ctx(), v.caller, v.id(), v.web.SessionID(v.Request()))
	return v.toConsent(ask, err)
}

func (v *visit) toConsent(ask contract.Authorize, err error) error {
	if err != nil {
		return v.notConnected(err)
	}
	return v.redirect(ask.AuthorizeURL)
}

// notConnected shows on the page of accounts why connecting did not work.
func (v *visit) notConnected(err error) error {
	e, ok := refused(err)
	if !ok {
		return err
	}
	v.retryAfter(e)
	return v.showAccounts(httpd.Status(e.Code), v.web.people(e))
}

// connected takes the way back from a network's consent page.
func (v *visit) connected() error {
	if _, ok := v.web.cfg.Networks.Get(core.Platform(v.id())); !ok {
		return core.NotFound()
	}
	done, err := v.web.cfg.App.FinishConnect(v.ctx(), v.caller, v.id(), v.QueryParams(), v.web.SessionID(v.Request()))
	if err != nil {
		return v.notConnected(err)
	}
	if done.Choice == "" {
		return v.welcome(done)
	}
	choice, err := json.Marshal(done)
	if err != nil {
		return fmt.Errorf("keep the choice of profiles: %w", err)
	}
	v.put(keyChoice, string(choice))
	return v.redirect(link.ChooseProfiles)
}

func (v *visit) welcome(done app.Connected) error {
	text := fmt.Sprintf("%d accounts are connected.", len(done.Accounts))
	if len(done.Accounts) == 1 {
		text = done.Accounts[0].DisplayName + " is connected."
	}
	v.say(ui.ToneGood, text)
	return v.redirect(link.Accounts)
}

// offered is the choice among profiles that waits in the session. It holds names, and no token.
func (v *visit) offered() (app.Connected, bool) {
	var done app.Connected
	kept := v.web.sessions.manager.GetString(v.ctx(), keyChoice)
	return done, json.Unmarshal([]byte(kept), &done) == nil
}

func (v *visit) chooseForm() error {
	done, ok := v.offered()
	if !ok {
		return v.redirect(link.Accounts)
	}
	var usable []string
	for _, p := range done.Profiles {
		if p.Unusable == "" {
			usable = append(usable, p.ExternalID)
		}
	}
	return v.showChoice(http.StatusOK, done, usable, nil)
}

func (v *visit) showChoice(status int, done app.Connected, chosen []string, refused *contract.Error) error {
	n, ok := v.web.cfg.Networks.Get(done.Platform)
	if !ok {
		return core.NotFound()
	}
	frame, err := v.frame("Which to connect?", layout.SectionAccounts)
	if err != nil {
		return err
	}
	m := accounts.ChooseModel{
		Frame: frame, Platform: string(done.Platform), Network: n.Describe().Name, Profile: n.Describe().Profile, Pending: done.Choice,
		Refused: refused,
	}
	for _, p := range done.Profiles {
		m.Profiles = append(m.Profiles, accounts.Profile{
			ID: p.ExternalID, Name: p.DisplayName, Username: p.Username, Unusable: p.Unusable, Connected: p.Connected,
			Chosen: slices.Contains(chosen, p.ExternalID),
		})
	}
	return v.render(status, accounts.Choose(m), nil)
}

func (v *visit) choose() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	pending, chosen := form.Get(accounts.FieldPending), form[accounts.FieldProfile]
	connected, err := v.web.cfg.App.ChooseProfiles(v.ctx(), v.caller, pending, chosen, v.web.SessionID(v.Request()))
	if e, ok := refused(err); ok {
		if done, waits := v.offered(); waits && done.Choice == pending && e.Code != core.CodeConflict {
			return v.showChoice(httpd.Status(e.Code), done, chosen, v.web.people(e))
		}
		return v.notConnected(err)
	}
	if err != nil {
		return err
	}
	v.take(keyChoice)
	return v.welcome(connected)
}
