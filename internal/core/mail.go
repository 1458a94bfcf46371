package core

// MailChoice says which problems of a workspace a member gets emails about.
type MailChoice string

// Choices of emails.
const (
	MailAll  MailChoice = "all"  // about all posts and accounts
	MailOwn  MailChoice = "own"  // about the posts that the member created
	MailNone MailChoice = "none" // about none
)

// ParseMailChoice parses a choice; path is its place in the request.
func ParseMailChoice(path, s string) (MailChoice, error) {
	switch c := MailChoice(s); c {
	case MailAll, MailOwn, MailNone:
		return c, nil
	}
	return "", Invalid(path, "The choice must be %q, %q or %q.", MailAll, MailOwn, MailNone)
}

// MailChoiceOrDefault returns the member's own choice or, if it is empty, the default of the role.
func (r Role) MailChoiceOrDefault(chosen MailChoice) MailChoice {
	switch {
	case chosen != "":
		return chosen
	case r.CanManage():
		return MailAll
	case r.CanWrite():
		return MailOwn
	}
	return MailNone
}
