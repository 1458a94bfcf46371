package web

import (
	"net/url"
	"slices"
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/posts"
)

// loadNonEmptyGroupsUnlessPart loads the groups that have accounts, for the buttons that choose them. It returns none
// for a part of the page, because the page keeps these buttons.
func (r *request) loadNonEmptyGroupsUnlessPart(isPart bool) (groups []posts.Group, err error) {
	if isPart {
		return nil, nil
	}
	list, err := r.web.cfg.App.ListGroups(r.context(), r.caller)
	for _, g := range list.Groups {
		if len(g.AccountIDs) > 0 {
			groups = append(groups, posts.Group{ID: g.ID, Name: g.Name, Color: g.Color, Accounts: g.AccountIDs})
		}
	}
	return groups, err
}

// unknownAccountIDs returns the ids of accounts in the form that no longer exist.
func unknownAccountIDs(form url.Values, accounts []contract.Account) []string {
	return slices.DeleteFunc(slices.Clone(form[posts.FieldAccount]), func(id string) bool {
		return id == "" || slices.ContainsFunc(accounts, func(a contract.Account) bool { return a.ID == id })
	})
}

// chooseOrClearPickedAccounts applies a button that chooses several accounts: all, none, or those of a network or a
// group. The buttons of a network or a group deselect its accounts if all are already chosen. Accounts that must be
// reconnected cannot be chosen.
func chooseOrClearPickedAccounts(m *posts.ComposeModel, pick string) {
	switch pick {
	case "":
		return
	case posts.PickNone:
		m.Unknown = nil
	}
	var ids []string
	for _, a := range m.Accounts {
		if pick == posts.PickAll || pick == posts.PickNone || pick == posts.PickNetwork+a.Platform {
			ids = append(ids, a.ID)
		}
	}
	for _, g := range m.Groups {
		if pick == posts.PickGroup+g.ID {
			ids = g.Accounts
		}
	}
	isToggle := strings.HasPrefix(pick, posts.PickNetwork) || strings.HasPrefix(pick, posts.PickGroup)
	choose := pick != posts.PickNone && !(isToggle && posts.AllChosen(m.Accounts, ids))
	for i, a := range m.Accounts {
		if slices.Contains(ids, a.ID) && (a.Status == string(core.AccountOK) || !choose) {
			m.Accounts[i].Chosen = choose
		}
	}
}
