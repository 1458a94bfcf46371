package facebook

import (
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Content types of a post: the values of the setting contentType.
const (
	typeText    = "text"
	typePhoto   = "photo"
	typeVideo   = "video"
	typeReels   = "reels"
	typeStories = "stories"
)

// The limits in networks/facebook.md, part 4. Facebook does not document the size, length and frame rate of Page
// videos.
const (
	// maxText comes from third-party guides; Facebook does not document it. UTF-16 is the strictest count.
	maxText = 63_206
	// maxPhotos is not documented either. Other publishers send at most ten.
	maxPhotos = 10
	maxTitle  = 255
	maxAlt    = 1000 // the longest that Meta's other networks take; Facebook documents none
	firstPoll = 2 * time.Second

	reelRatio = 9.0 / 16
	slack     = 0.01 // of the ratio; Facebook's rules allow none, its error message allows more
)

var (
	photo = core.FileLimits{Bytes: 10_000_000, Formats: []string{"image/jpeg", "image/png", "image/gif"}}
	video = core.FileLimits{Formats: []string{"video/mp4", "video/quicktime"}}
	reel  = core.FileLimits{
		Formats: video.Formats, MinWidth: 540, MinHeight: 960,
		MinRatio: reelRatio * (1 - slack), MaxRatio: reelRatio * (1 + slack), MinDurationMs: 3_000, MaxDurationMs: 90_000,
		VideoCodecs: []core.Codec{core.CodecH264, core.CodecH265, core.CodecVP9, core.CodecAV1},
		AudioCodecs: []core.Codec{core.CodecAAC},
		MinFPS:      24, MaxFPS: 60,
	}
	storyVideo = core.FileLimits{Formats: video.Formats, MaxDurationMs: 60_000}
)

// Rules are the limits, settings and checks of Facebook.
type Rules struct{}

// Describe returns the fixed properties of the network.
func (Rules) Describe() network.Description { return description }

// description holds the fixed properties. New adds the configured settle time.
var description = network.Description{
	ID: ID, Name: "Facebook", Profile: "Page", FirstPoll: firstPoll, ProfileURL: site + "/{id}", ErrorsMayPublish: true,
	Quotas: []network.Budget{reels},
	Needs:  "You need a Facebook Page on which you can create content. Personal profiles and groups are not supported.",
	Limits: core.Limits{
		Text:  core.Count{Max: maxText, Unit: core.UnitUTF16},
		Title: &core.Count{Max: maxTitle, Unit: core.UnitCharacters},
		ContentTypes: map[string]core.ContentType{
			typeText:    {},
			typePhoto:   {Min: 1, Max: maxPhotos, Image: &photo},
			typeVideo:   {Min: 1, Max: 1, Video: &video},
			typeReels:   {Min: 1, Max: 1, Video: &reel},
			typeStories: {Min: 1, Max: 1, Image: &photo, Video: &storyVideo},
		},
	},
	Fields: []network.Field{
		{
			Name: "contentType", Label: "Kind of post", Kind: network.FieldChoice, Help: "By default, the post's files determine the kind.",
			Choices: []network.Choice{
				{Value: typeText, Label: "Text or link"},
				{Value: typePhoto, Label: "Photos"},
				{Value: typeVideo, Label: "Video"},
				{Value: typeReels, Label: "Reel"},
				{Value: typeStories, Label: "Story"},
			},
		},
		{Name: "link", Label: "Link", Kind: network.FieldURL, Help: "Shown as a link preview. Text posts only."},
	},
}
