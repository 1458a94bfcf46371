package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"slices"
)

// profileName is the beginning of a JPEG segment that contains a part of a color profile. It is followed by the number
// of the part and the number of parts (ICC.1, B.4).
const profileName = "ICC_PROFILE\x00"

const (
	profileHead = len(profileName) + 2
	// maxProfileBytes is how many bytes fit into one segment. Only the profiles of printers and scanners are larger.
	maxProfileBytes = 1<<16 - 1 - 2 - profileHead
	// maxThumbnailProfileBytes is enough for the profiles of phones and cameras.
	maxThumbnailProfileBytes = 4 << 10
)

// readRGBProfile returns the color profile of the picture, or nil if it has none, or one that is not for RGB colors or
// has more than maxBytes.
func (f *file) readRGBProfile(facts Facts, maxBytes int) (profileOrNil []byte, err error) {
	var profile []byte
	c := facts.profile
	switch {
	case c.length == 0:
		return nil, nil
	case facts.Mime == "image/png":
		profile, err = f.inflatePNGColorProfile(c, maxBytes)
	case c.length <= int64(maxBytes):
		err = f.readAndRecoverAbort(func(r *abortingReader) { profile = bytes.Clone(r.peekBytes(c.data, int(c.length))) })
	}
	if !isRGBProfile(profile) {
		profile = nil
	}
	return profile, err
}

// inflatePNGColorProfile decompresses the color profile in a chunk of a PNG: a name, a zero byte, the method, and the
// compressed bytes (PNG, 11.3.2.3). It returns nil if the profile is damaged or has more than maxBytes.
func (f *file) inflatePNGColorProfile(c imageChunk, maxBytes int) (profileOrNil []byte, err error) {
	content := io.NewSectionReader(f, c.data, c.length)
	name := make([]byte, min(c.length, 81))
	if _, err := content.ReadAt(name, 0); f.failed != nil || err != nil {
		return nil, f.failed
	}
	method := int64(bytes.IndexByte(name, 0)) + 1
	if method == 0 {
		return nil, nil
	}
	inflated, err := zlib.NewReader(io.NewSectionReader(content, method+1, c.length-method-1))
	if err != nil {
		return nil, f.failed
	}
	profile, err := io.ReadAll(io.LimitReader(inflated, int64(maxBytes)+1))
	if err != nil || len(profile) > maxBytes {
		return nil, f.failed
	}
	return profile, nil
}

// isRGBProfile reports whether a color profile is for RGB colors (ICC.1, 7.2). All JPEGs that this package makes have
// RGB colors, whatever the colors of the original picture.
func isRGBProfile(profile []byte) bool {
	const header = 128
	return len(profile) > header && string(profile[16:20]) == "RGB " && string(profile[36:40]) == "acsp"
}

// addColorProfileIfAny adds a color profile to a JPEG that has none. It does nothing if profile is nil.
func addColorProfileIfAny(jpeg, profile []byte) []byte {
	if profile == nil {
		return jpeg
	}
	start := []byte{0xff, markSOI, 0xff, markAPP2}
	start = binary.BigEndian.AppendUint16(start, uint16(2+profileHead+len(profile))) //nolint:gosec // see maxProfileBytes
	return slices.Concat(start, []byte(profileName+"\x01\x01"), profile, jpeg[2:])
}
