package core

import "unicode/utf8"

// Limits are the numbers of a network that GET /limits prints and the plan's check uses.
type Limits struct {
	Text         Count
	Title        *Count
	Tags         *Count // of all together, where a network has them apart from the text
	Hashtags     *int
	Mentions     *int
	Links        *int
	ContentTypes map[string]ContentType
}

// Count is a length limit in the unit in which the network counts.
type Count struct {
	Max  int
	Unit Unit
}

// Unit is how a network counts a text.
type Unit string

// Units of length.
const (
	UnitBytes      Unit = "bytes"      // of its UTF-8 form
	UnitCharacters Unit = "characters" // Unicode code points
	UnitUTF16      Unit = "utf16"      // UTF-16 code units
)

// Of counts a text in the unit.
func (u Unit) Of(s string) int {
	switch u {
	case UnitBytes:
		return len(s)
	case UnitUTF16:
		n := 0
		for _, r := range s {
			n++
			if r > 0xFFFF {
				n++
			}
		}
		return n
	}
	return utf8.RuneCountInString(s)
}

// ContentType is one kind of post of a network: how many files it takes and which.
type ContentType struct {
	Text         *Count // where it is not that of the network's other posts
	Min, Max     int
	Image, Video *FileLimits
}

// FileLimits bound one file of a kind. Zero means that no bound is known.
type FileLimits struct {
	Count                        int // files of the kind in one post
	Bytes                        int64
	Formats                      []string
	MinWidth, MinHeight          int
	MaxWidth, MaxHeight          int
	MaxShortSide                 int // of the smaller of width and height
	MinRatio, MaxRatio           float64
	MinDurationMs, MaxDurationMs int64
	VideoCodecs, AudioCodecs     []Codec
	MinFPS, MaxFPS               float64
	BitRate                      int64
	AudioRate, AudioChannels     int // at most
}
