package core

// FirstSteps is what has been done in a workspace of that which makes it useful.
type FirstSteps struct {
	Account bool // an account is connected
	File    bool // a file is in the library
	Post    bool // a post was scheduled or published
}

// Count returns how many of the steps are done.
func (s FirstSteps) Count() int {
	n := 0
	for _, done := range []bool{s.Account, s.File, s.Post} {
		if done {
			n++
		}
	}
	return n
}

// Done reports whether all steps are done.
func (s FirstSteps) Done() bool { return s.Account && s.File && s.Post }
