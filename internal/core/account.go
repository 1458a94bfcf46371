package core

import "time"

// Platform is a network's name in the interface, such as those of Spec §1.5. It is plain text so
// that a new network needs no change here.
type Platform string

// AccountStatus tells whether an account can be published to.
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
	AvatarURL   string
	Status      AccountStatus
	// StatusReason says in a sentence why the status is not ok; empty otherwise.
	StatusReason string
	// ConnectedVia names where the account was connected: "" for the real networks, else the address
	// that stood in for them (NETWORKS_URL).
	ConnectedVia string
	ExpiresAt    time.Time // of the token; zero when it has no date
	// HeldUntil is when a throttle of the account ends, or ended and was not tried since; zero without one.
	HeldUntil time.Time
	CreatedAt time.Time
}

// Issue says why the account cannot be published to, nil when it can.
func (a Account) Issue() *Issue {
	switch a.Status {
	case AccountExpired:
		return new(IssueAccountExpired.With(a.DisplayName))
	case AccountRevoked:
		return new(IssueAccountRevoked.With(a.DisplayName))
	}
	return nil
}

// Workspace owns accounts, posts, members and a plan; nothing is shared between two.
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

// Key is an API key as it is listed: never the key itself.
type Key struct {
	ID         KeyID
	Name       string
	Scope      Scope
	Hint       string // the first characters after the fixed prefix
	CreatedBy  UserID
	CreatedAt  time.Time
	LastUsedAt time.Time
}

// Usage is what a workspace has used of its plan.
type Usage struct {
	Period       string
	Posts        int64
	StorageBytes int64
	Accounts     int64
	Members      int64
}
