package web

import (
	"net/http"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/accounts"
	"belfry/views/layout"
	"belfry/views/ui"
)

func (r *request) showAccounts() error { return r.renderAccounts(http.StatusOK, nil) }

// renderAccounts renders the accounts page, with why an action failed at the top.
func (r *request) renderAccounts(status int, refused *contract.Error) error {
	cards, err := r.web.cfg.App.AccountCards(r.context(), r.caller)
	if err != nil {
		return err
	}
	who, err := r.loadWhoami()
	if err != nil {
		return err
	}
	zone, err := r.workspaceZone()
	if err != nil {
		return err
	}
	frame, err := r.pageFrame("Accounts", layout.SectionAccounts)
	if err != nil {
		return err
	}
	m := accounts.Model{
		Frame: frame, Networks: groupByNetwork(r.web.cfg.App.Networks(), cards), Zone: zone,
		Used: who.Usage.Accounts.Used, Limit: who.Usage.Accounts.Limit, Refused: refused,
	}
	return r.render(status, accounts.Page(m), nil)
}

func groupByNetwork(networks []app.NetworkCard, cards []app.AccountCard) []accounts.Network {
	list := make([]accounts.Network, len(networks))
	for i, n := range networks {
		list[i] = accounts.Network{
			ID: string(n.ID), Name: n.Name, Profile: n.Profile, Needs: n.Needs,
			Configured: n.Configured,
		}
		for _, card := range cards {
			if card.Platform == n.ID {
				list[i].Accounts = append(list[i].Accounts, accountView(card))
			}
		}
	}
	return list
}

func accountView(card app.AccountCard) accounts.Account {
	return accounts.Account{
		ID: card.ID.String(), Name: card.DisplayName, Username: card.Username, Status: string(card.Status),
		Reason:    card.StatusReason,
		ExpiresAt: card.ExpiresAt, CreatedAt: card.CreatedAt, Queued: card.Queued, Unreachable: card.Unreachable,
	}
}

// findAccount returns an account of the workspace.
func (r *request) findAccount(id string) (app.AccountCard, error) {
	cards, err := r.web.cfg.App.AccountCards(r.context(), r.caller)
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

func (r *request) confirmDisconnect() error {
	card, err := r.findAccount(r.pathID())
	if err != nil {
		return err
	}
	points := []string{
		"Belfry deletes its access to the account immediately.",
		"Published posts stay on the network and in your list of posts.",
	}
	if card.Queued > 0 {
		points = append(points, ui.CountNoun(card.Queued,
			"queued post becomes a draft and will not be published.",
			"queued posts become drafts and will not be published."))
	}
	return r.renderConfirm(layout.SectionAccounts, layout.ConfirmModel{
		Title: "Disconnect " + card.DisplayName + " on " + r.web.cfg.Networks.Name(card.Platform) + "?", Points: points,
		Action: r.link.Disconnect(r.pathID()), Button: "Disconnect",
		Back: r.link.Accounts(),
	})
}

func (r *request) disconnectAccount() error {
	if err := r.web.cfg.App.DisconnectAccount(r.context(), r.caller, r.pathID()); err != nil {
		return r.renderConnectError(err)
	}
	r.setFlash(ui.ToneGood, "Account disconnected.")
	return r.redirect(r.link.Accounts())
}
