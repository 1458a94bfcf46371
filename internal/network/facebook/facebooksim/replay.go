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

// recordHandlers say what each kind of record of a former run changes.
func (s *Sim) recordHandlers() sim.RecordHandlers {
	return sim.RecordHandlers{
		recPage:      sim.RecordHandler(func(p *page) error { s.addPage(p); return nil }),
		recCode:      sim.RecordHandler(func(c *grantCode) error { s.codes[c.Code] = c; return nil }),
		recCodeUsed:  sim.RecordHandler(s.restoreUse),
		recToken:     sim.RecordHandler(s.restoreToken),
		recTokenEnd:  sim.RecordHandler(s.restoreEnd),
		recRevoke:    sim.RecordHandler(func(subcode int) error { s.endTokens(subcode); return nil }),
		recPost:      sim.RecordHandler(s.storePost),
		recPublish:   sim.RecordHandler(s.restorePublishing),
		recCalled:    sim.RecordHandler(s.restoreCall),
		recDelete:    sim.RecordHandler(s.restoreDelete),
		recPhoto:     sim.RecordHandler(func(p *photo) error { s.photos[p.ID] = p; return nil }),
		recStory:     sim.RecordHandler(s.photoStoryLive),
		recVideo:     sim.RecordHandler(func(v *video) error { s.videos[v.ID] = v; return nil }),
		recUpload:    sim.RecordHandler(s.restoreUpload),
		recFetched:   sim.RecordHandler(s.restoreFetched),
		recTaken:     sim.RecordHandler(s.restoreTaken),
		recVideoLive: sim.RecordHandler(s.videoLive),
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
		s.revealPost(p, change)
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
		s.hidePost(p)
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

func (s *Sim) restoreFetched(e fetchResult) error {
	v, err := sim.Find(s.videos, e.ID)
	if err == nil {
		v.fetched = e
	}
	return err
}

func (s *Sim) restoreTaken(t acceptedVideo) error {
	v, err := sim.Find(s.videos, t.ID)
	if err == nil {
		v.taken = t
	}
	return err
}
