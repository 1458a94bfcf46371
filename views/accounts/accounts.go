// Package accounts draws the connected accounts and the choice among profiles after a consent.
package accounts

import (
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
)

// Model is the accounts page.
type Model struct {
	Frame    layout.Frame
	Networks []Network
	Zone     core.Zone
	// Used and Limit are the plan's numbers; a nil limit means unlimited.
	Used  int64
	Limit *int64
	// Refused is why the last action failed.
	Refused *contract.Error
}

// Network is a network and its accounts.
type Network struct {
	ID, Name string
	Profile  string // what an account is called there
	Needs    string // what a person needs in order to connect
	// Configured reports whether this server has the network's credentials.
	Configured bool
	Accounts   []Account
}

// Account is a connected account.
type Account struct {
	ID, Name, Username string
	Status             string
	Reason             string // why the status is not ok
	ExpiresAt          time.Time
	CreatedAt          time.Time
	Queued             int // posts that wait for their time
	// Unreachable are the kinds of files that the network cannot download from this server.
	Unreachable []core.FileKind
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

func (m Model) countConnected() int {
	n := 0
	for _, network := range m.Networks {
		n += len(network.Accounts)
	}
	return n
}

func (m Model) atLimit() bool { return m.Limit != nil && m.Used >= *m.Limit }

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
