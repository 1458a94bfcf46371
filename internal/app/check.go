package app

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"

	"belfry/internal/core"
	"belfry/internal/secret"
)

// Maximum lengths of short texts, in characters.
const (
	maxName        = 80
	maxDescription = 1000
	maxSlug        = 40
	maxEmail       = 254
)

// checkName returns invalid_request if a name is blank, is too long, or has more than one line. The message begins with
// label.
func checkName(fieldPath, label, name string) error {
	return core.CheckRequiredLine(fieldPath, label, name, maxName)
}

// checkAndTrimEmail returns an email address without surrounding spaces, or invalid_request if it is not a plain
// address. It does not change the case of letters.
func checkAndTrimEmail(fieldPath, email string) (trimmed string, err error) {
	email = strings.TrimSpace(email)
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > maxEmail || strings.ContainsFunc(email, unicode.IsControl) {
		return "", core.Invalid(fieldPath, "Enter an email address such as ada@example.org.")
	}
	return email, nil
}

// checkNewPassword returns invalid_request if a new password does not meet the requirements.
func checkNewPassword(password string) error {
	if err := secret.CheckNewPassword(password); err != nil {
		return core.Invalid("password", "%s", err.Error())
	}
	return nil
}

// ErrChanged is the cause of the conflict when somebody else has changed an object first.
var ErrChanged = errors.New("the object was changed after this revision was read")

// checkRevisionIfShown returns conflict if a page showed a revision of an object other than the current one, and nil if
// no page has shown the object. noun is what the object is called.
func checkRevisionIfShown(noun, shownOrEmpty, current string) error {
	if shownOrEmpty == "" || shownOrEmpty == current {
		return nil
	}
	return core.Fail(core.CodeConflict, "The %s was changed after you opened this page.", noun).
		WithHint("Check the current %s, then make your change again if you still want it.", noun).WithCause(ErrChanged)
}

// maxFilterName is the maximum size in bytes of a name by which a list is filtered, such as an action's.
const maxFilterName = 100
