package youtubesim

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"belfry/internal/network/sim"
)

// video is the metadata of a video, as an upload sends it.
type video struct {
	Snippet struct {
		Title                string   `json:"title"`
		Description          string   `json:"description"`
		Tags                 []string `json:"tags"`
		CategoryID           string   `json:"categoryId"`
		DefaultLanguage      string   `json:"defaultLanguage"`
		DefaultAudioLanguage string   `json:"defaultAudioLanguage"`
	} `json:"snippet"`
	Status struct {
		PrivacyStatus           string `json:"privacyStatus"`
		License                 string `json:"license"`
		Embeddable              *bool  `json:"embeddable"`
		PublicStatsViewable     *bool  `json:"publicStatsViewable"`
		SelfDeclaredMadeForKids bool   `json:"selfDeclaredMadeForKids"`
		ContainsSyntheticMedia  bool   `json:"containsSyntheticMedia"`
	} `json:"status"`
	RecordingDetails struct {
		RecordingDate string `json:"recordingDate"`
	} `json:"recordingDetails"`
	PaidProductPlacementDetails struct {
		HasPaidProductPlacement bool `json:"hasPaidProductPlacement"`
	} `json:"paidProductPlacementDetails"`
	Notify string `json:"-"` // a parameter of the call
}

var (
	languages  = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$`)
	categories = []string{"1", "2", "10", "15", "17", "19", "20", "22", "23", "24", "25", "26", "27", "28", "29"}
)

// checkMetadata returns an error if the network refuses the metadata.
func (v video) checkMetadata() error {
	n, reason := v.Snippet, ""
	recorded := v.RecordingDetails.RecordingDate
	_, dateErr := time.Parse(time.RFC3339, recorded)
	switch {
	case strings.TrimSpace(n.Title) == "", len(utf16.Encode([]rune(n.Title))) > 100, strings.ContainsAny(n.Title, "<>"):
		reason = "invalidTitle"
	case len(n.Description) > 5000 || strings.ContainsAny(n.Description, "<>"):
		reason = "invalidDescription"
	case countTagsLength(n.Tags) > 500:
		reason = "invalidTags"
	case !slices.Contains(categories, n.CategoryID):
		reason = "invalidCategoryId"
	case recorded != "" && dateErr != nil:
		reason = "invalidRecordingDetails"
	case !slices.Contains([]string{"public", "unlisted", "private"}, v.Status.PrivacyStatus),
		v.Status.License != "" && v.Status.License != "youtube" && v.Status.License != "creativeCommon",
		n.DefaultLanguage != "" && !languages.MatchString(n.DefaultLanguage),
		n.DefaultAudioLanguage != "" && !languages.MatchString(n.DefaultAudioLanguage):
		reason = "invalidVideoMetadata"
	default:
		return nil
	}
	return newDocumentedError(reason)
}

func countTagsLength(tags []string) int {
	n := max(len(tags)-1, 0)
	for _, tag := range tags {
		n += len(utf16.Encode([]rune(tag)))
		if strings.Contains(tag, " ") {
			n += 2
		}
	}
	return n
}

// toExtra returns the metadata for a post's Extra.
func (v video) toExtra() map[string]string {
	on := func(b *bool) string { return strconv.FormatBool(b == nil || *b) }
	return map[string]string{
		"title": v.Snippet.Title, "tags": strings.Join(v.Snippet.Tags, ","), "categoryId": v.Snippet.CategoryID,
		"defaultLanguage": v.Snippet.DefaultLanguage, "defaultAudioLanguage": v.Snippet.DefaultAudioLanguage,
		"privacyStatus": v.Status.PrivacyStatus, "license": v.Status.License, "embeddable": on(v.Status.Embeddable),
		"publicStatsViewable":     on(v.Status.PublicStatsViewable),
		"selfDeclaredMadeForKids": strconv.FormatBool(v.Status.SelfDeclaredMadeForKids),
		"containsSyntheticMedia":  strconv.FormatBool(v.Status.ContainsSyntheticMedia),
		"recordingDate":           v.RecordingDetails.RecordingDate,
		"hasPaidProductPlacement": strconv.FormatBool(v.PaidProductPlacementDetails.HasPaidProductPlacement),
		"notifySubscribers":       v.Notify,
	}
}

// videoNode returns a video as the API shows it.
func (s *Sim) videoNode(p sim.Post) map[string]any {
	state, reason, _ := strings.Cut(p.Extra["outcome"], "/")
	processing := map[string]string{processed: "succeeded", "failed": "failed"}[state]
	if s.kit.Now().Before(p.CreatedAt.Add(s.kit.SecondsOption(OptProcess))) {
		state, processing = "uploaded", "processing"
	}
	status := map[string]any{
		"uploadStatus": state, "privacyStatus": p.Extra["privacyStatus"], "license": p.Extra["license"],
		"madeForKids": p.Extra["selfDeclaredMadeForKids"] == "true",
	}
	if reason != "" && (state == "failed" || state == "rejected") {
		status[map[string]string{"failed": "failureReason", "rejected": "rejectionReason"}[state]] = reason
	}
	figures := s.kit.PostFigures(p)
	return map[string]any{
		"kind": "youtube#video", "id": p.ID, "status": status,
		"snippet": map[string]any{
			"publishedAt": p.CreatedAt.Format(time.RFC3339), "channelId": p.Account, "title": p.Extra["title"],
			"description": p.Text, "categoryId": p.Extra["categoryId"],
		},
		"processingDetails": map[string]any{"processingStatus": processing},
		"statistics": map[string]any{
			"viewCount": strconv.Itoa(figures.Views), "likeCount": strconv.Itoa(figures.Likes),
			"commentCount": strconv.Itoa(figures.Comments),
		},
	}
}

// listVideos serves videos by id; those that do not exist are left out.
func (s *Sim) listVideos(q *sim.Request) (any, error) {
	items := []any{}
	for id := range strings.SplitSeq(q.Params.Get("id"), ",") {
		if p, found := s.kit.Posts.Get(Name, id); found && p.Account == q.Account {
			items = append(items, s.videoNode(p))
		}
	}
	return map[string]any{"kind": "youtube#videoListResponse", "items": items}, nil
}

// playlistItem is a video in a playlist that a person has created.
type playlistItem struct{ ID, Playlist, Video string }

const maxPage = 50

// listPlaylist serves a channel's uploads, newest first, or the videos in its playlist.
func (s *Sim) listPlaylist(q *sim.Request) (any, error) {
	list, only := q.Params.Get("playlistId"), q.Params.Get("videoId")
	if list != uploadsPlaylistID(q.Account) && list != otherPlaylistID(q.Account) {
		return nil, newDocumentedError("playlistNotFound")
	}
	var items []any
	add := func(p sim.Post) {
		items = append(items, map[string]any{
			"kind": "youtube#playlistItem", "id": list + p.ID,
			"status": map[string]any{"privacyStatus": p.Extra["privacyStatus"]},
			"snippet": map[string]any{
				"publishedAt": p.CreatedAt.Format(time.RFC3339), "title": p.Extra["title"], "description": p.Text,
				"resourceId": map[string]any{"kind": "youtube#video", "videoId": p.ID},
			},
			"contentDetails": map[string]any{"videoId": p.ID, "videoPublishedAt": p.CreatedAt.Format(time.RFC3339)},
		})
	}
	for p := range s.kit.Posts.Newest(Name, q.Account) {
		listed := !s.kit.Now().Before(p.CreatedAt.Add(s.kit.SecondsOption(OptListDelay)))
		if list == uploadsPlaylistID(q.Account) && listed && (only == "" || only == p.ID) {
			add(p)
		}
	}
	for i := range s.playlists.All() {
		p, found := s.kit.Posts.Get(Name, i.Video)
		if i.Playlist == list && found && (only == "" || only == i.Video) {
			add(p)
		}
	}
	size, _ := strconv.Atoi(q.Params.Get("maxResults"))
	from, _ := strconv.Atoi(q.Params.Get("pageToken"))
	if size < 1 || size > maxPage {
		size = 5
	}
	from = min(max(from, 0), len(items))
	answer := map[string]any{
		"kind": "youtube#playlistItemListResponse", "pageInfo": map[string]any{"totalResults": len(items)},
		"items": items[from:min(from+size, len(items))],
	}
	if from+size < len(items) {
		answer["nextPageToken"] = strconv.Itoa(from + size)
	}
	return answer, nil
}

// addToPlaylist adds a video to a playlist. A playlist can have the same video twice.
func (s *Sim) addToPlaylist(q *sim.Request) (any, error) {
	var in struct {
		Snippet struct {
			PlaylistID string `json:"playlistId"`
			ResourceID struct{ Kind, VideoID string }
		}
	}
	if err := json.NewDecoder(io.LimitReader(q.R.Body, maxJSON)).Decode(&in); err != nil {
		return nil, badRequest("Invalid JSON payload received")
	}
	video := in.Snippet.ResourceID
	p, found := s.kit.Posts.Get(Name, video.VideoID)
	switch {
	case len(in.Snippet.PlaylistID) < len("PL"):
		return nil, newDocumentedError("playlistIdRequired")
	case video.Kind != "youtube#video":
		return nil, newDocumentedError("invalidResourceType")
	case in.Snippet.PlaylistID != otherPlaylistID(q.Account) && s.channels.Has("UC"+in.Snippet.PlaylistID[2:]):
		return nil, newDocumentedError("playlistItemsNotAccessible")
	case in.Snippet.PlaylistID != otherPlaylistID(q.Account):
		return nil, newDocumentedError("playlistNotFound")
	case !found || p.Account != q.Account:
		return nil, newDocumentedError("videoNotFound")
	}
	i := &playlistItem{ID: s.playlists.NewID("PLI", 20), Playlist: in.Snippet.PlaylistID, Video: p.ID}
	p.Extra = maps.Clone(p.Extra)
	p.Extra["playlistId"] = i.Playlist
	if err := s.kit.Posts.Put(p); err != nil {
		return nil, err
	}
	return map[string]any{"kind": "youtube#playlistItem", "id": i.ID}, s.playlists.Put(i.ID, i)
}

const maxThumbnail = 50 << 20

// setThumbnail sets the thumbnail of a video. A Short that is still being processed loses it.
func (s *Sim) setThumbnail(q *sim.Request) (any, error) {
	p, found := s.kit.Posts.Get(Name, q.Params.Get("videoId"))
	switch {
	case !found || p.Account != q.Account:
		return nil, newDocumentedError("videoNotFound")
	case !s.channels.Get(q.Account).Verified:
		e := newDocumentedError("forbidden")
		e.Domain = "youtube.thumbnail"
		e.Message = "The authenticated user doesn't have permissions to upload and set custom video thumbnails."
		return nil, e
	case q.R.ContentLength > maxThumbnail:
		return nil, &apiError{http.StatusBadRequest, "youtube.thumbnail", "failedPrecondition", "The image is too large."}
	case q.R.ContentLength < 1:
		return nil, newDocumentedError("mediaBodyRequired")
	}
	id := "thumbnail-" + p.ID + sim.RandomDigits("", 6)
	if _, err := s.kit.AppendUpload(id, 0, io.LimitReader(q.R.Body, maxThumbnail)); err != nil {
		return nil, err
	}
	m, err := s.kit.FinishUpload(id)
	kind := q.R.Header.Get("Content-Type")
	switch {
	case err != nil:
		return nil, err
	case !m.IsImageOf(sim.JPEG, sim.PNG), kind != m.Type() && kind != "application/octet-stream":
		return nil, newDocumentedError("invalidImage")
	}
	film := p.Media[0]
	short := film.Ms <= shortMs && film.HasRatioWithin(0, squareish)
	if ready := !s.kit.Now().Before(p.CreatedAt.Add(s.kit.SecondsOption(OptProcess))); ready || !short {
		p.Extra = maps.Clone(p.Extra)
		p.Extra["thumbnail"] = m.SHA256
		if err := s.kit.Posts.Put(p); err != nil {
			return nil, err
		}
	}
	return map[string]any{"kind": "youtube#thumbnailSetResponse", "items": []any{map[string]any{}}}, nil
}
