package youtube

import (
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// typeVideo is the only content type. A Short is a video too, and YouTube itself decides which videos are Shorts.
const typeVideo = "video"

// The limits in networks/youtube.md, parts 3.7, 3.9 and 4. The dimensions of videos are not limited.
const (
	maxTitle = 100   // in UTF-16 code units, the strictest count; YouTube's own is not known
	maxText  = 5_000 // bytes
	maxTags  = 500   // as countTagsLength counts them

	// forbidden are the characters that titles and descriptions cannot contain.
	forbidden = "<>"

	shortMs    = 180_000
	ordinaryMs = 15 * 60_000 // for a channel that is not verified by phone
	shortRatio = 1.0

	firstPoll = 5 * time.Second
)

var (
	video = core.FileLimits{
		Count: 1, Bytes: 256 << 30, MaxDurationMs: 12 * 3_600_000,
		Formats: []string{"video/mp4", "video/quicktime"},
	}
	cover = core.FileLimits{Count: 1, Bytes: 50 << 20, Formats: []string{"image/jpeg", "image/png"}, MinWidth: 640}
)

var description = network.Description{
	ID: ID, Name: "YouTube", Profile: "channel",
	Needs: "You need a YouTube channel. To use custom thumbnails, verify the channel by phone.",
	Limits: core.Limits{
		Text:         core.Count{Max: maxText, Unit: core.UnitBytes},
		Title:        &core.Count{Max: maxTitle, Unit: core.UnitUTF16},
		Tags:         &core.Count{Max: maxTags, Unit: core.UnitUTF16},
		ContentTypes: map[string]core.ContentType{typeVideo: {Min: 1, Max: 2, Image: &cover, Video: &video}},
	},
	Fields: fields,
	PKCE:   true, FirstPoll: firstPoll, ProfileURL: "https://www.youtube.com/channel/{id}",
}
