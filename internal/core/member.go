package core

import (
	"fmt"
	"time"
)

// InvitationLifetime is how long the link of an invitation works.
const InvitationLifetime = 7 * 24 * time.Hour

// InvitationLifetimeText returns InvitationLifetime in words, such as "7 days".
func InvitationLifetimeText() string {
	return fmt.Sprintf("%d days", int(InvitationLifetime.Hours())/24)
}

// Member is a person in a workspace, or an invited person, who has no rights yet.
type Member struct {
	ID        UserID // an invitation has an id of its own, which hides whether the person already exists
	Name      string
	Email     string
	Role      Role
	CreatedAt time.Time // when they joined, or were first invited
	// InvitedUntil is when the invitation's link expires; zero for a person who has joined.
	InvitedUntil time.Time
}

// IsPending reports whether the person was invited and has not joined yet.
func (m Member) IsPending() bool { return !m.InvitedUntil.IsZero() }
