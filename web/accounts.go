package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/accounts"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

func (r *request) showAccounts() error { return r.renderAccounts(http.StatusOK, nil) }

// renderAccounts renders the accounts page. refusalOrNil is why an action failed.
func (r *request) renderAccounts(status int, refusalOrNil *contract.Error) error {
	filter := accounts.Filter{
		Query: r.echo.QueryParam(accounts.FieldQuery), Network: r.echo.QueryParam(accounts.FieldNetwork),
		Status: r.echo.QueryParam(accounts.FieldStatus),
	}
	cards, err := r.web.cfg.App.ListAccountCards(r.context(), r.caller, app.AccountFilter{
		Query: filter.Query, Platform: core.Platform(filter.Network), Status: core.AccountStatus(filter.Status),
	})
	if err != nil {
		return err
	}
	who, err := r.loadWhoami()
	if err != nil {
		return err
	}
	zone, err := r.loadWorkspaceZone()
	if err != nil {
		return err
	}
	frame, err := r.loadFrameAndPopFlash("Accounts", layout.SectionAccounts)
	if err != nil {
		return err
	}
	m := accounts.Model{
		Frame: frame, Zone: zone, Used: who.Usage.Accounts.Used, Limit: who.Usage.Accounts.Limit,
		Refused: refusalOrNil, Filter: filter, UpgradeURL: r.web.cfg.UpgradeURL,
	}
	if !r.wantsFragment() { // the list of accounts does not name them
		if m.Managers, err = r.listManagersToAsk(); err != nil {
			return err
		}
	}
	m.Found, m.Pages = len(cards), max(1, (len(cards)+accounts.PageSize-1)/accounts.PageSize)
	page, _ := strconv.Atoi(r.echo.QueryParam(accounts.FieldPage))
	m.Filter.Page = min(max(1, page), m.Pages)
	// Pages divide the accounts in the order in which they are shown: by network, then those to reconnect and the oldest
	// first.
	slices.SortStableFunc(cards, func(a, b app.AccountCard) int {
		return compareLostFirst(a.Status, b.Status)
	})
	m.Networks = r.listNetworksWithPageOfAccounts(cards, (m.Filter.Page-1)*accounts.PageSize)
	if r.isPollWithoutNews(m) {
		return r.echo.NoContent(http.StatusNoContent)
	}
	return r.render(status, accounts.Page(m), accounts.ListPart(m))
}

// compareLostFirst orders accounts that must be reconnected before the others.
func compareLostFirst(a, b core.AccountStatus) int {
	switch lost := a != core.AccountOK; {
	case lost == (b != core.AccountOK):
		return 0
	case lost:
		return -1
	}
	return 1
}

// listNetworksWithPageOfAccounts returns all supported networks, each with its accounts on the page that begins at the
// offset. Quotas and numbers of accounts do not depend on the page.
func (r *request) listNetworksWithPageOfAccounts(cards []app.AccountCard, offset int) []accounts.Network {
	networks, now, at := r.web.cfg.App.ListSupportedNetworks(), r.web.cfg.Now(), 0
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
			list[i].Found++
			list[i].Quotas = filterQuotaViews(card.Quotas, quotasOfServer)
			if at++; at > offset && at <= offset+accounts.PageSize {
				list[i].Accounts = append(list[i].Accounts, newAccountView(card, now))
			}
		}
	}
	return list
}

// endsSoon is how long before the end of an account's access the page asks a person to reconnect the account.
const endsSoon = 14 * 24 * time.Hour

func newAccountView(card app.AccountCard, now time.Time) accounts.Account {
	a := accounts.Account{
		ID: card.ID.String(), Name: card.DisplayName, Username: card.Username, Status: string(card.Status),
		Avatar: contract.AvatarPathOf(card.Avatar), Reason: card.StatusReason, Queued: card.Posts.Queued,
		Lost: card.Posts.Lost, Next: newPostViewOrZero(card.Posts.Next, card.Posts.NextAt),
		Last: newPostViewOrZero(card.Posts.Last, card.Posts.LastAt), Blocked: card.Blocked,
		KeepsGrant: card.KeepsGrant, Unreachable: card.Unreachable, Quotas: filterQuotaViews(card.Quotas, quotasOfAccount),
	}
	if card.Status == core.AccountOK && !card.ExpiresAt.IsZero() && card.ExpiresAt.Sub(now) < endsSoon {
		a.EndsAt = card.ExpiresAt
	}
	return a
}

// quotaScope says which quotas to show.
type quotaScope bool

const (
	quotasOfAccount quotaScope = false // those of one account
	quotasOfServer  quotaScope = true  // those that all accounts on this server share
)

// filterQuotaViews returns the quotas with the scope for display.
func filterQuotaViews(quotas []app.AccountQuota, scope quotaScope) (views []accounts.Quota) {
	for _, q := range quotas {
		if quotaScope(q.Server) == scope {
			views = append(views, accounts.Quota{Words: quotaText(q), Near: q.IsNearLimit(), ToldAt: q.ToldAt})
		}
	}
	return views
}

// newPostViewOrZero returns a post for display, or the zero value if there is none.
func newPostViewOrZero(idOrNil *core.PostID, at time.Time) accounts.Post {
	if idOrNil == nil {
		return accounts.Post{}
	}
	return accounts.Post{ID: idOrNil.String(), At: at}
}

// quotaText says how much of a limit is used, for example "12 of 100 posts in 24 hours".
func quotaText(q app.AccountQuota) string {
	words := fmt.Sprintf("%d of %d %s", q.Used, q.Limit, q.Name)
	switch {
	case q.Day:
		words += " today"
	default:
		words += fmt.Sprintf(" in %.0f hours", q.Window.Hours())
	}
	if q.Server {
		words += ", for all accounts on this server"
	}
	return words
}

// getAccountCard returns an account of the workspace, or not_found.
func (r *request) getAccountCard(id string) (app.AccountCard, error) {
	cards, err := r.web.cfg.App.ListAccountCards(r.context(), r.caller, app.AccountFilter{})
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

func (r *request) showDisconnectConfirmation() error {
	card, err := r.getAccountCard(r.pathID())
	if err != nil {
		return err
	}
	points := []string{
		"Belfry stops using the account immediately and deletes the account's access tokens within about a day.",
		"Published posts stay on the network and in your list of posts.",
	}
	switch n := card.Posts.Queued; {
	case n == 1:
		points = append(points, "1 queued post becomes a draft without a time and will not be published.")
	case n > 1:
		points = append(points,
			ui.FormatCappedCount(n)+" queued posts become drafts without a time and will not be published.")
	}
	return r.renderConfirmation(layout.SectionAccounts, layout.ConfirmModel{
		Title:  "Disconnect " + card.DisplayName + " on " + r.web.cfg.Networks.DisplayName(card.Platform) + "?",
		Points: points,
		Action: r.link.Disconnect(r.pathID()), Button: "Disconnect",
		Back:   r.link.Accounts(),
		Fields: []ui.Hidden{newFormIDField()},
	})
}

func (r *request) disconnectAccount(url.Values) error {
	if err := r.web.cfg.App.DisconnectAccount(r.context(), r.caller, r.pathID()); err != nil {
		return r.showOnAccountsPageIfRefusal(err)
	}
	r.setFlashWithDetails(layout.Flash{
		Tone: ui.ToneGood, Text: "Account disconnected. Posts that were queued for it are now drafts.",
		URL: r.link.Posts(link.Filter{Status: string(core.PostDraft)}), Label: "View drafts",
	})
	return r.redirect(r.link.Accounts())
}
