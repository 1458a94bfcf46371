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

// DeclaredType is what the sender said about a file. The bytes decide; a declaration can only contradict them.
type DeclaredType struct {
	Name, Mime string // either may be empty
}

// Facts are what the bytes of a file show. Zero means unknown.
type Facts struct {
	core.FileFacts

	Orientation int // of a picture as EXIF counts it, 1 to 8; of a video 1, 3, 6 or 8
	Scans       int // of a JPEG that has more than one
	// PixelBytes is the maximum memory for decoding a picture, per pixel.
	PixelBytes float64

	// Private reports that Clean has something to remove; otherwise the file can be served unchanged.
	Private bool
}

// Refusal is the reason why a file is not accepted, as a sentence for its sender. Every other error of this package
// is an error of reading the file, or of the context.
type Refusal struct{ Reason string } //nolint:errname // the word that the rest of the service uses

func (r *Refusal) Error() string { return r.Reason }

func newRefusal(reason string) error { return &Refusal{Reason: reason} }

// Read examines a file of size bytes. It reads headers and tables, and pictures completely, in windows of 66 KiB, so
// its memory does not depend on the file. The error is a *Refusal if the file is not accepted. Pixels are decoded
// later by Thumbnail, which may also refuse the file.
func Read(ctx context.Context, r io.ReaderAt, size int64, claim DeclaredType) (facts Facts, err error) {
	f := newFile(ctx, r, size)
	err = recoverAbort(func() {
		format := f.sniffFormat()
		if claimed := claim.declaredKind(); claimed != "" && claimed != format.kind {
			abortWith(otherKind(claim, format.kind))
		}
		facts = Facts{FileFacts: core.FileFacts{Kind: format.kind, Mime: format.mime, Bytes: size}, Orientation: 1}
		abortIf(format.kind == core.FileImage && size > maxImageBytes, reasonHeavy)
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
	abortIf(width <= 0 || height <= 0, reasonNoSize)
	if width > maxPixels || height > maxPixels || width*height > maxPixels {
		abortWith(tooManyPixels(width, height))
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
