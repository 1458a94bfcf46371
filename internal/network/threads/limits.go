package threads

import (
	"regexp"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Content types of a post.
const (
	typeText     = "text"
	typeImage    = "image"
	typeVideo    = "video"
	typeCarousel = "carousel"
)

// The limits in networks/threads.md, part 4. Its further advice about videos (the index first, no edit lists, closed
// groups of pictures) is not checked: no error mentions it, and phones record videos that ignore it.
const (
	maxText   = 500 // bytes: Threads refuses a text of 498 characters in 504 bytes
	maxLinks  = 5
	maxTopic  = 50
	maxAlt    = 1000
	ratio     = 10 // to one
	firstPoll = 2 * time.Second
)

var (
	topic = regexp.MustCompile(`^[^.&]*[^.&\s][^.&]*$`)

	image = core.FileLimits{
		Bytes: 8_000_000, Formats: []string{"image/jpeg", "image/png"}, MinRatio: 1.0 / ratio, MaxRatio: ratio,
		KeptWidth: 1_440,
	}
	video = core.FileLimits{
		Bytes: 1_000_000_000, Formats: []string{"video/mp4", "video/quicktime"}, MaxWidth: 1920,
		MinRatio: 0.01, MaxRatio: ratio, MaxDurationMs: 300_000, MinFPS: 23, MaxFPS: 60, BitRate: 100_000_000,
		VideoCodecs: []core.Codec{core.CodecH264, core.CodecH265}, AudioCodecs: []core.Codec{core.CodecAAC},
		AudioRate: 48_000, AudioChannels: 2,
	}
)

// Rules are the limits, settings and checks of Threads.
type Rules struct{}

// Describe returns the fixed properties of the network.
func (Rules) Describe() network.Description { return description }

// description holds the fixed properties. New adds the configured settle time.
var description = network.Description{
	ID: ID, Name: "Threads", Profile: "profile",
	Needs:     "Any Threads profile works.",
	FirstPoll: firstPoll, ProfileURL: "https://www.threads.net/@{username}",
	Limits: core.Limits{
		Text:  core.Count{Max: maxText, Unit: core.UnitBytes},
		Links: new(maxLinks),
		ContentTypes: map[string]core.ContentType{
			typeText:     {},
			typeImage:    {Min: 1, Max: 1, Image: &image},
			typeVideo:    {Min: 1, Max: 1, Video: &video},
			typeCarousel: {Min: 2, Max: 20, Image: &image, Video: &video},
		},
	},
	Fields: []network.Field{
		{
			Name: "topicTag", Label: "Topic", Kind: network.FieldText, Max: maxTopic, Pattern: topic, Example: "Night Cycling",
			Help: "The topic of the post, without #, periods or &. If you leave the topic empty, Threads uses the first hashtag in the text.",
		},
		{
			Name: "linkAttachment", Label: "Link preview", Kind: network.FieldURL,
			Help: "The link shown as a preview under a post without files. If you leave this field empty, Threads uses the first link in the text.",
		},
		{
			Name: "altText", Label: "Image description", Kind: network.FieldText, Max: maxAlt, Files: true,
			Help: "Alternative text for screen readers. If the post has several files, this text describes the first one.",
		},
		{
			Name: "replyControl", Label: "Who may reply", Kind: network.FieldText, Ignored: true, Help: "This setting has no effect.",
		},
	},
}
