package threadssim

import (
	"time"

	"belfry/internal/network/sim"
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
	ID      string    `json:"id"`
	Problem string    `json:"problem"`
	Media   sim.Media `json:"media"`
	Ready   time.Time `json:"ready"`
}

// recordHandlers say what each kind of record of a former run changes.
func (s *Sim) recordHandlers() sim.RecordHandlers {
	return sim.RecordHandlers{
		recAccount:   sim.RecordHandler(func(a *account) error { s.addAccount(a); return nil }),
		recCode:      sim.RecordHandler(func(c *grantCode) error { s.codes[c.Code] = c; return nil }),
		recCodeUsed:  sim.RecordHandler(s.restoreUse),
		recToken:     sim.RecordHandler(func(t *token) error { s.tokens[t.Token] = t; return nil }),
		recTokenEnd:  sim.RecordHandler(s.restoreEnd),
		recContainer: sim.RecordHandler(s.restoreContainer),
		recMedia:     sim.RecordHandler(s.restoreMedia),
		recPost:      sim.RecordHandler(s.showPost),
		recCalled:    sim.RecordHandler(func(id string) error { s.kit.Posts.Called(Name, id); return nil }),
		recDelete:    sim.RecordHandler(s.restoreDelete),
		recReset:     sim.RecordHandler(func(bool) error { s.forgetPosts(); return nil }),
	}
}

func (s *Sim) restoreUse(code string) error {
	c, err := sim.Find(s.codes, code)
	if err == nil {
		c.Used = true
	}
	return err
}

func (s *Sim) restoreEnd(e tokenEnd) error {
	t, err := sim.Find(s.tokens, e.Token)
	if err == nil {
		t.markEnded(e)
	}
	return err
}

// restoreContainer leaves media to be downloaded again until a later record says how that ended.
func (s *Sim) restoreContainer(c *container) error {
	c.pending = c.MediaURL != ""
	s.containers[c.ID] = c
	return nil
}

func (s *Sim) restoreMedia(e mediaEnd) error {
	c, err := sim.Find(s.containers, e.ID)
	if err == nil {
		c.applyMedia(e)
	}
	return err
}

func (s *Sim) restoreDelete(id string) error {
	p, err := sim.Find(s.posts, id)
	if err == nil {
		s.hidePost(p)
	}
	return err
}
