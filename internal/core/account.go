package core

import "time"

// Platform is a network's id in the API, such as those of Spec §1.5. It is a plain string so that a new network needs
// no change here.
type Platform string

// AccountStatus says whether an account can be published to.
type AccountStatus string

// Account states (Spec §2). Only AccountOK can be published to.
const (
	AccountOK      AccountStatus = "ok"
	AccountExpired AccountStatus = "expired"
	AccountRevoked AccountStatus = "revoked"
)

// Account is a connected profile, page or channel.
type Account struct {
	ID          AccountID
	Platform    Platform
	ExternalID  string
	Username    string
	DisplayName string
	AvatarURL   string // of the picture at the network, where it may not stay
	// Avatar is the key of our own copy of the picture in the file storage; "" without one.
	Avatar string
	// Login is the login by which the account was connected, where its network has several; "" if it is not known.
	Login  string
	Status AccountStatus
	// StatusReason is a sentence with the reason why the status is not ok; empty otherwise.
	StatusReason string
	// ConnectedVia is where the account was connected: "" for the real networks, or the address of what replaced them
	// (NETWORKS_URL).
	ConnectedVia string
	ExpiresAt    time.Time // of the token; zero when it has no date
	// GrantUnknown reports that an older version connected the account, which did not store who gave access to it.
	GrantUnknown bool
	// HeldUntil is when the account's throttle ends, or when it ended if no post has been tried since. It is zero
	// without a throttle.
	HeldUntil time.Time
	CreatedAt time.Time
}

// Issue returns why the account cannot be published to, or nil if it can.
func (a Account) Issue() *Issue {
	switch a.Status {
	case AccountExpired:
		return new(IssueAccountExpired.With(a.DisplayName))
	case AccountRevoked:
		return new(IssueAccountRevoked.With(a.DisplayName))
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

// Key is an API key as listed, without the key itself.
type Key struct {
	ID         KeyID
	Name       string
	Scope      Scope
	Hint       string // the first characters after the fixed prefix
	CreatedBy  UserID
	CreatedAt  time.Time
	LastUsedAt time.Time
}

// Usage is the usage of a workspace's plan.
type Usage struct {
	Period       string
	Posts        int64
	StorageBytes int64
	Accounts     int64
	Members      int64
}
