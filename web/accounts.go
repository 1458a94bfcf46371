package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

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
		Frame: frame, Zone: zone, Used: who.Usage.Accounts.Used, Limit: who.Usage.Accounts.Limit, Refused: refused,
		Filter: accounts.Filter{
			Query: r.echo.QueryParam(accounts.FieldQuery), Network: r.echo.QueryParam(accounts.FieldNetwork),
			Status: r.echo.QueryParam(accounts.FieldStatus),
		},
	}
	cards = slices.DeleteFunc(cards, func(card app.AccountCard) bool { return !matchesFilter(card, m.Filter) })
	m.Found, m.Pages = len(cards), max(1, (len(cards)+accounts.PageSize-1)/accounts.PageSize)
	page, _ := strconv.Atoi(r.echo.QueryParam(accounts.FieldPage))
	m.Filter.Page = min(max(1, page), m.Pages)
	// The pages go through the accounts as they are shown: by network, then the oldest first.
	m.Networks = r.groupByNetwork(cards, (m.Filter.Page-1)*accounts.PageSize)
	return r.render(status, accounts.Page(m), accounts.ListPart(m))
}

// matchesFilter reports whether an account's name or handle has all words of the search, and it has the state and the
// network.
func matchesFilter(card app.AccountCard, f accounts.Filter) bool {
	broken := card.Status != core.AccountOK
	return containsWords(card.DisplayName+" @"+card.Username, f.Query) &&
		(f.Network == "" || f.Network == string(card.Platform)) &&
		(f.Status == "" || f.Status == string(card.Status) || f.Status == accounts.StatusBroken && broken)
}

// groupByNetwork returns all networks, with the accounts of the page after so many.
func (r *request) groupByNetwork(cards []app.AccountCard, skipped int) []accounts.Network {
	networks, now, at := r.web.cfg.App.Networks(), r.web.cfg.Now(), 0
	list := make([]accounts.Network, len(networks))
	for i, n := range networks {
		list[i] = accounts.Network{
			ID: string(n.ID), Name: n.Name, Profile: n.Profile, Needs: n.Needs,
			Configured: n.Configured,
		}
		for _, card := range cards {
			if card.Platform != n.ID {
				continue
			}
			list[i].Quotas = quotaViews(card.Quotas, true)
			if at++; at > skipped && at <= skipped+accounts.PageSize {
				list[i].Accounts = append(list[i].Accounts, accountView(card, now))
			}
		}
	}
	return list
}

// endsSoon is how long before its end the page says that a person must reconnect an account.
const endsSoon = 14 * 24 * time.Hour

func accountView(card app.AccountCard, now time.Time) accounts.Account {
	a := accounts.Account{
		ID: card.ID.String(), Name: card.DisplayName, Username: card.Username, Status: string(card.Status),
		Avatar: contract.AvatarPathOf(card.Avatar), Reason: card.StatusReason, Queued: card.Posts.Queued,
		Lost: card.Posts.Lost, Next: postView(card.Posts.Next, card.Posts.NextAt),
		Last: postView(card.Posts.Last, card.Posts.LastAt), Blocked: card.Blocked, KeepsGrant: card.KeepsGrant,
		Unreachable: card.Unreachable, Quotas: quotaViews(card.Quotas, false),
	}
	if card.Status == core.AccountOK && !card.ExpiresAt.IsZero() && card.ExpiresAt.Sub(now) < endsSoon {
		a.EndsAt = card.ExpiresAt
	}
	return a
}

// quotaViews returns the quotas of the whole server, or of one account.
func quotaViews(quotas []app.AccountQuota, ofServer bool) (views []accounts.Quota) {
	for _, q := range quotas {
		if q.Server == ofServer {
			views = append(views, accounts.Quota{Words: quotaWords(q), Near: q.IsNear()})
		}
	}
	return views
}

func postView(id *core.PostID, at time.Time) accounts.Post {
	if id == nil {
		return accounts.Post{}
	}
	return accounts.Post{ID: id.String(), At: at}
}

// quotaWords says how much of a limit is used: 12 of 100 posts in 24 hours.
func quotaWords(q app.AccountQuota) string {
	words := fmt.Sprintf("%d of %d %s", q.Used, q.Limit, q.Name)
	switch {
	case q.Day:
		words += " today"
	default:
		words += fmt.Sprintf(" in %.0f hours", q.Window.Hours())
	}
	if q.Server {
		words += ", on this server"
	}
	return words
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
	if card.Posts.Queued > 0 {
		points = append(points, ui.CountNoun(card.Posts.Queued,
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
