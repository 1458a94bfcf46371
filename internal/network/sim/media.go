package sim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif" // decoders of the formats that networks accept
	_ "image/jpeg"
	_ "image/png"
	"io"
	"slices"
)

// Kinds of files that a simulator recognizes by their first bytes.
const (
	JPEG = "jpeg"
	PNG  = "png"
	GIF  = "gif"
	BMP  = "bmp"
	TIFF = "tiff"
	MP4  = "mp4"
	WebP = "webp"
)

// Media contains the properties of a file that a network received. A zero field is unknown.
type Media struct {
	SHA256 string  `json:"sha256"`
	Kind   string  `json:"kind"` // "" for a format that no network accepts
	Bytes  int64   `json:"bytes"`
	Width  int     `json:"width,omitempty"` // as displayed
	Height int     `json:"height,omitempty"`
	Ms     int64   `json:"ms,omitempty"` // of videos
	FPS    float64 `json:"fps,omitempty"`
	// Video and Audio name the codecs as the file does: avc1, mp4a.
	Video     string `json:"video,omitempty"`
	Audio     string `json:"audio,omitempty"`
	Rate      int    `json:"rate,omitempty"` // audio samples per second
	Channels  int    `json:"channels,omitempty"`
	QuickTime bool   `json:"quickTime,omitempty"`
	// Fragmented is true if the header contains no length.
	Fragmented bool `json:"fragmented,omitempty"`
	// Alt is the description of the file in the post.
	Alt string `json:"alt,omitempty"`
}

// Type returns the content type of the file.
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

// DescribeForPeople returns what the file is and its size, such as "Image, 27 kB".
func (m Media) DescribeForPeople() string {
	kind := "Image"
	switch m.Kind {
	case MP4:
		kind = "Video"
	case "":
		kind = "File"
	}
	const kilobyte, megabyte = 1000, 1000_000
	switch {
	case m.Bytes >= megabyte-kilobyte/2: // rounded, this is 1 MB
		return fmt.Sprintf("%s, %.1f MB", kind, float64(m.Bytes)/megabyte)
	case m.Bytes >= kilobyte:
		return fmt.Sprintf("%s, %.0f kB", kind, float64(m.Bytes)/kilobyte)
	}
	return fmt.Sprintf("%s, %d bytes", kind, m.Bytes)
}

// matchesType reports whether a content type fits the file. The two types of video are interchangeable.
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

// stills are the brands of images that use the same container as videos.
var stills = []string{"heic", "heix", "mif1", "msf1", "avif", "avis"}

// headKept is enough for the header of any image.
const headKept = 4 << 20

// DetectMedia reads the format and the properties of a file from its first bytes or, for a video, from its header.
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

// readWebP reads the size of an image from the beginning of its first chunk.
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
