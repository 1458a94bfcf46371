package core

import "time"

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
