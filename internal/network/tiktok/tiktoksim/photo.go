package tiktoksim

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf16"

	"belfry/internal/network/sim"
)

const (
	maxPhotoTitle  = 90
	maxDescription = 4000
	maxPhotos      = 35
	maxPhotoBytes  = 20_000_000
)

// photoInfo holds the settings of photos. Required fields are pointers.
type photoInfo struct {
	Title          string `json:"title"`
	Description    string `json:"description"`
	Privacy        string `json:"privacy_level"`
	DisableComment bool   `json:"disable_comment"`
	Music          bool   `json:"auto_add_music"`
	BrandContent   *bool  `json:"brand_content_toggle"`
	BrandOrganic   *bool  `json:"brand_organic_toggle"`
	AI             bool   `json:"is_aigc"`
}

type photoSource struct {
	Source string   `json:"source"`
	Cover  int      `json:"photo_cover_index"`
	Images []string `json:"photo_images"`
}

// initPhotos starts a post of photos. The simulator fetches them immediately and then publishes the post without
// another call.
func (s *Sim) initPhotos(q *sim.Request) (any, error) {
	var info photoInfo
	var source photoSource
	for name, into := range map[string]any{"post_info": &info, "source_info": &source} {
		if err := decodeStrictly(q, name, into); err != nil {
			return nil, err
		}
	}
	length := func(text string) int { return len(utf16.Encode([]rune(text))) }
	switch {
	case q.Params.Get("media_type") != "PHOTO" || q.Params.Get("post_mode") != "DIRECT_POST":
		return nil, newInvalidParamError("media_type must be PHOTO, and post_mode must be DIRECT_POST")
	case length(info.Title) > maxPhotoTitle || length(info.Description) > maxDescription:
		return nil, newInvalidParamError("The title or the description is too long")
	case source.Source != "PULL_FROM_URL" || len(source.Images) < 1 || len(source.Images) > maxPhotos:
		return nil, newInvalidParamError("source must be PULL_FROM_URL, and photo_images must contain 1 to 35 addresses")
	case source.Cover < 0 || source.Cover >= len(source.Images):
		return nil, newInvalidParamError("photo_cover_index is out of range")
	case s.kit.Option(OptVerified) == Off:
		return nil, newCodedError("url_ownership_unverified", guidelines)
	}
	t := &task{
		Account: q.Account, MadeAt: s.kit.Now(), ArrivedAt: s.kit.ArrivalTime(q.R), Photos: &source, Music: info.Music,
		Title: info.Title,
	}
	t.Info = postInfo{
		Title: info.Description, Privacy: info.Privacy, DisableComment: info.DisableComment, DisableDuet: true,
		DisableStitch: true, BrandContent: info.BrandContent, BrandOrganic: info.BrandOrganic, AI: info.AI,
	}
	if err := s.checkInfo(t.Info); err != nil {
		return nil, err
	}
	if err := s.checkCanPost(q.Account); err != nil {
		return nil, err
	}
	t.UploadID = sim.RandomDigits("7", 19)
	t.ID, t.Calls, t.First, t.LastAt = "p_pub_url~v2."+t.UploadID, 1, t.ArrivedAt, t.ArrivedAt
	if err := s.tasks.Put(t.ID, t); err != nil {
		return nil, err
	}
	s.fetchPhotosAndPublishInBackground(t)
	return successBody(map[string]any{"publish_id": t.ID}), nil
}

// fetchPhotosAndPublishInBackground fetches the photos of a task, after the response with the task's id, and then
// publishes the post or reports its failure.
func (s *Sim) fetchPhotosAndPublishInBackground(t *task) {
	s.kit.RunJob(func(ctx context.Context) {
		var files []sim.Media
		problem := ""
		for _, address := range t.Photos.Images {
			m, err := s.kit.FetchFile(ctx, Name, t.Account, address)
			if ctx.Err() != nil {
				return // the sandbox is stopping; the next run fetches the photos
			}
			if problem = findPhotoProblem(m); err != nil {
				problem = "photo_pull_failed"
			}
			if files = append(files, m); problem != "" {
				break
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		t.Files, t.DoneAt, t.Problem = files, s.kit.Now(), problem
		if s.tasks.Put(t.ID, t) == nil { // otherwise, the next run fetches the photos again
			s.schedulePublishUnlessImmediate(t)
			_ = s.publishOrFailIfProcessed(t)
			if problem != "" {
				s.reportPublishedOrFailed(t)
			}
		}
	})
}

func findPhotoProblem(m sim.Media) (problemOrEmpty string) {
	switch {
	case !slices.Contains([]string{sim.JPEG, sim.WebP}, m.Kind) || m.Bytes > maxPhotoBytes:
		return "file_format_check_failed"
	case max(m.Width, m.Height) > 1920 || min(m.Width, m.Height) > 1080:
		return "picture_size_check_failed"
	}
	return ""
}

// decodeStrictly decodes a parameter that is a JSON object, and refuses unknown members.
func decodeStrictly(q *sim.Request, name string, into any) error {
	d := json.NewDecoder(strings.NewReader(q.Params.Get(name)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return newInvalidParamError(name + ": " + err.Error())
	}
	return nil
}
