// Package media reads what a file is, makes its thumbnail, and removes private metadata.
package media

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"belfry/internal/core"
)

// What a file may have at most. A file beyond is refused with a sentence, whatever a network would take.
const (
	maxPixels     = 100_000_000   // of a picture, or of one frame
	maxFrames     = 200           // of a moving picture
	maxImageBytes = 256 << 20     // of a picture's file
	maxMoovBytes  = 256 << 20     // of a video's index
	maxDurationMs = 48 * 3600_000 // of a video
)

// DeclaredType is what a sender said of a file. The bytes decide; a claim can only be found false.
type DeclaredType struct {
	Name, Mime string // either may be empty
}

// Facts are what the bytes of a file say. Zero means unknown.
type Facts struct {
	core.FileFacts

	Orientation int // of a picture as EXIF counts it, 1 to 8; of a video 1, 3, 6 or 8
	Scans       int // of a JPEG that has more than one
	// PixelBytes is how much memory the decoding of a picture takes for each of its pixels at most.
	PixelBytes float64

	// Private says that Clean has something to take out: without it the file may be served as it is.
	Private bool
}

// Refusal is why a file is not taken, as a sentence for the person who sent it. Every other error of this
// package is one of reading the file, or of the context.
type Refusal struct{ Reason string } //nolint:errname // the word that the rest of the service uses

func (r *Refusal) Error() string { return r.Reason }

func newRefusal(reason string) error { return &Refusal{Reason: reason} }

// Read tells what the file of size bytes is. It reads headers and tables, of pictures also the rest once, in
// pieces of 66 KiB: what it holds in memory does not depend on the file. A file that is not taken is a
// *Refusal. The decoding of a picture's pixels is Thumbnail's, which may refuse it still.
func Read(ctx context.Context, r io.ReaderAt, size int64, claim DeclaredType) (facts Facts, err error) {
	f := newFile(ctx, r, size)
	err = catch(func() {
		format := f.sniffFormat()
		if claimed := claim.declaredKind(); claimed != "" && claimed != format.kind {
			refuse(otherKind(claim, format.kind))
		}
		facts = Facts{FileFacts: core.FileFacts{Kind: format.kind, Mime: format.mime, Bytes: size}, Orientation: 1}
		refuseIf(format.kind == core.FileImage && size > maxImageBytes, reasonHeavy)
		format.readFacts(f, &facts)
		f.refuseArchive()
	})
	if err != nil {
		return Facts{}, err
	}
	return facts, nil
}

// setSize checks and sets a picture's size before rotation.
func (f *Facts) setSize(width, height int64) {
	refuseIf(width <= 0 || height <= 0, reasonNoSize)
	if width > maxPixels || height > maxPixels || width*height > maxPixels {
		refuse(tooManyPixels(width, height))
	}
	f.Width, f.Height = int(width), int(height)
}

// swapSidesIfTurned applies the orientation to the size.
func (f *Facts) swapSidesIfTurned() {
	if f.Orientation >= 5 {
		f.Width, f.Height = f.Height, f.Width
	}
}

func (c DeclaredType) declaredKind() core.FileKind {
	switch strings.ToLower(path.Ext(c.Name)) {
	case ".jpg", ".jpeg", ".jpe", ".png", ".apng", ".gif", ".webp", ".heic", ".heif", ".avif", ".bmp", ".tif", ".tiff":
		return core.FileImage
	case ".mp4", ".m4v", ".mov", ".qt", ".3gp", ".webm", ".mkv", ".avi":
		return core.FileVideo
	}
	switch major, _, _ := strings.Cut(strings.ToLower(c.Mime), "/"); core.FileKind(major) {
	case core.FileImage:
		return core.FileImage
	case core.FileVideo:
		return core.FileVideo
	}
	return ""
}

// isRefusal reports whether the error means that the file is not accepted, rather than that it could not be read.
func isRefusal(err error) bool {
	_, ok := errors.AsType[*Refusal](err)
	return ok
}
