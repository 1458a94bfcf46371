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

// recordHandlers apply each kind of record of an earlier run.
func (s *Sim) recordHandlers() sim.RecordHandlers {
	return sim.RecordHandlers{
		recPage:     sim.RecordHandler(func(p *page) error { s.addPage(p); return nil }),
		recCode:     sim.RecordHandler(func(c *grantCode) error { s.codes[c.Code] = c; return nil }),
		recCodeUsed: sim.UpdateHandler(s.codes, sim.OwnID, func(c *grantCode, _ string) { c.Used = true }),
		recToken:    sim.RecordHandler(s.restoreToken),
		recTokenEnd: sim.UpdateHandler(
			s.tokens, func(e tokenEnd) string { return e.Token }, func(t *token, e tokenEnd) { t.Ended = e.Subcode },
		),
		recRevoke:  sim.RecordHandler(func(subcode int) error { s.endTokens(subcode); return nil }),
		recPost:    sim.RecordHandler(s.storePost),
		recPublish: sim.UpdateHandler(s.posts, func(p publishing) string { return p.ID }, s.revealPost),
		recCalled:  sim.RecordHandler(s.restoreCall),
		recDelete:  sim.UpdateHandler(s.posts, sim.OwnID, func(p *post, _ string) { s.hidePost(p) }),
		recPhoto:   sim.RecordHandler(func(p *photo) error { s.photos[p.ID] = p; return nil }),
		recStory:   sim.RecordHandler(s.photoStoryLive),
		recVideo:   sim.RecordHandler(func(v *video) error { s.videos[v.ID] = v; return nil }),
		recUpload: sim.UpdateHandler(
			s.videos, func(u upload) string { return u.ID }, func(v *video, u upload) { v.url = u.URL },
		),
		recFetched: sim.UpdateHandler(
			s.videos, func(f fetchResult) string { return f.ID }, func(v *video, f fetchResult) { v.fetched = f },
		),
		recTaken: sim.UpdateHandler(
			s.videos, func(a acceptedVideo) string { return a.ID }, func(v *video, a acceptedVideo) { v.taken = a },
		),
		recVideoLive: sim.RecordHandler(s.videoLive),
		recReset:     sim.RecordHandler(func(bool) error { s.forgetPosts(); return nil }),
	}
}

func (s *Sim) restoreToken(t *token) error {
	s.tokens[t.Token] = t
	if t.Page != "" {
		s.derived[[2]string{t.Parent, t.Page}] = t
	}
	return nil
}

func (s *Sim) restoreCall(id string) error {
	if p := s.posts[id]; p != nil { // else it is a video or a Story
		p.Calls++
	}
	s.kit.Posts.Called(Name, id)
	return nil
}
