package facebooksim

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

const (
	// unusedLife is how long a photo that no post shows is kept.
	unusedLife = 24 * time.Hour
	maxPhoto   = 10_000_000
)

// photo is a picture that was fetched and is not published by itself.
type photo struct {
	ID    string    `json:"id"`
	Page  string    `json:"page"`
	Media sim.Media `json:"media"`
	At    time.Time `json:"at"`

	used  bool // by a post or a Story
	story string
	calls int
	first time.Time
}

func (p *photo) isExpired(now time.Time) bool { return !p.used && now.Sub(p.At) >= unusedLife }

// uploadPhoto fetches a photo for a later post. One that is published by the upload is refused here: a lost
// answer would leave nothing to ask about.
func (s *Sim) uploadPhoto(q *apiCall, p *page) {
	address := q.params.Get("url")
	s.runCall(q, []string{callUpload, callPhotos}, address, func() sim.Answer {
		if a, refused := mayPublish(q, p); refused {
			return a
		}
		if name, odd := sim.UnknownParam(q.params, "url", "published"); odd {
			return badParameter("Param " + name + " is not simulated")
		}
		switch {
		case address == "":
			return badParameter("Missing parameter: url")
		case q.params.Get("published") != "false":
			return badParameter("Param published must be false: what is published by its upload is not simulated")
		}
		media, err := s.kit.Fetch(context.WithoutCancel(q.r.Context()), Name, p.ID, address)
		switch {
		case err != nil:
			return graphError(324, 2069019, "(#324) Missing or invalid image file: "+err.Error())
		case !media.Image(sim.JPEG, sim.PNG, sim.GIF, sim.BMP, sim.TIFF) || media.Bytes > maxPhoto:
			return graphError(
				324, 1366046,
				"(#324) Your photos couldn't be uploaded. Photos should be smaller than 10 MB and saved as JPG, PNG, GIF, BMP or TIFF files.",
			)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		fresh := &photo{Page: p.ID, Media: media, At: s.kit.Now()}
		for fresh.ID == "" || s.photos[fresh.ID] != nil {
			fresh.ID = sim.Digits("122", 15)
		}
		if err := s.kit.Record(Name, recPhoto, fresh); err != nil {
			return sim.InternalError(err)
		}
		s.photos[fresh.ID] = fresh
		return sim.OK(map[string]any{"id": fresh.ID})
	})
}

var photoFields = sim.Known("id", "created_time", "page_story_id", "images", "width", "height", "link", "from")

// readPhoto serves one photo; page_story_id names the post that shows it.
func (s *Sim) readPhoto(q *apiCall, p *photo) {
	s.runCall(q, []string{callStatus}, "", func() sim.Answer {
		if name, odd := sim.UnknownParam(q.params, "fields"); odd {
			return badParameter("Param " + name + " is not allowed")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if p.isExpired(s.kit.Now()) {
			return notFoundError(q.r.Method, p.ID)
		}
		node := map[string]any{
			"id": p.ID, "created_time": sim.FormatTime(p.At), "width": p.Media.Width, "height": p.Media.Height,
		}
		if p.story != "" {
			node["page_story_id"] = p.story
		}
		return pickAnswer(q.params.Get("fields"), node, photoFields, "id,created_time", "Photo")
	})
}

// attachedPhotos reads attached_media in its two forms: one parameter for each, or a list.
func attachedPhotos(params map[string][]string) (ids []string, problem string) {
	const name = "attached_media"
	type media struct {
		ID string `json:"media_fbid"`
	}
	var list []media
	if text, ok := params[name]; ok && json.Unmarshal([]byte(text[0]), &list) != nil {
		return nil, "Param " + name + " must be an array"
	}
	for i := 0; ; i++ {
		text, ok := params[name+"["+strconv.Itoa(i)+"]"]
		if !ok {
			break
		}
		var one media
		if json.Unmarshal([]byte(text[0]), &one) != nil {
			return nil, "Param " + name + " must hold objects"
		}
		list = append(list, one)
	}
	given := 0
	for key := range params {
		if strings.HasPrefix(key, name+"[") {
			given++
		}
	}
	if given > 0 && given != len(list) {
		return nil, "Param " + name + " must be numbered from 0 without a gap"
	}
	for _, m := range list {
		if m.ID == "" || slices.Contains(ids, m.ID) {
			return nil, "Param " + name + " must name each photo once by media_fbid"
		}
		ids = append(ids, m.ID)
	}
	return ids, ""
}

// checkPhotos says why photos cannot be published, nil when they can. The caller holds the lock.
func (s *Sim) checkPhotos(owner *page, ids []string) *sim.Answer {
	for _, id := range ids {
		p := s.photos[id]
		switch {
		case p == nil || p.Page != owner.ID || p.isExpired(s.kit.Now()):
			a := notFoundError("POST", id)
			return &a
		case p.used:
			a := graphError(100, 1366051, "(#100) These photos were already posted.")
			return &a
		}
	}
	return nil
}

// photoFiles are the files of photos. The caller holds the lock.
func (s *Sim) photoFiles(ids []string) []sim.Media {
	var all []sim.Media
	for _, id := range ids {
		if p := s.photos[id]; p != nil {
			all = append(all, p.Media)
		}
	}
	return all
}

// markUsed marks photos as shown by a post. The caller holds the lock, or the network is still starting.
func (s *Sim) markUsed(ids []string, post string) {
	for _, id := range ids {
		if p := s.photos[id]; p != nil {
			p.used, p.story = true, post
		}
	}
}

func mediaURL(m sim.Media) string { return "https://" + site + "/media/" + m.SHA256 }

func shownMedia(media []sim.Media) []sim.Shown {
	var all []sim.Shown
	for _, m := range media {
		all = append(all, sim.Shown{Media: m, URL: mediaURL(m)})
	}
	return all
}
