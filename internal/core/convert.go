package core

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Conversion is the JPEG that is sent in place of an image whose format the network does not accept.
type Conversion struct {
	Width, Height int   // never larger than the image
	MaxBytes      int64 // the largest size that the JPEG may have
}

const (
	convertedMime = "image/jpeg"
	// maxConvertedSide limits the longer side of a JPEG, even if the network accepts more.
	maxConvertedSide = 2560
	// maxConvertedBytes limits the size of a JPEG, even if the network accepts more.
	maxConvertedBytes = 4_000_000
	// maxBitsPerPixel is more than a JPEG of the lowest quality needs for each pixel.
	maxBitsPerPixel = 5
)

// AcceptsFormat reports whether the network accepts files of a media type. The type "", which is not known yet, counts
// as accepted.
func (l FileLimits) AcceptsFormat(mime string) bool {
	return mime == "" || len(l.Formats) == 0 || slices.Contains(l.Formats, mime)
}

// AcceptsFormatOf reports whether the network accepts the format of a file. A network that accepts WebP does not accept
// animated WebP: unlike an animated PNG, it has no still image for programs that cannot show animations.
func (l FileLimits) AcceptsFormatOf(f FileFacts) bool {
	return l.AcceptsFormat(f.Mime) && (f.Mime != "image/webp" || f.Frames <= 1)
}

// ConvertibleFormats are the media types of images that can be converted, unless they are animated or too large.
var ConvertibleFormats = []string{"image/png", "image/webp"}

// AllowsConversionFrom reports whether images of a media type can be sent as JPEG if the network does not accept the
// type. An animated or very large image cannot be sent as JPEG even then.
func (l FileLimits) AllowsConversionFrom(mime string) bool {
	return slices.Contains(ConvertibleFormats, mime) && l.AcceptsFormat(convertedMime)
}

// ConversionOrNil returns the JPEG to send in place of a file. It returns nil if the file is sent unchanged, or cannot
// be sent at all because the network does not accept its format.
func (l FileLimits) ConversionOrNil(f FileFacts) *Conversion {
	if l.AcceptsFormat(f.Mime) || !f.Convertible || !l.AllowsConversionFrom(f.Mime) {
		return nil
	}
	c := Conversion{MaxBytes: maxConvertedBytes}
	if l.Bytes > 0 {
		c.MaxBytes = min(c.MaxBytes, l.Bytes)
	}
	c.Width, c.Height = l.jpegSizeWithin(f.Width, f.Height, c.MaxBytes)
	return &c
}

// jpegSizeWithin returns the width and height at which an image is sent: at most what the network accepts and keeps.
// Rounding them does not push an accepted aspect ratio out of the network's range.
func (l FileLimits) jpegSizeWithin(width, height int, maxJPEGBytes int64) (w, h int) {
	across, down := float64(width), float64(height)
	scale := min(1, math.Sqrt(float64(maxJPEGBytes)*8/maxBitsPerPixel/(across*down)))
	for _, limit := range []struct {
		max  int
		side float64
	}{
		{l.MaxWidth, across},
		{l.KeptWidth, across},
		{l.MaxHeight, down},
		{l.MaxShortSide, min(across, down)},
		{maxConvertedSide, max(across, down)},
	} {
		if limit.max > 0 {
			scale = min(scale, float64(limit.max)/limit.side)
		}
	}
	if scale == 1 {
		return width, height
	}
	const rounding = 1e-6
	w, h = max(1, int(across*scale+rounding)), max(1, int(down*scale+rounding))
	switch ratio := float64(w) / float64(h); {
	case !l.acceptsRatio(across / down):
	case ratio < l.MinRatio:
		h = max(1, int(float64(w)/l.MinRatio))
	case l.MaxRatio > 0 && ratio > l.MaxRatio:
		w = max(1, int(float64(h)*l.MaxRatio))
	}
	return w, h
}

func (l FileLimits) acceptsRatio(ratio float64) bool {
	return ratio >= l.MinRatio && (l.MaxRatio == 0 || ratio <= l.MaxRatio)
}

// ExpectedFacts returns what is known about the JPEG before it is made. Bytes is the largest size that it may have.
func (c Conversion) ExpectedFacts() FileFacts {
	return FileFacts{Kind: FileImage, Mime: convertedMime, Bytes: c.MaxBytes, Width: c.Width, Height: c.Height, Frames: 1}
}

// String returns the form that ParseConversion reads.
func (c Conversion) String() string { return fmt.Sprintf("%dx%dx%d", c.Width, c.Height, c.MaxBytes) }

// ParseConversion parses what String returned.
func ParseConversion(s string) (c Conversion, err error) {
	if _, err = fmt.Sscanf(s, "%dx%dx%d", &c.Width, &c.Height, &c.MaxBytes); err != nil || c.String() != s {
		return Conversion{}, fmt.Errorf("parse the conversion %q: %w", s, errors.Join(err, strconv.ErrSyntax))
	}
	return c, nil
}
