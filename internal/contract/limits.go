package contract

import (
	"belfry/internal/core"
)

// NetworkLimits is an entry of GET /limits (decisions.md, Records). Null means that no limit is known.
type NetworkLimits struct {
	Text         TextLimit                   `json:"text"`
	Title        *TextLimit                  `json:"title"`
	Tags         *TextLimit                  `json:"tags" doc:"The combined limit for all tags, on networks where tags are separate from the text."`
	Hashtags     *int                        `json:"hashtags"`
	Mentions     *int                        `json:"mentions"`
	Links        *int                        `json:"links"`
	ContentTypes map[string]ContentTypeLimit `json:"contentTypes"`
}

// TextLimit is a maximum length, with the unit in which the network counts.
type TextLimit struct {
	Max  int    `json:"max"`
	Unit string `json:"unit" enum:"bytes,characters,utf16"`
}

// ContentTypeLimit has the limits for a kind of post: the number of its files and the limits for each kind of file.
type ContentTypeLimit struct {
	Text  *TextLimit `json:"text" doc:"Set only if it differs from the network's general limit."`
	Min   int        `json:"min"`
	Max   int        `json:"max"`
	Image *FileLimit `json:"image"`
	Video *FileLimit `json:"video"`
}

// FileLimit has the limits for one file. An empty list of codecs means any codec.
type FileLimit struct {
	Count       *int           `json:"count" doc:"The maximum number of files of this kind in a post; set only if it is lower than max."`
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
	Channels    *int           `json:"audioChannels" doc:"Maximum number of audio channels; 2 is stereo."`
}

// PixelLimit limits width and height.
type PixelLimit struct {
	MinWidth  *int `json:"minWidth"`
	MinHeight *int `json:"minHeight"`
	MaxWidth  *int `json:"maxWidth"`
	MaxHeight *int `json:"maxHeight"`
	// MaxShortSide is for networks that limit both sides without saying which is the longer one.
	MaxShortSide *int `json:"maxShortSide" doc:"Maximum length of the shorter side, in pixels."`
}

// RatioLimit limits width divided by height.
type RatioLimit struct {
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

// FrameRateLimit limits the frames per second of a video.
type FrameRateLimit struct {
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

// DurationLimit limits the length of a video.
type DurationLimit struct {
	MinMs *int64 `json:"minMs"`
	MaxMs *int64 `json:"maxMs"`
}

// LimitsOf converts a network's limits to their record.
func LimitsOf(l core.Limits) NetworkLimits {
	out := NetworkLimits{
		Text: *textLimitOrNil(&l.Text), Title: textLimitOrNil(l.Title), Tags: textLimitOrNil(l.Tags),
		Hashtags: l.Hashtags, Mentions: l.Mentions, Links: l.Links, ContentTypes: map[string]ContentTypeLimit{},
	}
	for name, c := range l.ContentTypes {
		out.ContentTypes[name] = ContentTypeLimit{
			Text: textLimitOrNil(c.Text), Min: c.Min, Max: c.Max, Image: fileLimitOrNil(c.Image),
			Video: fileLimitOrNil(c.Video),
		}
	}
	return out
}

func textLimitOrNil(c *core.Count) *TextLimit {
	if c == nil {
		return nil
	}
	return &TextLimit{c.Max, string(c.Unit)}
}

func fileLimitOrNil(f *core.FileLimits) *FileLimit {
	if f == nil {
		return nil
	}
	return &FileLimit{
		Count: NilIfZero(f.Count), Bytes: NilIfZero(f.Bytes), Formats: emptyIfNil(f.Formats),
		Ratio: RatioLimit{NilIfZero(f.MinRatio), NilIfZero(f.MaxRatio)},
		Pixels: PixelLimit{
			NilIfZero(f.MinWidth), NilIfZero(f.MinHeight), NilIfZero(f.MaxWidth), NilIfZero(f.MaxHeight),
			NilIfZero(f.MaxShortSide),
		},
		Duration:    DurationLimit{NilIfZero(f.MinDurationMs), NilIfZero(f.MaxDurationMs)},
		VideoCodecs: codecNames(f.VideoCodecs), AudioCodecs: codecNames(f.AudioCodecs),
		FrameRate: FrameRateLimit{NilIfZero(f.MinFPS), NilIfZero(f.MaxFPS)}, BitRate: NilIfZero(f.BitRate),
		AudioRate: NilIfZero(f.AudioRate), Channels: NilIfZero(f.AudioChannels),
	}
}

func codecNames(list []core.Codec) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = string(c)
	}
	return out
}
