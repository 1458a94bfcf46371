package web

import (
	"fmt"
	"net/http"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/accounts"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

func (v *visit) accounts() error { return v.showAccounts(http.StatusOK, nil) }

// showAccounts draws the page of accounts, above all with why an act there was refused.
func (v *visit) showAccounts(status int, refused *contract.Error) error {
	cards, err := v.web.cfg.App.AccountCards(v.ctx(), v.caller)
	if err != nil {
		return err
	}
	who, err := v.whoami()
	if err != nil {
		return err
	}
	zone, err := v.zone()
	if err != nil {
		return err
	}
	frame, err := v.frame("Accounts", layout.SectionAccounts)
	if err != nil {
		return err
	}
	m := accounts.Model{
		Frame: frame, Networks: networksOf(v.web.cfg.App.Networks(), cards), Zone: zone,
		Used: who.Usage.Accounts.Used, Limit: who.Usage.Accounts.Limit, Refused: refused,
	}
	return v.render(status, accounts.Page(m), nil)
}

func networksOf(networks []app.NetworkCard, cards []app.AccountCard) []accounts.Network {
	list := make([]accounts.Network, len(networks))
	for i, n := range networks {
		list[i] = accounts.Network{ID: string(n.ID), Name: n.Name, Profile: n.Profile, Needs: n.Needs, Configured: n.Configured}
		for _, card := range cards {
			if card.Platform == n.ID {
				list[i].Accounts = append(list[i].Accounts, accountOf(card))
			}
		}
	}
	return list
}

func accountOf(card app.AccountCard) accounts.Account {
	return accounts.Account{
		ID: card.ID.String(), Name: card.DisplayName, Username: card.Username, Status: string(card.Status), Reason: card.StatusReason,
		ExpiresAt: card.ExpiresAt, CreatedAt: card.CreatedAt, Queued: card.Queued,
	}
}

// card finds an account of the workspace.
func (v *visit) card(id string) (app.AccountCard, error) {
	cards, err := v.web.cfg.App.AccountCards(v.ctx(), v.caller)
	if err != nil {
		return app.AccountCard{}, err
	}
	for _, card := range cards {
		if card.ID.String() == id {
			return card, nil
		}
	}
	return app.AccountCard{}, core.NotFound()
}

func (v *visit) confirmDisconnect() error {
	card, err := v.card(v.id())
	if err != nil {
		return err
	}
	points := []string{
		"This server forgets its access to the account at once.",
		"What was published stays where it is, and stays in the list of posts.",
	}
	if card.Queued > 0 {
		points = append(points, queuedPoint(card.Queued))
	}
	return v.confirm(layout.SectionAccounts, layout.ConfirmModel{
		Title: "Disconnect " + card.DisplayName + "?", Points: points, Action: link.Disconnect(v.id()), Button: "Disconnect",
		Back: link.Accounts,
	})
}

func queuedPoint(n int) string {
	if n == 1 {
		return "One queued post becomes a draft and does not go out."
	}
	return fmt.Sprintf("%d queued posts become drafts and do not go out.", n)
}

func (v *visit) disconnect() error {
	err := v.web.cfg.App.Disconnect(v.ctx(), v.caller, v.id())
	if e, ok := refused(err); ok {
		return v.showAccounts(httpd.Status(e.Code), v.web.people(e))
	}
	if err != nil {
		return err
	}
	v.say(ui.ToneGood, "The account is disconnected.")
	return v.redirect(link.Accounts)
}
