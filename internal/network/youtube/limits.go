package youtube

import (
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// typeVideo is the one content type: a Short is a video too, and the network itself tells them apart.
const typeVideo = "video"

// The numbers of networks/youtube.md, part 4, and of 3.7 and 3.9. Shape and size of a video are not bounded.
const (
	maxTitle = 100   // whether UTF-16 units count is not known; they are the strictest count
	maxText  = 5_000 // bytes
	maxTags  = 500   // as countTagsLength counts them

	// forbidden are the characters that neither title nor description may hold.
	forbidden = "<>"

	shortMs    = 180_000
	ordinaryMs = 15 * 60_000 // of a channel that is not verified by phone
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
	Needs: "You need a YouTube channel. Custom thumbnails need a channel verified by phone.",
	Limits: core.Limits{
		Text:         core.Count{Max: maxText, Unit: core.UnitBytes},
		Title:        &core.Count{Max: maxTitle, Unit: core.UnitUTF16},
		Tags:         &core.Count{Max: maxTags, Unit: core.UnitUTF16},
		ContentTypes: map[string]core.ContentType{typeVideo: {Min: 1, Max: 2, Image: &cover, Video: &video}},
	},
	Fields: fields,
	PKCE:   true, FirstPoll: firstPoll, ProfileURL: "https://www.youtube.com/channel/{id}",
}
