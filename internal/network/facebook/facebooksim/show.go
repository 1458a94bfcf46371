package facebooksim

import (
	"net/http"
	"time"

	"belfry/internal/network/sim"
)

// servePost draws the public page of a post.
func (s *Sim) servePost(w http.ResponseWriter, r *http.Request, id string) {
	s.mu.Lock()
	p, ok := s.posts[id]
	var drawn sim.PostPage
	if ok = ok && p.Published; ok {
		drawn = s.postToShow(p.Page, p.Message, p.At, s.photoFiles(p.Photos))
		drawn.Link = p.Link
	}
	s.mu.Unlock()
	s.drawPost(w, r, drawn, ok)
}

// serveVideo draws the public page of a video or a Reel.
func (s *Sim) serveVideo(w http.ResponseWriter, r *http.Request, id string) {
	s.mu.Lock()
	v, ok := s.videos[id]
	var drawn sim.PostPage
	if ok = ok && v.post == id; ok {
		drawn = s.postToShow(v.Page, v.taken.Description, v.taken.At, []sim.Media{v.fetched.Media})
		drawn.Topic = v.taken.Title
	}
	s.mu.Unlock()
	s.drawPost(w, r, drawn, ok)
}

// serveStory draws a Story for the day that it is there.
func (s *Sim) serveStory(w http.ResponseWriter, r *http.Request, page, post string) {
	s.mu.Lock()
	var drawn sim.PostPage
	ok := false
	if owner := s.pages[page]; owner != nil {
		for _, o := range owner.stories {
			if o.Post == post && s.kit.Now().Sub(o.At) < storyLife {
				drawn, ok = s.postToShow(page, "", o.At, []sim.Media{o.File}), true
			}
		}
	}
	s.mu.Unlock()
	s.drawPost(w, r, drawn, ok)
}

// postToShow is a page of a Page's. The caller holds the lock.
func (s *Sim) postToShow(page, text string, at time.Time, media []sim.Media) sim.PostPage {
	owner := s.pages[page]
	return sim.PostPage{
		Network: Name, Title: "Facebook", Name: owner.Name, Handle: owner.Category, Picture: pictureURL(owner.ID), Text: text,
		Media: shownMedia(media), At: at,
	}
}

func (s *Sim) drawPost(w http.ResponseWriter, r *http.Request, drawn sim.PostPage, ok bool) {
	if !ok {
		s.showNotice(
			w, r, http.StatusNotFound, "This content isn't available right now", "It was deleted or never published.",
		)
		return
	}
	s.kit.Page(w, r, http.StatusOK, "post", drawn)
}
