// Package accounts contains the page with the connected accounts, and the page for choosing profiles after a consent.
package accounts

import (
	"fmt"
	"net/url"
	"strconv"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/ui"
)

// Model is the accounts page.
type Model struct {
	Frame    layout.Frame
	Networks []Network // with the accounts that the filter selects
	Filter   Filter
	// Found is the number of accounts that the filter selects, and Pages the number of pages that they fill. Networks
	// contains the accounts of one page.
	Found, Pages int
	Zone         core.Zone
	Managers     []contract.Member // those who can connect accounts, for a person who cannot
	// Used and Limit are the number of accounts and the plan's limit; nil means no limit.
	Used  int64
	Limit *int64
	// UpgradeURL is the optional address of the plans.
	UpgradeURL string
	// Refused is why the last action failed.
	Refused *contract.Error
}

// Filter selects accounts. Its fields are in the query of the page's address.
type Filter struct {
	Query   string
	Network string
	Status  string // core.AccountBroken, a state, or "" for all
	Page    int    // from 1 on
}

// Names of the fields of the filter's form.
const (
	FieldQuery   = "q"
	FieldNetwork = "network"
	FieldStatus  = "status"
	FieldPage    = "page"
)

// PageSize is the number of accounts on a page.
const PageSize = 100

// Network is a network and its accounts.
type Network struct {
	ID, Name string
	Profile  string // the network's word for an account, such as "channel"
	Needs    string // a sentence that says what a person needs to connect an account
	// Configured reports whether this server has the network's credentials.
	Configured bool
	Quotas     []Quota // limits that all accounts of this server share
	// Found is the number of its accounts that the filter selects. Accounts are those on the page.
	Found    int
	Accounts []Account
}

// Account is a connected account.
type Account struct {
	ID, Name, Username string
	Avatar             string // the address of its picture; "" without one
	Status             string
	Reason             string // why the status is not ok
	// EndsAt is when a person must reconnect the account, if that is soon; zero otherwise.
	EndsAt time.Time
	Queued int // the number of queued posts
	Lost   int // the number of posts that failed within the last seven days because Belfry had lost access
	// Next and Last are the next queued post and the last live one.
	Next, Last Post
	Quotas     []Quota
	Blocked    string // why the network accepts no posts at the moment; "" if it accepts them
	KeepsGrant bool   // see app.AccountCard
	// Unreachable are the kinds of files that the network cannot download from this server.
	Unreachable []core.FileKind
}

// shownState returns the state that the account's badge shows: its status, or ui.EndsSoon.
func (a Account) shownState() string {
	if a.Status == string(core.AccountOK) && !a.EndsAt.IsZero() {
		return ui.EndsSoon
	}
	return a.Status
}

// Post is a post of an account; the zero value means that there is none.
type Post struct {
	ID string
	At time.Time
}

// Quota is how much of a network's limit is used.
type Quota struct {
	Words string // for example, "12 of 100 posts in 24 hours"
	Near  bool   // the limit is nearly reached
	// ToldAt is the time of the figure if the figure is not up to date; zero otherwise.
	ToldAt time.Time
}

// FieldProfile occurs once per selected profile; FieldPending is the id of the pending consent.
const (
	FieldProfile = "profile"
	FieldPending = "pending"
)

// ChooseModel is the page for choosing among the profiles of a consent.
type ChooseModel struct {
	Frame    layout.Frame
	Platform string
	Network  string
	Profile  string // the network's word for an account, such as "channel"
	Pending  string // value of FieldPending
	Profiles []Profile
	Refused  *contract.Error
}

// Profile is a profile that can be selected.
type Profile struct {
	ID, Name, Username string
	Unusable           string // why it cannot be connected; empty if it can
	Connected          bool   // already connected; connecting it again renews Belfry's access
	Chosen             bool
}

// namedManagers is the largest number of managers that the page names.
const namedManagers = 3

// managersText names the people who can connect accounts.
func (m Model) managersText() string {
	if len(m.Managers) == 0 || len(m.Managers) > namedManagers {
		return "an owner or admin of the workspace"
	}
	var names []string
	for _, manager := range m.Managers {
		names = append(names, manager.Name)
	}
	return core.JoinNames(names, "or")
}

// filtersFrom is the smallest number of accounts for which the page has a filter.
const filtersFrom = 6

// firstReconnectableIDOrEmpty returns the id of the first account on the page that the person can and must reconnect;
// "" if there is none. The button that reconnects it is the main one of the page.
func (m Model) firstReconnectableIDOrEmpty() string {
	for _, n := range m.Networks {
		for _, a := range n.Accounts {
			if n.Configured && m.Frame.Manages && a.Status != string(core.AccountOK) {
				return a.ID
			}
		}
	}
	return ""
}

// showsFilter reports whether the page shows the filter.
func (m Model) showsFilter() bool {
	return m.Used >= filtersFrom || m.Filter.Query+m.Filter.Network+m.Filter.Status != ""
}

// pageURL returns the address of another page with the same filter.
func (m Model) pageURL(page int) string {
	query := url.Values{}
	for name, value := range map[string]string{
		FieldQuery: m.Filter.Query, FieldNetwork: m.Filter.Network, FieldStatus: m.Filter.Status,
		FieldPage: strconv.Itoa(page),
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return m.Frame.Link.Accounts() + "?" + query.Encode()
}

// ContentHash returns a string that changes whenever the list would look different. Pages poll with it (pollURL).
func (m Model) ContentHash() string {
	return ui.HashValues(m.accountsSummaryText(), m.Networks, m.Zone.Name(), m.Frame.Manages)
}

// pollURL returns the address for polling the list. The response is 204 if nothing has changed.
func (m Model) pollURL() string { return m.pageURL(m.Filter.Page) + "&seen=" + m.ContentHash() }

// isAtLimit reports whether the plan allows no further account.
func (m Model) isAtLimit() bool { return m.Limit != nil && m.Used >= *m.Limit }

// limitReachedTitle says that the limit is reached or exceeded. isAtLimit must be true.
func (m Model) limitReachedTitle() string {
	state := "have reached"
	if m.Used > *m.Limit {
		state = "are over"
	}
	return fmt.Sprintf("You %s your limit of %s", state, ui.CountNoun(int(*m.Limit), "account", "accounts"))
}

// canConnect reports whether the person can connect another account on a network.
func (m Model) canConnect(n Network) bool { return n.Configured && m.Frame.Manages && !m.isAtLimit() }

// accountsSummaryText says how many accounts are connected, how many the plan allows, how many the filter finds, and
// which page of them is shown. It omits what does not apply.
func (m Model) accountsSummaryText() string {
	of := ui.CountNoun(int(m.Used), "account", "accounts")
	if m.Limit != nil {
		of = fmt.Sprintf("%d of %d accounts", m.Used, *m.Limit)
	}
	if int64(m.Found) != m.Used {
		of = fmt.Sprintf("%d found · %s", m.Found, of)
	}
	if m.Pages > 1 {
		of += fmt.Sprintf(" · page %d of %d", m.Filter.Page, m.Pages)
	}
	return of
}

// unreachableText says which kinds of files cannot be published because this server has no public address.
func unreachableText(networkName string, kinds []core.FileKind) string {
	what := "Photos and videos"
	if len(kinds) == 1 {
		what = map[core.FileKind]string{core.FileImage: "Photos", core.FileVideo: "Videos"}[kinds[0]]
	}
	return what + " cannot be published, because " + networkName +
		" cannot download them from this server. Ask the server's operator for a public address"
}

// missingLimitText is shown in place of an account's own limit.
func (n Network) missingLimitText() string {
	if len(n.Quotas) > 0 {
		return "Shared (see above)"
	}
	return "Not reported"
}

func (n Network) connectLabel() string { return "Connect a " + n.Profile }

func lostAccessFailuresText(failedPosts int) string {
	return ui.CountNoun(failedPosts, "post", "posts") + " failed because Belfry had lost access to the account"
}

func queuedPostsText(n int) string {
	if n == 1 {
		return "1 queued"
	}
	return ui.FormatCappedCount(n) + " queued"
}
