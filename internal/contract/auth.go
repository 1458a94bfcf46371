package contract

import "belfry/internal/core"

// SetUp is the form for setting up a new server: the workspace and its owner.
type SetUp struct {
	Workspace string `json:"workspace" minLength:"1" maxLength:"80"`
	Name      string `json:"name" minLength:"1" maxLength:"80"`
	Email     string `json:"email"`
	Password  string `json:"password"`
	TZ        string `json:"tz"`
}

// SignIn is the sign-in form.
type SignIn struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Join is the form of an invitation's page: the password of an existing person, or the name and password of a new
// one.
type Join struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

// CreateWorkspace is the input of `belfry workspace create`. An empty slug is derived from the name; an empty plan is
// the owner's plan, and an empty zone is UTC. The owner's name and password are required unless a person with that
// email address exists; that person keeps their own.
type CreateWorkspace struct {
	Name       string
	Slug       string
	TZ         string
	Plan       core.PlanName
	OwnerName  string
	OwnerEmail string
	Password   string
}
