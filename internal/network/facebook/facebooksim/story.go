package facebooksim

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"belfry/internal/network/sim"
)

const storyLife = 24 * time.Hour

// story is a picture or a video that a Page shows for a day.
type story struct {
	Post  string    `json:"post"`
	Page  string    `json:"page"`
	Media string    `json:"media"` // the photo or the video
	Kind  string    `json:"kind"`
	At    time.Time `json:"at"`
	File  sim.Media `json:"file"`
	// How it came about, stored so that a restart does not change what tests read.
	ArrivedAt time.Time `json:"arrivedAt"`
	First     time.Time `json:"first"`
	Calls     int       `json:"calls"`
}

func jsonNumber(id string) json.Number { return json.Number(id) }

func (o story) siteURL(page string) string {
	return "https://" + site + "/stories/" + page + "/" + o.Post
}

// publishPhotoStory shows an uploaded photo as a Story: the one irreversible call.
func (s *Sim) publishPhotoStory(q *apiCall, p *page) {
	id := q.params.Get("photo_id")
	s.attemptPhoto(q, p, id)
	s.runCall(q, []string{callPublish}, "", func() sim.Answer {
		if a, refused := mayPublish(q, p); refused {
			return a
		}
		if name, odd := sim.UnknownParam(q.params, "photo_id"); odd {
			return badParameter("Param " + name + " is not simulated")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if a := s.checkPhotos(p, []string{id}); a != nil {
			return *a
		}
		used := s.photos[id]
		o := story{
			Post: sim.Digits("77", 15), Page: p.ID, Media: id, Kind: "photo", At: s.kit.Now(), File: used.Media,
			ArrivedAt: s.kit.Arrived(q.r), First: used.first, Calls: used.calls,
		}
		if err := s.kit.Record(Name, recStory, o); err != nil {
			return sim.InternalError(err)
		}
		if err := s.photoStoryLive(o); err != nil {
			return sim.InternalError(err)
		}
		return sim.OK(map[string]any{"success": true, "post_id": jsonNumber(o.Post)})
	})
}

// attemptPhoto counts a publishing call when it arrives, whatever becomes of it.
func (s *Sim) attemptPhoto(q *apiCall, p *page, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	used := s.photos[id]
	if used == nil || used.Page != p.ID {
		return
	}
	if used.calls++; used.calls == 1 {
		used.first = s.kit.Arrived(q.r)
	}
	for _, o := range p.stories {
		if o.Media == id {
			s.kit.Posts.Called(Name, o.Post)
			_ = s.kit.Record(Name, recCalled, o.Post)
		}
	}
}

// photoStoryLive shows a recorded Story. The caller holds the lock, or the network is still starting.
func (s *Sim) photoStoryLive(o story) error {
	owner, err := sim.Find(s.pages, o.Page)
	if err != nil {
		return err
	}
	s.markUsed([]string{o.Media}, "")
	owner.stories = append(owner.stories, o)
	s.kit.Posts.Add(sim.Post{
		Network: Name, Account: o.Page, AccountName: owner.Name, ID: o.Post, URL: o.siteURL(o.Page),
		Media:     []sim.Media{o.File},
		CreatedAt: o.At, ArrivedAt: o.ArrivedAt, FirstCallAt: o.First, FirstPublishCallAt: o.First, PublishCalls: o.Calls,
		Extra: map[string]string{"edge": "photo_stories"},
	})
	return nil
}

// listStories serves a Page's Stories, newest first.
func (s *Sim) listStories(q *apiCall, p *page) {
	s.runCall(q, []string{callStories}, "", func() sim.Answer {
		if name, odd := sim.UnknownParam(q.params, "since", "until", "limit", "after"); odd {
			return badParameter("Param " + name + " is not allowed")
		}
		if q.token.Page != p.ID {
			return noPermission(200, "(#200) A Page access token of this Page is required")
		}
		if !q.token.hasScope(scopeReadEngagement) {
			return missingScope(scopeReadEngagement)
		}
		since, until, problem := sim.ReadSpan(q.params)
		if problem != "" {
			return badParameter(problem)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return sim.OK(map[string]any{"data": s.storiesBetween(p, since, until)})
	})
}

func (s *Sim) storiesBetween(p *page, since, until time.Time) []any {
	now := s.kit.Now()
	seenUntil := now.Add(-time.Duration(s.kit.Number(OptListDelay)) * time.Second)
	data := []any{}
	for _, o := range slices.Backward(p.stories) {
		if o.At.Before(since) || o.At.After(seenUntil) || !until.IsZero() && o.At.After(until) {
			continue
		}
		status := "PUBLISHED"
		if now.Sub(o.At) >= storyLife {
			status = "ARCHIVED"
		}
		data = append(data, map[string]any{
			"post_id": o.Post, "status": status, "creation_time": strconv.FormatInt(o.At.Unix(), 10), "media_type": o.Kind,
			"media_id": o.Media, "url": o.siteURL(p.ID),
		})
	}
	return data
}
