package facebooksim

import (
	"encoding/json"
	"fmt"
)

// Kinds of journal records.
const (
	recPage     = "page"
	recCode     = "code"
	recCodeUsed = "code_used"
	recToken    = "token"
	recTokenEnd = "token_end"
	recRevoke   = "revoke"
	recPost     = "post"
	recPublish  = "publish"
	recCalled   = "called"
	recDelete   = "delete"
	recReset    = "reset"
)

// replay applies one record of a former run.
func (s *Sim) replay(kind string, data []byte) error {
	apply, ok := map[string]func([]byte) error{
		recPage:     with(s.addPage),
		recCode:     with(func(c *grantCode) { s.codes[c.Code] = c }),
		recCodeUsed: with(func(code *string) { s.codes[*code].Used = true }),
		recToken:    with(s.restoreToken),
		recTokenEnd: with(func(e *tokenEnd) { s.tokens[e.Token].Ended = e.Subcode }),
		recRevoke:   with(func(subcode *int) { s.endAll(*subcode) }),
		recPost:     with(s.keep),
		recPublish:  with(func(c *publishing) { s.reveal(s.posts[c.ID], *c) }),
		recCalled:   with(s.restoreCall),
		recDelete:   with(func(id *string) { s.hide(s.posts[*id]) }),
		recReset:    with(func(*bool) { s.forget() }),
	}[kind]
	if !ok {
		return fmt.Errorf("unknown record %q", kind)
	}
	return apply(data)
}

// with decodes a record and applies it. A record that names what no earlier one made is a damaged journal.
func with[T any](apply func(*T)) func([]byte) error {
	return func(data []byte) (err error) {
		value := new(T)
		if err := json.Unmarshal(data, value); err != nil {
			return err
		}
		defer func() {
			if missing := recover(); missing != nil {
				err = fmt.Errorf("it refers to something the journal does not hold: %v", missing)
			}
		}()
		apply(value)
		return nil
	}
}

func (s *Sim) restoreToken(t *token) {
	s.tokens[t.Token] = t
	if t.Page != "" {
		s.derived[[2]string{t.Parent, t.Page}] = t
	}
}

func (s *Sim) restoreCall(id *string) {
	if p, ok := s.posts[*id]; ok {
		p.Calls++
	}
	s.kit.Posts.Called(Name, *id)
}
