package facebooksim

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

const (
	// unusedLife is how long an unused photo is kept.
	unusedLife = 24 * time.Hour
	maxPhoto   = 10_000_000
)

// photo is an uploaded photo, which is not published by its upload.
type photo struct {
	ID    string    `json:"id"`
	Page  string    `json:"page"`
	Media sim.Media `json:"media"`
	At    time.Time `json:"at"`

	Used  bool      `json:"used,omitempty"` // by a post or a Story
	Post  string    `json:"post,omitempty"` // the post that shows it
	Calls int       `json:"calls,omitempty"`
	First time.Time `json:"first,omitzero"`
}

func (p *photo) isExpired(now time.Time) bool { return !p.Used && now.Sub(p.At) >= unusedLife }

// checkUploadDoesNotPublish refuses an upload that also publishes: if its response were lost, nothing could be queried.
func checkUploadDoesNotPublish(q *sim.Request) error {
	if q.Params.Get("published") != "false" {
		return metasim.Bad("Param published must be false: uploads that publish are not simulated")
	}
	return nil
}

// keepSentFileOrRequireURL stores the file in the form, if there is one, as the file of the call. A call must have
// either a file or an address.
func (s *Sim) keepSentFileOrRequireURL(q *sim.Request) error {
	file, _, err := sim.OpenFormFile(q.R)
	switch {
	case err != nil:
		return metasim.Bad("%s", err)
	case (file == nil) == (q.Params.Get("url") == ""):
		return metasim.Bad("Either the parameter url or a file is required")
	case file == nil:
		return nil
	}
	defer file.Close()
	q.Media, err = s.kit.KeepFile(file)
	return err
}

// uploadPhoto stores a photo for a later post.
func (s *Sim) uploadPhoto(q *sim.Request) (any, error) {
	if err := errors.Join(checkUploadDoesNotPublish(q), s.keepSentFileOrRequireURL(q)); err != nil {
		return nil, err
	}
	switch {
	case q.MediaError != nil:
		return nil, &metasim.Error{
			Code: 324, Subcode: 2069019, Message: "(#324) Missing or invalid image file: " + q.MediaError.Error(),
		}
	case !q.Media.IsImageOf(sim.JPEG, sim.PNG, sim.GIF, sim.BMP, sim.TIFF) || q.Media.Bytes > maxPhoto:
		return nil, &metasim.Error{
			Code: 324, Subcode: 1366046, Message: "(#324) Your photos couldn't be uploaded. Photos should be smaller than 10 MB " +
				"and saved as JPG, PNG, GIF, BMP or TIFF files.",
		}
	}
	q.Media.Alt = q.Params.Get("alt_text_custom")
	fresh := &photo{ID: s.photos.NewID("122", 15), Page: q.Account, Media: q.Media, At: s.kit.Now()}
	return map[string]any{"id": fresh.ID}, s.photos.Put(fresh.ID, fresh)
}

var photoKind = metasim.NewKind(
	"Photo", "id,created_time", "created_time", "page_story_id", "images", "width", "height", "link", "from",
)

// photoRoute returns the route that serves a photo, with the post that shows it as page_story_id.
func (s *Sim) photoRoute(p *photo) sim.Route {
	return sim.Route{Names: []string{callStatus}, Params: []string{"fields"}, Serve: func(q *sim.Request) (any, error) {
		if p.isExpired(s.kit.Now()) {
			return nil, metasim.NotFound(q.R.Method, p.ID)
		}
		node := map[string]any{
			"id": p.ID, "created_time": metasim.FormatTime(p.At), "width": p.Media.Width, "height": p.Media.Height,
		}
		if p.Post != "" {
			node["page_story_id"] = p.Post
		}
		return photoKind.Pick(q.Params.Get("fields"), node)
	}}
}

// readAttachedPhotos returns the ids in attached_media, which is a list or one parameter for each photo.
func readAttachedPhotos(params url.Values) (ids []string, err error) {
	const name = "attached_media"
	type media struct {
		ID string `json:"media_fbid"`
	}
	var list []media
	if params.Has(name) && json.Unmarshal([]byte(params.Get(name)), &list) != nil {
		return nil, metasim.Bad("Param %s must be an array", name)
	}
	given := 0
	for key := range params {
		if strings.HasPrefix(key, name+"[") {
			given++
		}
	}
	for i := range given {
		var one media
		if json.Unmarshal([]byte(params.Get(name+"["+strconv.Itoa(i)+"]")), &one) != nil {
			return nil, metasim.Bad("Param %s must contain objects that are numbered from 0 without gaps", name)
		}
		list = append(list, one)
	}
	for _, m := range list {
		if m.ID == "" || slices.Contains(ids, m.ID) {
			return nil, metasim.Bad("Param %s must contain the media_fbid of each photo once", name)
		}
		ids = append(ids, m.ID)
	}
	return ids, nil
}

// checkPhotos returns an error unless all photos can be published.
func (s *Sim) checkPhotos(q *sim.Request, ids []string) error {
	for _, id := range ids {
		p := s.photos.Get(id)
		switch {
		case p == nil || p.Page != q.Account || p.isExpired(s.kit.Now()):
			return metasim.NotFound("POST", id)
		case p.Used:
			return &metasim.Error{Code: 100, Subcode: 1366051, Message: "(#100) These photos were already posted."}
		}
	}
	return nil
}

// listPhotoFiles returns the files of photos.
func (s *Sim) listPhotoFiles(ids []string) []sim.Media {
	var all []sim.Media
	for _, id := range ids {
		if p := s.photos.Get(id); p != nil {
			all = append(all, p.Media)
		}
	}
	return all
}

// markCheckedPhotosUsed stores that a post or, if post is empty, a Story uses photos. The caller has checked them with
// checkPhotos under the same lock.
func (s *Sim) markCheckedPhotosUsed(ids []string, post string) error {
	for _, id := range ids {
		p := s.photos.Get(id)
		p.Used, p.Post = true, post
		if err := s.photos.Put(id, p); err != nil {
			return err
		}
	}
	return nil
}

// countPhotoStoryAttempt counts a call that publishes a photo Story when it arrives, whatever its outcome.
func (s *Sim) countPhotoStoryAttempt(q *sim.Request) {
	p := s.photos.Get(q.Params.Get("photo_id"))
	if p == nil || p.Page != q.Account {
		return
	}
	if p.Calls++; p.Calls == 1 {
		p.First = s.kit.ArrivalTime(q.R)
	}
	for o := range s.kit.Posts.Newest(Name, p.Page) {
		if o.Extra["media_id"] == p.ID {
			s.kit.Posts.CountPublishCall(Name, o.ID)
		}
	}
}

// publishPhotoStory publishes an uploaded photo as a Story, which is irreversible.
func (s *Sim) publishPhotoStory(q *sim.Request) (any, error) {
	id := q.Params.Get("photo_id")
	if err := s.checkPhotos(q, []string{id}); err != nil {
		return nil, err
	}
	used := s.photos.Get(id)
	story := sim.Post{
		Account: used.Page, ID: sim.RandomDigits("77", 15), Media: []sim.Media{used.Media}, CreatedAt: s.kit.Now(),
		ArrivedAt: s.kit.ArrivalTime(q.R), FirstCallAt: used.At, FirstPublishCallAt: used.First, PublishCalls: used.Calls,
		Extra: map[string]string{"edge": edgePhotoStories, "kind": "photo", "media_id": id},
	}
	if err := s.markCheckedPhotosUsed([]string{id}, ""); err != nil {
		return nil, err
	}
	return map[string]any{"success": true, "post_id": metasim.BigNumber(story.ID)}, s.putStory(story)
}

// putStory makes a Story visible.
func (s *Sim) putStory(story sim.Post) error {
	story.Network, story.AccountName = Name, s.login.Page(story.Account).Name
	story.URL = "https://" + metasim.PageSite + "/stories/" + story.Account + "/" + story.ID
	return s.kit.Posts.Put(story)
}
