package threadssim

import (
	"encoding/json"
	"fmt"
)

// Kinds of journal records.
const (
	recAccount   = "account"
	recCode      = "code"
	recCodeUsed  = "code_used"
	recToken     = "token"
	recTokenEnd  = "token_end"
	recContainer = "container"
	recMedia     = "media"
	recPost      = "post"
	recCalled    = "called"
	recDelete    = "delete"
	recReset     = "reset"
)

type tokenEnd struct {
	Token   string `json:"token"`
	Revoked bool   `json:"revoked"`
	Subcode int    `json:"subcode"`
}

type mediaEnd struct {
	ID      string `json:"id"`
	Problem string `json:"problem"`
}

// replay applies one record of a former run.
func (s *Sim) replay(kind string, data []byte) error {
	var err error
	read := func(into any) bool {
		err = json.Unmarshal(data, into)
		return err == nil
	}
	switch kind {
	case recAccount:
		if a := new(account); read(a) {
			s.addAccount(a)
		}
	case recCode:
		if c := new(grantCode); read(c) {
			s.codes[c.Code] = c
		}
	case recToken:
		if t := new(token); read(t) {
			s.tokens[t.Token] = t
		}
	case recContainer:
		if c := new(container); read(c) {
			c.pending = c.MediaURL != ""
			s.containers[c.ID] = c
		}
	case recPost:
		if p := new(post); read(p) {
			return s.show(p)
		}
	case recCodeUsed, recTokenEnd, recMedia, recCalled, recDelete, recReset:
		return s.replayChange(kind, data)
	default:
		return fmt.Errorf("unknown record %q", kind)
	}
	return err
}

func (s *Sim) replayChange(kind string, data []byte) error {
	switch kind {
	case recTokenEnd:
		var e tokenEnd
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		if t, ok := s.tokens[e.Token]; ok {
			t.end(e)
		}
		return nil
	case recMedia:
		var e mediaEnd
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		if c, ok := s.containers[e.ID]; ok {
			c.settle(e.Problem)
		}
		return nil
	case recReset:
		s.forget()
		return nil
	}
	var id string
	if err := json.Unmarshal(data, &id); err != nil {
		return err
	}
	switch kind {
	case recCodeUsed:
		if c, ok := s.codes[id]; ok {
			c.Used = true
		}
	case recCalled:
		s.kit.Posts.Called(Name, id)
	case recDelete:
		if p, ok := s.posts[id]; ok {
			s.hide(p)
		}
	}
	return nil
}
