package core

import "time"

// Platform is a network's id in the API (Spec §1.5). It is a plain string, so a new network needs no change here.
type Platform string

// AccountStatus says whether Belfry can publish to an account.
type AccountStatus string

// Account states (Spec §2). Belfry can publish only to an account that is AccountOK.
const (
	AccountOK      AccountStatus = "ok"
	AccountExpired AccountStatus = "expired"
	AccountRevoked AccountStatus = "revoked"
)

// AccountBroken is not a status of an account: as a filter, it selects all accounts that are not ok.
const AccountBroken AccountStatus = "broken"

// Account is a connected profile, Page or channel.
type Account struct {
	ID          AccountID
	Platform    Platform
	ExternalID  string
	Username    string
	DisplayName string
	AvatarURL   string // the address of the picture on the network, which may stop working
	// Avatar is the storage key of our own copy of the picture; "" if there is none.
	Avatar string
	// Login is the kind of login that connected the account, if its network has several; "" if unknown.
	Login  string
	Status AccountStatus
	// StatusReason is a sentence that explains why the status is not ok; empty if it is ok.
	StatusReason string
	// ConnectedVia is the NETWORKS_URL with which the account was connected; "" for the real network.
	ConnectedVia string
	ExpiresAt    time.Time // when the token expires; zero if the network gave no date
	// GrantUnknown reports whether an older version connected the account, without storing its grant.
	GrantUnknown bool
	// GrantedAt is when a person last connected the account; zero if an older version connected it.
	GrantedAt time.Time
	// HeldUntil is when the account's throttle ends, or when it ended if no post has been tried since then. It is zero
	// without a throttle.
	HeldUntil time.Time
	CreatedAt time.Time
}

// Issue returns the reason why Belfry cannot publish to the account, or nil if it can.
func (a Account) Issue() (issueOrNil *Issue) {
	switch a.Status {
	case AccountExpired:
		return new(IssueAccountExpired.WithoutNetwork(a.DisplayName))
	case AccountRevoked:
		return new(IssueAccountRevoked.WithoutNetwork(a.DisplayName))
	}
	return nil
}

// Workspace owns accounts, posts, members and a plan. Workspaces share no data.
type Workspace struct {
	ID       WorkspaceID
	Slug     string
	Name     string
	Plan     PlanName
	Currency string
	Zone     Zone
}

// User is a person who signs in.
type User struct {
	ID    UserID
	Name  string
	Email string
}

// Key describes an API key. It does not contain the key itself.
type Key struct {
	ID         KeyID
	Name       string
	Scope      Scope
	Hint       string // the first characters after the fixed prefix
	CreatedBy  UserID
	CreatedAt  time.Time
	LastUsedAt time.Time
}

// Usage is how much of its plan a workspace has used.
type Usage struct {
	Period       string
	Posts        int64
	StorageBytes int64
	Accounts     int64
	Members      int64
}
