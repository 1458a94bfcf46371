package contract

import (
	"belfry/internal/core"
)

// NetworkLimits is an entry of GET /limits (decisions.md, Records). What is null has no known bound.
type NetworkLimits struct {
	Text         TextLimit                   `json:"text"`
	Title        *TextLimit                  `json:"title"`
	Tags         *TextLimit                  `json:"tags" doc:"All tags together, for networks where tags are separate from the text."`
	Hashtags     *int                        `json:"hashtags"`
	Mentions     *int                        `json:"mentions"`
	Links        *int                        `json:"links"`
	ContentTypes map[string]ContentTypeLimit `json:"contentTypes"`
}

// TextLimit is a length and the unit in which the network counts it.
type TextLimit struct {
	Max  int    `json:"max"`
	Unit string `json:"unit" enum:"bytes,characters,utf16"`
}

// ContentTypeLimit is one kind of post: how many files, and which.
type ContentTypeLimit struct {
	Text  *TextLimit `json:"text" doc:"Only if it differs from the network's general limit."`
	Min   int        `json:"min"`
	Max   int        `json:"max"`
	Image *FileLimit `json:"image"`
	Video *FileLimit `json:"video"`
}

// FileLimit bounds one file. An empty list of codecs means that any is taken.
type FileLimit struct {
	Count       *int           `json:"count" doc:"Maximum number of files of this kind in one post, if lower than max."`
	Bytes       *int64         `json:"bytes"`
	Formats     []string       `json:"formats" nullable:"false"`
	Pixels      PixelLimit     `json:"pixels"`
	Ratio       RatioLimit     `json:"ratio" doc:"Width divided by height."`
	Duration    DurationLimit  `json:"duration"`
	VideoCodecs []string       `json:"videoCodecs" nullable:"false"`
	AudioCodecs []string       `json:"audioCodecs" nullable:"false"`
	FrameRate   FrameRateLimit `json:"frameRate" doc:"Frames per second."`
	BitRate     *int64         `json:"bitRate" doc:"Bits per second."`
	AudioRate   *int           `json:"audioRate" doc:"Maximum audio samples per second."`
	Channels    *int           `json:"audioChannels" doc:"Maximum audio channels; 2 is stereo."`
}

// PixelLimit bounds width and height.
type PixelLimit struct {
	MinWidth  *int `json:"minWidth"`
	MinHeight *int `json:"minHeight"`
	MaxWidth  *int `json:"maxWidth"`
	MaxHeight *int `json:"maxHeight"`
	// MaxShortSide is for networks that bound both sides and leave open which is the longer one.
	MaxShortSide *int `json:"maxShortSide" doc:"Maximum of the shorter side."`
}

// RatioLimit bounds width divided by height.
type RatioLimit struct {
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

// FrameRateLimit bounds how many pictures a video shows a second.
type FrameRateLimit struct {
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

// DurationLimit bounds a video's length.
type DurationLimit struct {
	MinMs *int64 `json:"minMs"`
	MaxMs *int64 `json:"maxMs"`
}

// LimitsOf writes a network's limits.
func LimitsOf(l core.Limits) NetworkLimits {
	out := NetworkLimits{
		Text: *textLimit(&l.Text), Title: textLimit(l.Title), Tags: textLimit(l.Tags),
		Hashtags: l.Hashtags, Mentions: l.Mentions, Links: l.Links, ContentTypes: map[string]ContentTypeLimit{},
	}
	for name, c := range l.ContentTypes {
		out.ContentTypes[name] = ContentTypeLimit{
			Text: textLimit(c.Text), Min: c.Min, Max: c.Max, Image: fileLimit(c.Image), Video: fileLimit(c.Video),
		}
	}
	return out
}

func textLimit(c *core.Count) *TextLimit {
	if c == nil {
		return nil
	}
	return &TextLimit{c.Max, string(c.Unit)}
}

func fileLimit(f *core.FileLimits) *FileLimit {
	if f == nil {
		return nil
	}
	return &FileLimit{
		Count: Optional(f.Count), Bytes: Optional(f.Bytes), Formats: emptyIfNil(f.Formats),
		Ratio: RatioLimit{Optional(f.MinRatio), Optional(f.MaxRatio)},
		Pixels: PixelLimit{
			Optional(f.MinWidth), Optional(f.MinHeight), Optional(f.MaxWidth), Optional(f.MaxHeight),
			Optional(f.MaxShortSide),
		},
		Duration:    DurationLimit{Optional(f.MinDurationMs), Optional(f.MaxDurationMs)},
		VideoCodecs: codecNames(f.VideoCodecs), AudioCodecs: codecNames(f.AudioCodecs),
		FrameRate: FrameRateLimit{Optional(f.MinFPS), Optional(f.MaxFPS)}, BitRate: Optional(f.BitRate),
		AudioRate: Optional(f.AudioRate), Channels: Optional(f.AudioChannels),
	}
}

func codecNames(list []core.Codec) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = string(c)
	}
	return out
}
