package core

import "unicode/utf8"

// Limits are a network's limits, which GET /limits returns and the plan checks. Nil means that no limit is known.
type Limits struct {
	Text         Count
	Title        *Count
	Tags         *Count // all tags together, on networks where tags are separate from the text
	Hashtags     *int
	Mentions     *int
	Links        *int
	ContentTypes map[string]ContentType
}

// Count is a limit on length, with the unit in which the network counts.
type Count struct {
	Max  int
	Unit Unit
}

// Unit is the unit in which a network measures text.
type Unit string

// Units of length.
const (
	UnitBytes      Unit = "bytes"      // of its UTF-8 form
	UnitCharacters Unit = "characters" // Unicode code points
	UnitUTF16      Unit = "utf16"      // UTF-16 code units
)

// Length returns the length of a text in the unit.
func (u Unit) Length(text string) int {
	switch u {
	case UnitBytes:
		return len(text)
	case UnitUTF16:
		n := 0
		for _, r := range text {
			n++
			if r > 0xFFFF {
				n++
			}
		}
		return n
	}
	return utf8.RuneCountInString(text)
}

// ContentType describes one kind of post on a network: how many files it has, and of which kinds.
type ContentType struct {
	Text         *Count // nil if the limit of the network's other posts applies
	Min, Max     int
	Image, Video *FileLimits
}

// FileLimits are the limits of one file. Zero means that no limit is known.
type FileLimits struct {
	Count                        int // files of the kind in one post
	Bytes                        int64
	Formats                      []string
	MinWidth, MinHeight          int
	MaxWidth, MaxHeight          int
	MaxShortSide                 int // the limit of the smaller of width and height
	KeptWidth                    int // the network accepts wider images, but scales them down
	MinRatio, MaxRatio           float64
	MinDurationMs, MaxDurationMs int64
	VideoCodecs, AudioCodecs     []Codec
	MinFPS, MaxFPS               float64
	BitRate                      int64
	AudioRate, AudioChannels     int // maximums
}
