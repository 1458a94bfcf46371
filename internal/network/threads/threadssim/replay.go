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

// recordHandlers apply each kind of record of an earlier run.
func (s *Sim) recordHandlers() sim.RecordHandlers {
	return sim.RecordHandlers{
		recAccount:   sim.RecordHandler(func(a *account) error { s.addAccount(a); return nil }),
		recCode:      sim.RecordHandler(func(c *grantCode) error { s.codes[c.Code] = c; return nil }),
		recCodeUsed:  sim.UpdateHandler(s.codes, sim.OwnID, func(c *grantCode, _ string) { c.Used = true }),
		recToken:     sim.RecordHandler(func(t *token) error { s.tokens[t.Token] = t; return nil }),
		recTokenEnd:  sim.UpdateHandler(s.tokens, func(e tokenEnd) string { return e.Token }, (*token).markEnded),
		recContainer: sim.RecordHandler(s.restoreContainer),
		recMedia:     sim.UpdateHandler(s.containers, func(e mediaEnd) string { return e.ID }, (*container).applyMedia),
		recPost:      sim.RecordHandler(s.showPost),
		recCalled:    sim.RecordHandler(func(id string) error { s.kit.Posts.Called(Name, id); return nil }),
		recDelete:    sim.UpdateHandler(s.posts, sim.OwnID, func(p *post, _ string) { s.hidePost(p) }),
		recReset:     sim.RecordHandler(func(bool) error { s.forgetPosts(); return nil }),
	}
}

// restoreContainer leaves media to be downloaded again until a later record says how that ended.
func (s *Sim) restoreContainer(c *container) error {
	c.pending = c.MediaURL != ""
	s.containers[c.ID] = c
	return nil
}
