package contract

import (
	"cmp"

	"belfry/internal/core"
)

// NetworkLimits is an entry of GET /limits (decisions.md, Records). What is null has no known bound.
type NetworkLimits struct {
	Text         TextLimit                   `json:"text"`
	Title        *TextLimit                  `json:"title"`
	Hashtags     *int                        `json:"hashtags"`
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
	Min   int        `json:"min"`
	Max   int        `json:"max"`
	Image *FileLimit `json:"image"`
	Video *FileLimit `json:"video"`
}

// FileLimit bounds one file.
type FileLimit struct {
	Bytes    *int64        `json:"bytes"`
	Formats  []string      `json:"formats" nullable:"false"`
	Pixels   PixelLimit    `json:"pixels"`
	Ratio    RatioLimit    `json:"ratio" doc:"Width to height."`
	Duration DurationLimit `json:"duration"`
}

// PixelLimit bounds width and height.
type PixelLimit struct {
	MinWidth  *int `json:"minWidth"`
	MinHeight *int `json:"minHeight"`
	MaxWidth  *int `json:"maxWidth"`
	MaxHeight *int `json:"maxHeight"`
}

// RatioLimit bounds width divided by height.
type RatioLimit struct {
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
		Text: TextLimit{l.Text.Max, string(l.Text.Unit)}, Hashtags: l.Hashtags, Links: l.Links,
		ContentTypes: map[string]ContentTypeLimit{},
	}
	if l.Title != nil {
		out.Title = &TextLimit{l.Title.Max, string(l.Title.Unit)}
	}
	for name, c := range l.ContentTypes {
		out.ContentTypes[name] = ContentTypeLimit{Min: c.Min, Max: c.Max, Image: fileLimit(c.Image), Video: fileLimit(c.Video)}
	}
	return out
}

func fileLimit(f *core.FileLimits) *FileLimit {
	if f == nil {
		return nil
	}
	return &FileLimit{
		Bytes: bound(f.Bytes), Formats: list(f.Formats), Ratio: RatioLimit{bound(f.MinRatio), bound(f.MaxRatio)},
		Pixels:   PixelLimit{bound(f.MinWidth), bound(f.MinHeight), bound(f.MaxWidth), bound(f.MaxHeight)},
		Duration: DurationLimit{bound(f.MinDurationMs), bound(f.MaxDurationMs)},
	}
}

// bound is nil for zero, which means that no bound is known.
func bound[T cmp.Ordered](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
