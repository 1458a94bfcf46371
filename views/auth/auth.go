// Package auth draws the first run, signing in and joining a workspace.
package auth

import (
	"time"

	"belfry/internal/contract"
	"belfry/views/layout"
)

// Names of the forms' inputs.
const (
	FieldWorkspace = "workspace"
	FieldName      = "name"
	FieldEmail     = "email"
	FieldPassword  = "password"
	FieldZone      = "tz"
	FieldCode      = "code"
	FieldNext      = "next"
	FieldCarry     = "carry"
)

// SetUpModel is the page for setting up a new server: the workspace and its owner.
type SetUpModel struct {
	Frame  layout.Frame
	Values SetUpValues
	// AsksForCode shows an input for the code that the server printed; a code from its link is sent as a hidden field.
	AsksForCode bool
	Errors      map[string]string // by input
	Refused     *contract.Error
}

// SetUpValues are the values of the inputs; a password is never sent back.
type SetUpValues struct {
	Workspace, Name, Email, Zone, Code string
}

// SignInModel is the sign-in page.
type SignInModel struct {
	Frame layout.Frame
	Email string
	Next  string // where to go afterwards; an address of ours
	// Carry is a form that was sent after the session had ended, and is restored after the sign-in.
	Carry string
	// Changed reports that the person has just chosen a new password.
	Changed bool
	// Refused is why the sign-in failed; it is the same for every cause.
	Refused *contract.Error
}

// InvitationModel is the page of an invitation link. It does not show whether the person already has an account,
// because anyone with a link could find that out.
type InvitationModel struct {
	Frame                         layout.Frame
	Token, Workspace, Email, Name string
	Errors                        map[string]string // by input
	Refused                       *contract.Error
}

// ErasureModel is the page of a person who asked a network that their data is deleted.
type ErasureModel struct {
	Frame   layout.Frame
	Code    string
	AskedAt time.Time
	DoneAt  time.Time // zero until it is done
}

func (m ErasureModel) doneText() string {
	if m.DoneAt.IsZero() {
		return "no"
	}
	return "yes"
}
