package facebooksim

import "belfry/internal/network/sim"

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

// appliers say what each kind of record of a former run changes.
func (s *Sim) appliers() sim.Appliers {
	return sim.Appliers{
		recPage:     sim.Applier(func(p *page) error { s.addPage(p); return nil }),
		recCode:     sim.Applier(func(c *grantCode) error { s.codes[c.Code] = c; return nil }),
		recCodeUsed: sim.Applier(s.restoreUse),
		recToken:    sim.Applier(s.restoreToken),
		recTokenEnd: sim.Applier(s.restoreEnd),
		recRevoke:   sim.Applier(func(subcode int) error { s.endAll(subcode); return nil }),
		recPost:     sim.Applier(s.keep),
		recPublish:  sim.Applier(s.restorePublishing),
		recCalled:   sim.Applier(s.restoreCall),
		recDelete:   sim.Applier(s.restoreDelete),
		recReset:    sim.Applier(func(bool) error { s.forget(); return nil }),
	}
}

func (s *Sim) restoreUse(code string) error {
	c, err := sim.Find(s.codes, code)
	if err == nil {
		c.Used = true
	}
	return err
}

func (s *Sim) restoreToken(t *token) error {
	s.tokens[t.Token] = t
	if t.Page != "" {
		s.derived[[2]string{t.Parent, t.Page}] = t
	}
	return nil
}

func (s *Sim) restoreEnd(e tokenEnd) error {
	t, err := sim.Find(s.tokens, e.Token)
	if err == nil {
		t.Ended = e.Subcode
	}
	return err
}

func (s *Sim) restorePublishing(change publishing) error {
	p, err := sim.Find(s.posts, change.ID)
	if err == nil {
		s.reveal(p, change)
	}
	return err
}

func (s *Sim) restoreCall(id string) error {
	p, err := sim.Find(s.posts, id)
	if err == nil {
		p.Calls++
		s.kit.Posts.Called(Name, id)
	}
	return err
}

func (s *Sim) restoreDelete(id string) error {
	p, err := sim.Find(s.posts, id)
	if err == nil {
		s.hide(p)
	}
	return err
}
