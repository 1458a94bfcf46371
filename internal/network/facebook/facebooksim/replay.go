package facebooksim

import "belfry/internal/network/sim"

// Kinds of journal records.
const (
	recPage      = "page"
	recCode      = "code"
	recCodeUsed  = "code_used"
	recToken     = "token"
	recTokenEnd  = "token_end"
	recRevoke    = "revoke"
	recPost      = "post"
	recPublish   = "publish"
	recCalled    = "called"
	recDelete    = "delete"
	recReset     = "reset"
	recPhoto     = "photo"
	recStory     = "story"
	recVideo     = "video"
	recUpload    = "upload"
	recFetched   = "fetched"
	recTaken     = "taken"
	recVideoLive = "video_live"
)

// appliers say what each kind of record of a former run changes.
func (s *Sim) appliers() sim.Appliers {
	return sim.Appliers{
		recPage:      sim.Applier(func(p *page) error { s.addPage(p); return nil }),
		recCode:      sim.Applier(func(c *grantCode) error { s.codes[c.Code] = c; return nil }),
		recCodeUsed:  sim.Applier(s.restoreUse),
		recToken:     sim.Applier(s.restoreToken),
		recTokenEnd:  sim.Applier(s.restoreEnd),
		recRevoke:    sim.Applier(func(subcode int) error { s.endAll(subcode); return nil }),
		recPost:      sim.Applier(s.keep),
		recPublish:   sim.Applier(s.restorePublishing),
		recCalled:    sim.Applier(s.restoreCall),
		recDelete:    sim.Applier(s.restoreDelete),
		recPhoto:     sim.Applier(func(p *photo) error { s.photos[p.ID] = p; return nil }),
		recStory:     sim.Applier(s.photoStoryLive),
		recVideo:     sim.Applier(func(v *video) error { s.videos[v.ID] = v; return nil }),
		recUpload:    sim.Applier(s.restoreUpload),
		recFetched:   sim.Applier(s.restoreFetched),
		recTaken:     sim.Applier(s.restoreTaken),
		recVideoLive: sim.Applier(s.videoLive),
		recReset:     sim.Applier(func(bool) error { s.forget(); return nil }),
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
	if p := s.posts[id]; p != nil { // else it is a video or a Story
		p.Calls++
	}
	s.kit.Posts.Called(Name, id)
	return nil
}

func (s *Sim) restoreDelete(id string) error {
	p, err := sim.Find(s.posts, id)
	if err == nil {
		s.hide(p)
	}
	return err
}

func (s *Sim) restoreUpload(u upload) error {
	v, err := sim.Find(s.videos, u.ID)
	if err == nil {
		v.url = u.URL
	}
	return err
}

func (s *Sim) restoreFetched(e fetched) error {
	v, err := sim.Find(s.videos, e.ID)
	if err == nil {
		v.fetched = e
	}
	return err
}

func (s *Sim) restoreTaken(t taken) error {
	v, err := sim.Find(s.videos, t.ID)
	if err == nil {
		v.taken = t
	}
	return err
}
