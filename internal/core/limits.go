package core

// Limits are the numbers of a network that GET /limits prints and the plan's check uses.
type Limits struct {
	Text         Count
	Title        *Count
	Hashtags     *int
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
	return len([]rune(s))
}

// ContentType is one kind of post of a network: how many files it takes and which.
type ContentType struct {
	Min, Max     int
	Image, Video *FileLimits
}

// FileLimits bound one file of a kind. Zero means that no bound is known.
type FileLimits struct {
	Bytes                        int64
	Formats                      []string
	MinWidth, MinHeight          int
	MaxWidth, MaxHeight          int
	MinRatio, MaxRatio           float64
	MinDurationMs, MaxDurationMs int64
}
