// Package accounts draws the connected accounts and the choice among profiles after a consent.
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
	// Found counts the accounts that the filter selects; Networks has those of one page of Pages.
	Found, Pages int
	Zone         core.Zone
	// Used and Limit are the plan's numbers; a nil limit means unlimited.
	Used  int64
	Limit *int64
	// Refused is why the last action failed.
	Refused *contract.Error
}

// Filter selects accounts. All of it is in the address.
type Filter struct {
	Query   string
	Network string
	Status  string // StatusBroken, a state, or "" for all
	Page    int    // from 1 on
}

// StatusBroken selects the accounts that must be reconnected.
const StatusBroken = "broken"

// Names of the fields of the filter's form.
const (
	FieldQuery   = "q"
	FieldNetwork = "network"
	FieldStatus  = "status"
	FieldPage    = "page"
)

// PageSize is how many accounts one page has.
const PageSize = 100

// Network is a network and its accounts.
type Network struct {
	ID, Name string
	Profile  string // what an account is called there
	Needs    string // what a person needs in order to connect
	// Configured reports whether this server has the network's credentials.
	Configured bool
	Quotas     []Quota // of all accounts of this server together
	Accounts   []Account
}

// Account is a connected account.
type Account struct {
	ID, Name, Username string
	Avatar             string // the address of its picture; "" without one
	Status             string
	Reason             string // why the status is not ok
	// EndsAt is when a person must reconnect the account, if that is soon; zero otherwise.
	EndsAt time.Time
	Queued int // posts that wait for their time
	Lost   int // posts that failed within the last seven days because access was lost
	// Next and Last are the next queued post and the last live one.
	Next, Last Post
	Quotas     []Quota
	Blocked    string // why the network accepts no posts; "" if it does
	KeepsGrant bool   // see app.AccountCard
	// Unreachable are the kinds of files that the network cannot download from this server.
	Unreachable []core.FileKind
}

// Post is a post of an account; the zero value is none.
type Post struct {
	ID string
	At time.Time
}

// Quota is how much of a network's limit is used.
type Quota struct {
	Words string // 12 of 100 posts in 24 hours
	Near  bool
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
	Profile  string // what an account is called there
	Pending  string // value of FieldPending
	Profiles []Profile
	Refused  *contract.Error
}

// Profile is a profile that can be selected.
type Profile struct {
	ID, Name, Username string
	Unusable           string // why it cannot be connected; empty when it can
	Connected          bool   // it is connected already and would be renewed
	Chosen             bool
}

// filtersFrom is from how many accounts on the page has a filter.
const filtersFrom = 6

func (m Model) hasFilter() bool {
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

func (m Model) atLimit() bool { return m.Limit != nil && m.Used >= *m.Limit }

// canConnect reports whether the person can connect another account of a network.
func (m Model) canConnect(n Network) bool { return n.Configured && m.Frame.Manages && !m.atLimit() }

// countText says how many accounts the plan allows and the filter selects.
func (m Model) countText() string {
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

// reachText says what cannot be published because this server has no public address.
func reachText(network string, kinds []core.FileKind) string {
	what := "Photos and videos"
	if len(kinds) == 1 {
		what = map[core.FileKind]string{core.FileImage: "Photos", core.FileVideo: "Videos"}[kinds[0]]
	}
	return what + " cannot be published: " + network +
		" would download them from this server, whose address is not public."
}

func (n Network) connectLabel() string { return "Connect a " + n.Profile }

func lostText(n int) string {
	return ui.CountNoun(n, "post", "posts") + " failed while access was lost"
}

func queuedText(n int) string {
	if n == 1 {
		return "1 queued"
	}
	return ui.FormatCappedCount(n) + " queued"
}
