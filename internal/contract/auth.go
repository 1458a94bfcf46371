package contract

import "belfry/internal/core"

// SetUp is the form of the first run: the workspace and its owner.
type SetUp struct {
	Workspace string `json:"workspace" minLength:"1" maxLength:"80"`
	Name      string `json:"name" minLength:"1" maxLength:"80"`
	Email     string `json:"email"`
	Password  string `json:"password"`
	TZ        string `json:"tz"`
}

// SignIn is the form of signing in.
type SignIn struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Join is the form of an invitation's page: the password of a person who exists, or name and password of a new one.
type Join struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

// CreateWorkspace is what the command line says of a new workspace. An empty slug is made from the name,
// an empty plan is the owner's, an empty zone UTC. Name and password of the owner are needed unless a
// person with that email address exists already, whose own stay as they are.
type CreateWorkspace struct {
	Name       string
	Slug       string
	TZ         string
	Plan       core.PlanName
	OwnerName  string
	OwnerEmail string
	Password   string
}
