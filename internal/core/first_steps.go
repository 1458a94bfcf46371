package core

// FirstSteps says which of a new workspace's first steps are done.
type FirstSteps struct {
	Account bool // an account is connected
	File    bool // a file is in the library
	Post    bool // a post was scheduled or sent
}

// CountDone returns how many of the steps are done.
func (s FirstSteps) CountDone() int {
	n := 0
	for _, done := range []bool{s.Account, s.File, s.Post} {
		if done {
			n++
		}
	}
	return n
}

// AllDone reports whether all steps are done.
func (s FirstSteps) AllDone() bool { return s.Account && s.File && s.Post }
