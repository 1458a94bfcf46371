package core

// MailChoice is which problems of a workspace a member gets by email.
type MailChoice string

// Choices.
const (
	MailAll  MailChoice = "all"  // of all posts and accounts
	MailOwn  MailChoice = "own"  // of the posts that the member created
	MailNone MailChoice = "none" // none
)

// ParseMailChoice parses a choice; path is its place in the request.
func ParseMailChoice(path, s string) (MailChoice, error) {
	switch c := MailChoice(s); c {
	case MailAll, MailOwn, MailNone:
		return c, nil
	}
	return "", Invalid(path, "The choice must be %q, %q or %q.", MailAll, MailOwn, MailNone)
}

// MailFor returns the choice of a member with this role: their own, or what the role implies if they made none.
func (r Role) MailFor(own MailChoice) MailChoice {
	switch {
	case own != "":
		return own
	case r.Manages():
		return MailAll
	case r.Writes():
		return MailOwn
	}
	return MailNone
}
