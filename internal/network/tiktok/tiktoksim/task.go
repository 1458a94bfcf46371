package tiktoksim

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"time"
	"unicode/utf16"

	"belfry/internal/network/sim"
)

const (
	addressLife = time.Hour // of an upload
	capWindow   = 24 * time.Hour
	maxCaption  = 2200
	minChunk    = 5_000_000
	maxChunk    = 64_000_000
	maxLast     = 128_000_000
	maxChunks   = 1000
)

// Who can see a post.
const (
	everyone  = "PUBLIC_TO_EVERYONE"
	friends   = "MUTUAL_FOLLOW_FRIENDS"
	followers = "FOLLOWER_OF_CREATOR"
	onlyMe    = "SELF_ONLY"
)

// postInfo holds the settings of a video. Required fields are pointers.
type postInfo struct {
	Title          string `json:"title"`
	Privacy        string `json:"privacy_level"`
	DisableDuet    bool   `json:"disable_duet"`
	DisableStitch  bool   `json:"disable_stitch"`
	DisableComment bool   `json:"disable_comment"`
	CoverMs        *int32 `json:"video_cover_timestamp_ms,omitempty"`
	BrandContent   *bool  `json:"brand_content_toggle"`
	BrandOrganic   *bool  `json:"brand_organic_toggle"`
	AI             bool   `json:"is_aigc"`
}

type sourceInfo struct {
	Source string `json:"source"`
	Size   int64  `json:"video_size"`
	Chunk  int64  `json:"chunk_size"`
	Count  int64  `json:"total_chunk_count"`
}

// task is a video or photos that are being published, or have been.
type task struct {
	ID        string     `json:"id"` // publish_id
	UploadID  string     `json:"uploadId"`
	Secret    string     `json:"secret"`
	Account   string     `json:"account"`
	Info      postInfo   `json:"info"`
	Source    sourceInfo `json:"source"`
	MadeAt    time.Time  `json:"madeAt"`
	ArrivedAt time.Time  `json:"arrivedAt"`

	// Photos are the photos of the post; nil for a video. Title and Music are for photos.
	Photos *photoSource `json:"photos,omitempty"`
	Title  string       `json:"title,omitempty"`
	Music  bool         `json:"music,omitempty"`

	// DoneAt is when the last bytes had arrived, and LastAt when the call that sent them arrived; zero before.
	DoneAt  time.Time   `json:"doneAt,omitzero"`
	LastAt  time.Time   `json:"lastAt,omitzero"`
	Files   []sim.Media `json:"files,omitempty"`
	Problem string      `json:"problem,omitempty"` // fail_reason
	Post    string      `json:"post,omitempty"`
	Calls   int         `json:"calls,omitempty"` // calls with the last part
	First   time.Time   `json:"first,omitzero"`
}

// privacyOptions returns the audiences that the account can choose.
func (s *Sim) privacyOptions() []string {
	if s.kit.Option(OptAccount) == Private {
		return []string{followers, friends, onlyMe}
	}
	return []string{everyone, friends, onlyMe}
}

// checkCanPost returns an error if the account cannot post now.
func (s *Sim) checkCanPost(account string) error {
	n := 0
	for t := range s.tasks.All() {
		if t.Account == account && s.kit.Now().Sub(t.DoneAt) < capWindow {
			n++
		}
	}
	if n >= s.kit.NumberOption(OptCap) {
		return newCodedError("spam_risk_too_many_posts", guidelines)
	}
	return nil
}

// readCreator serves what the account can do. The error for an account that cannot post has status 200.
func (s *Sim) readCreator(q *sim.Request) (any, error) {
	if err := s.checkCanPost(q.Account); err != nil {
		answer := s.errorAnswer(err)
		answer.Status = 200
		return answer, nil
	}
	a, quiet := s.accounts.Get(q.Account), s.kit.Option(OptAccount) == Quiet
	return successBody(map[string]any{
		"creator_avatar_url": s.pictureURL(a), "creator_username": a.Username, "creator_nickname": a.Name,
		"privacy_level_options": s.privacyOptions(), "comment_disabled": quiet, "duet_disabled": quiet,
		"stitch_disabled": quiet, "max_video_post_duration_sec": s.kit.NumberOption(OptDuration),
	}), nil
}

// initVideo starts the upload of a video. Nothing is visible before its last part.
func (s *Sim) initVideo(q *sim.Request) (any, error) {
	t := &task{Account: q.Account, MadeAt: s.kit.Now(), ArrivedAt: s.kit.ArrivalTime(q.R)}
	for name, into := range map[string]any{"post_info": &t.Info, "source_info": &t.Source} {
		if err := decodeStrictly(q, name, into); err != nil {
			return nil, err
		}
	}
	if len(utf16.Encode([]rune(t.Info.Title))) > maxCaption {
		return nil, newInvalidParamError("The title is too long")
	}
	if err := s.checkInfo(t.Info); err != nil {
		return nil, err
	}
	if err := t.Source.checkSource(); err != nil {
		return nil, err
	}
	if err := s.checkCanPost(q.Account); err != nil {
		return nil, err
	}
	t.UploadID, t.Secret = sim.RandomDigits("7", 19), sim.NewSecret("")
	t.ID = "v_pub_file~v2-1." + t.UploadID
	address := fmt.Sprintf("https://%s/video/?upload_id=%s&upload_token=%s", hostUpload, t.UploadID,
		url.QueryEscape(t.Secret))
	return successBody(map[string]any{"publish_id": t.ID, "upload_url": address}), s.tasks.Put(t.ID, t)
}

func (s *Sim) checkInfo(p postInfo) error {
	isOn := func(toggle *bool) bool { return toggle != nil && *toggle }
	switch {
	case p.BrandContent == nil || p.BrandOrganic == nil:
		return newInvalidParamError("brand_content_toggle and brand_organic_toggle are required")
	case s.kit.Option(OptAudited) == Off && (p.Privacy != onlyMe || s.kit.Option(OptAccount) != Private):
		return newCodedError("unaudited_client_can_only_post_to_private_accounts", guidelines)
	case !slices.Contains(s.privacyOptions(), p.Privacy):
		return newCodedError("privacy_level_option_mismatch", guidelines)
	case isOn(p.BrandContent) && p.Privacy == onlyMe:
		return newInvalidParamError("Branded content cannot be private")
	case s.kit.Option(OptAccount) == Quiet && !(p.DisableComment && p.DisableDuet && p.DisableStitch):
		return newInvalidParamError("The account does not allow comments, duets or stitches")
	case p.CoverMs != nil && *p.CoverMs < 0:
		return newInvalidParamError("video_cover_timestamp_ms is negative")
	}
	return nil
}

// checkSource checks the sizes and the number of the parts.
func (o sourceInfo) checkSource() error {
	switch {
	case o.Source != "FILE_UPLOAD":
		return newInvalidParamError("source must be FILE_UPLOAD")
	case o.Size < 1 || o.Size > 4_000_000_000:
		return newInvalidParamError("The video size is invalid")
	case o.Chunk < 1 || o.Chunk > maxChunk || o.Chunk < minChunk && o.Chunk != o.Size || o.Count == 1 && o.Chunk != o.Size:
		return newInvalidParamError("The chunk size is invalid")
	case o.Count != o.Size/o.Chunk || o.Count > maxChunks || o.Size-(o.Count-1)*o.Chunk > maxLast:
		return newInvalidParamError("The total chunk count is invalid")
	}
	return nil
}

// failures are the reasons why a task can fail.
var failures = []string{
	"file_format_check_failed", "duration_check_failed", "frame_rate_check_failed", "picture_size_check_failed", "internal",
	"video_pull_failed", "photo_pull_failed", "publish_cancelled", "auth_removed", "spam_risk_too_many_posts",
	"spam_risk_user_banned_from_posting", "spam_risk_text", "spam_risk",
}

// findVideoProblem returns the reason why a complete video cannot be posted; "" if it can. The option OptFail takes
// precedence.
func (s *Sim) findVideoProblem(m sim.Media) (problemOrEmpty string) {
	scripted := s.kit.Option(OptFail)
	within := func(n int) bool { return n >= 360 && n <= 4096 }
	switch {
	case scripted != NoFailure:
		return scripted
	case m.Kind != sim.MP4 || !slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1", "vp08", "vp09"}, m.Video):
		return "file_format_check_failed"
	case m.Ms > int64(s.kit.NumberOption(OptDuration))*1000:
		return "duration_check_failed"
	case m.FPS > 0 && (m.FPS < 22.5 || m.FPS > 60.5):
		return "frame_rate_check_failed"
	case !within(m.Width) || !within(m.Height):
		return "picture_size_check_failed"
	}
	return ""
}

// publishOrFailIfProcessed publishes the post of a task that has been processed, or stores why it failed, and sends the
// event. It changes nothing before that, and nothing after the task's end.
func (s *Sim) publishOrFailIfProcessed(t *task) error {
	now := s.kit.Now()
	if t.DoneAt.IsZero() || t.Post != "" || t.Problem != "" || now.Before(t.DoneAt.Add(s.kit.SecondsOption(OptProcess))) {
		return nil
	}
	if t.Photos == nil {
		t.Problem = s.findVideoProblem(t.Files[0])
	}
	if t.Problem == "" {
		t.Post = sim.RandomDigits("75", 19)
		if err := s.publishPost(t); err != nil {
			return err
		}
	}
	s.reportPublishedOrFailed(t)
	return s.tasks.Put(t.ID, t)
}

// schedulePublishUnlessImmediate publishes a task once it has been processed, even if nobody queries it. If processing
// takes no time, it does nothing, and the caller calls publishOrFailIfProcessed.
func (s *Sim) schedulePublishUnlessImmediate(t *task) {
	wait := s.kit.SecondsOption(OptProcess)
	if wait == 0 {
		return
	}
	s.kit.RunAfter(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = s.publishOrFailIfProcessed(t) // if this fails, the next query does it
	})
}

// publishIfReadyAndReadStatus serves the status of a task. Before that, it publishes the post of a task that has been
// processed, or stores why it failed.
func (s *Sim) publishIfReadyAndReadStatus(q *sim.Request) (any, error) {
	t := s.tasks.Get(q.Params.Get("publish_id"))
	switch {
	case t == nil:
		return nil, newCodedError("invalid_publish_id", "The publish_id is invalid.")
	case t.Account != q.Account:
		return nil, newCodedError("token_not_authorized_for_specified_publish_id", "The publish_id belongs to another user.")
	}
	if err := s.publishOrFailIfProcessed(t); err != nil {
		return nil, err
	}
	node := map[string]any{"status": "PROCESSING_UPLOAD", "uploaded_bytes": s.countUploadedBytes(t)}
	if t.Photos != nil {
		node = map[string]any{"status": "PROCESSING_DOWNLOAD"}
	}
	switch {
	case t.Problem != "":
		node["status"], node["fail_reason"] = "FAILED", t.Problem
	case t.Post != "":
		node["status"] = "PUBLISH_COMPLETE"
		if t.Info.Privacy == everyone && !s.kit.Now().Before(t.DoneAt.Add(s.kit.SecondsOption(OptIDDelay))) {
			node["publicaly_available_post_id"] = []json.Number{json.Number(t.Post)} //nolint:misspell // as TikTok spells it
		}
	}
	return successBody(node), nil
}
