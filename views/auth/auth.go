// Package auth draws the first run, signing in and joining a workspace.
package auth

import (
	"belfry/internal/contract"
	"belfry/views/layout"
)

// Inputs of the forms.
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

// SetUpModel is the first run: the workspace and its owner.
type SetUpModel struct {
	Frame  layout.Frame
	Values SetUpValues
	// AsksForCode shows an input for the code that the server printed; the code of its link is sent along unseen.
	AsksForCode bool
	Errors      map[string]string // by input
	Refused     *contract.Error
}

// SetUpValues are the inputs as they stand; a password is never drawn again.
type SetUpValues struct {
	Workspace, Name, Email, Zone, Code string
}

// SignInModel is the sign-in page.
type SignInModel struct {
	Frame layout.Frame
	Email string
	Next  string // where to go afterwards; an address of ours
	// Carry is a form that was sent when the session had ended already, to be given back afterwards.
	Carry string
	// Refused is why signing in did not work, in one answer for every cause.
	Refused *contract.Error
}

// InvitationModel is the page of an invitation's link. Whether the person has an account already shows nowhere, or
// whoever has a link could find that out.
type InvitationModel struct {
	Frame                         layout.Frame
	Token, Workspace, Email, Name string
	Errors                        map[string]string // by input
	Refused                       *contract.Error
}
