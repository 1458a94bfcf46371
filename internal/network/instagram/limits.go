package instagram

import (
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Content types of a post. The setting has no carousel, which is a feed post with several files.
const (
	typeFeed     = "feed"
	typeCarousel = "carousel"
	typeReels    = "reels"
	typeStories  = "stories"
)

// The limits in networks/instagram.md, parts 3a and 4.
const (
	maxText          = 2_200
	maxHashtags      = 30
	manyHashtags     = 5 // Instagram's own app has accepted no more since December 2025
	maxMentions      = 20
	maxCollaborators = 3 // Spec §8
	maxAlt           = 1_000
	keptWidth        = 1_440
	firstPoll        = 2 * time.Second
)

var (
	image = core.FileLimits{
		Bytes: 8_000_000, Formats: []string{"image/jpeg"}, MinRatio: 0.8, MaxRatio: 1.91, KeptWidth: keptWidth,
	}
	reel = withCommonVideoLimits(
		core.FileLimits{Bytes: 300_000_000, MinRatio: 0.01, MaxRatio: 10, MinDurationMs: 3_000, MaxDurationMs: 900_000},
	)

	storyImage = core.FileLimits{Bytes: image.Bytes, Formats: image.Formats, KeptWidth: keptWidth}
	storyVideo = withCommonVideoLimits(
		core.FileLimits{Bytes: 100_000_000, MinRatio: 0.1, MaxRatio: 10, MinDurationMs: 3_000, MaxDurationMs: 60_000},
	)
)

// withCommonVideoLimits adds the limits that all videos share.
func withCommonVideoLimits(l core.FileLimits) core.FileLimits {
	l.Formats = []string{"video/mp4", "video/quicktime"}
	l.VideoCodecs, l.AudioCodecs = []core.Codec{core.CodecH264, core.CodecH265}, []core.Codec{core.CodecAAC}
	l.AudioRate, l.AudioChannels = 48_000, 2
	l.MinFPS, l.MaxFPS, l.BitRate, l.MaxWidth = 23, 60, 25_000_000, 1920
	return l
}

var description = network.Description{
	ID: ID, Name: "Instagram", Profile: "profile",
	Needs:     "You need an Instagram Business or Creator account. Personal accounts are not supported.",
	FirstPoll: firstPoll, ProfileURL: "https://www.instagram.com/{username}/", ErrorsMayPublish: true,
	Limits: core.Limits{
		Text:     core.Count{Max: maxText, Unit: core.UnitCharacters},
		Hashtags: new(maxHashtags), Mentions: new(maxMentions),
		ContentTypes: map[string]core.ContentType{
			typeFeed:     {Min: 1, Max: 1, Image: &image},
			typeCarousel: {Min: 2, Max: 10, Image: &image, Video: &reel},
			typeReels:    {Min: 1, Max: 1, Video: &reel},
			typeStories:  {Min: 1, Max: 1, Image: &storyImage, Video: &storyVideo},
		},
	},
	Fields: fields,
}
