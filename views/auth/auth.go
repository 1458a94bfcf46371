// Package auth contains the pages for setting up a server, signing in, joining a workspace and resetting a password.
package auth

import (
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
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
	// AsksForCode shows an input for the setup code. The code from the setup link is in a hidden input instead.
	AsksForCode bool
	Errors      map[string]string // by input
	Refused     *contract.Error
}

// SetUpValues are the values of the inputs, except the password.
type SetUpValues struct {
	Workspace, Name, Email, Zone, Code string
}

// SignInModel is the sign-in page.
type SignInModel struct {
	Frame layout.Frame
	Email string
	Next  string // the page to show after the sign-in; always one of this server
	// Carry is a form that was submitted after the session had ended. It is shown again after the sign-in.
	Carry string
	// Changed reports that the person has just chosen a new password.
	Changed bool
	// EndedAll reports that the person has just signed out of all browsers.
	EndedAll bool
	// Refused is why the sign-in failed. It does not say whether the account exists.
	Refused *contract.Error
}

// InvitationModel is the page of an invitation link. It does not show whether the person already has an account,
// because anyone with the link could see it.
type InvitationModel struct {
	Frame                         layout.Frame
	Token, Workspace, Email, Name string
	Role                          core.Role
	InvitedBy                     string            // the name of the member who invites; "" if it is not known
	Errors                        map[string]string // by input
	Refused                       *contract.Error
}

// ErasureModel is the page that shows whether Belfry has deleted a person's data, as the person requested on a network.
type ErasureModel struct {
	Frame   layout.Frame
	Code    string
	AskedAt time.Time
	DoneAt  time.Time // zero until the deletion is done
}

// doneYesOrNo returns "yes" or "no", for tests.
func (m ErasureModel) doneYesOrNo() string {
	if m.DoneAt.IsZero() {
		return "no"
	}
	return "yes"
}
