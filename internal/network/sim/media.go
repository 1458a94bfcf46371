package sim

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif" // decoders of what networks take
	_ "image/jpeg"
	_ "image/png"
	"io"
	"slices"
)

// Kinds of media a simulator recognises by its first bytes.
const (
	JPEG = "jpeg"
	PNG  = "png"
	GIF  = "gif"
	BMP  = "bmp"
	TIFF = "tiff"
	MP4  = "mp4"
	WebP = "webp"
)

// Media is what a network learns about a file it downloaded. Zero means that the file does not say.
type Media struct {
	SHA256 string  `json:"sha256"`
	Kind   string  `json:"kind"` // "" for what no network takes
	Bytes  int64   `json:"bytes"`
	Width  int     `json:"width,omitempty"` // as it is shown
	Height int     `json:"height,omitempty"`
	Ms     int64   `json:"ms,omitempty"` // of videos
	FPS    float64 `json:"fps,omitempty"`
	// Video and Audio name the codecs as the file does: avc1, mp4a.
	Video     string `json:"video,omitempty"`
	Audio     string `json:"audio,omitempty"`
	Rate      int    `json:"rate,omitempty"` // samples of sound a second
	Channels  int    `json:"channels,omitempty"`
	QuickTime bool   `json:"quickTime,omitempty"`
	// Fragmented tells that the header gives no length.
	Fragmented bool `json:"fragmented,omitempty"`
	// Alt is the description that the post gave it.
	Alt string `json:"alt,omitempty"`
}

// Type is the content type that the bytes stand for.
func (m Media) Type() string {
	switch {
	case m.Kind == MP4 && m.QuickTime:
		return "video/quicktime"
	case m.Kind == MP4:
		return "video/mp4"
	case m.Kind == "":
		return "application/octet-stream"
	}
	return "image/" + m.Kind
}

// matchesType reports whether the file may be called so; the two names of a video's container are used for one another.
func (m Media) matchesType(contentType string) bool {
	if m.Kind == MP4 {
		return contentType == "video/mp4" || contentType == "video/quicktime"
	}
	return contentType == m.Type()
}

// IsImageOf reports whether the file is an image of one of the kinds.
func (m Media) IsImageOf(kinds ...string) bool { return slices.Contains(kinds, m.Kind) }

// HasRatioWithin reports whether the width-to-height ratio is within two bounds.
func (m Media) HasRatioWithin(least, most float64) bool {
	ratio := float64(m.Width) / float64(max(m.Height, 1))
	return ratio >= least && ratio <= most
}

// Seconds returns the length of a video in seconds.
func (m Media) Seconds() float64 { return float64(m.Ms) / 1000 }

// stills are the brands of pictures that share the container of videos.
var stills = []string{"heic", "heix", "mif1", "msf1", "avif", "avis"}

// headKept is enough for any picture's header.
const headKept = 4 << 20

// DetectMedia looks at a file's first bytes, and in a video for its header.
func DetectMedia(file io.ReaderAt, size int64) Media {
	head := make([]byte, min(size, headKept))
	n, _ := file.ReadAt(head, 0)
	head = head[:n]
	m := Media{Bytes: size}
	if config, kind, err := image.DecodeConfig(bytes.NewReader(head)); err == nil {
		m.Kind, m.Width, m.Height = kind, config.Width, config.Height
		return m
	}
	switch {
	case len(head) >= 30 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		m.Kind = WebP
		m.readWebP(head)
	case bytes.HasPrefix(head, []byte("BM")) && len(head) >= 26:
		m.Kind = BMP
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		m.Kind = TIFF
	case len(head) >= 12 && string(head[4:8]) == "ftyp" && !slices.Contains(stills, string(head[8:12])):
		m.Kind, m.QuickTime = MP4, string(head[8:12]) == "qt  "
		m.readMP4(file, size)
	}
	return m
}

// readWebP reads the size of a picture from the head of its first chunk.
func (m *Media) readWebP(head []byte) {
	const bits14 = 1<<14 - 1
	switch string(head[12:16]) {
	case "VP8L":
		size := int(binary.LittleEndian.Uint32(head[21:]))
		m.Width, m.Height = size&bits14+1, size>>14&bits14+1
	case "VP8X":
		m.Width = int(binary.LittleEndian.Uint32(head[24:])&(1<<24-1)) + 1
		m.Height = int(binary.LittleEndian.Uint32(head[26:])>>8) + 1
	case "VP8 ":
		m.Width = int(binary.LittleEndian.Uint16(head[26:])) & bits14
		m.Height = int(binary.LittleEndian.Uint16(head[28:])) & bits14
	}
}
