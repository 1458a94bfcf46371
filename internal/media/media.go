// Package media examines images and videos, makes their thumbnails, and removes private metadata.
package media

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"belfry/internal/core"
)

// Limits of files. A file that exceeds one is refused, even if a network would accept it.
const (
	maxPixels     = 100_000_000   // of a picture, or of one frame
	maxFrames     = 200           // of an animated picture
	maxImageBytes = 256 << 20     // of a picture
	maxMoovBytes  = 256 << 20     // of a video's index
	maxDurationMs = 48 * 3600_000 // of a video
)

// DeclaredType is the type of a file according to its sender. The bytes decide what the file is; if the declared type
// is of the other kind (image or video), the file is refused.
type DeclaredType struct {
	Name, Mime string // either may be empty
}

// Facts are the properties of a file, read from its bytes. Zero means unknown.
type Facts struct {
	core.FileFacts

	Orientation int // as in EXIF: 1 to 8 for a picture, and 1, 3, 6 or 8 for a video
	Scans       int // of a JPEG with more than one scan
	// PixelBytes is the maximum number of bytes of memory per pixel for decoding a picture.
	PixelBytes float64

	profile imageChunk // where the color profile is; empty if the picture has none, or one in several parts
	partial bool       // the last frame of an animated WebP does not cover the picture

	// Private reports that StripPrivateMetadata has something to remove; otherwise the file can be served unchanged.
	Private bool
}

// Refusal is an error that says why a file is not accepted, as a sentence for its sender. All other errors of this
// package come from reading the file or from the context.
type Refusal struct{ Reason string } //nolint:errname // the term that the other packages use

func (r *Refusal) Error() string { return r.Reason }

func newRefusal(reason string) error { return &Refusal{Reason: reason} }

// Examine reads the facts of a file of size bytes. It reads headers, tables and whole pictures in windows of 66 KiB, so
// its memory use does not depend on the file. The error is a *Refusal if the file is not accepted. Pixels are decoded
// later by MakePictureThumbnailOrPlaceholder, which may also refuse the file.
func Examine(ctx context.Context, r io.ReaderAt, size int64, declared DeclaredType) (facts Facts, err error) {
	err = newFile(ctx, r, size).readAndRecoverAbort(func(r *abortingReader) {
		format := r.sniffFormatOrRefuse()
		if kind := declared.declaredKind(); kind != "" && kind != format.kind {
			refuseFile(reasonOtherKind(declared, format.kind))
		}
		facts = Facts{FileFacts: core.FileFacts{Kind: format.kind, Mime: format.mime, Bytes: size}, Orientation: 1}
		refuseFileIf(format.kind == core.FileImage && size > maxImageBytes, reasonHeavy)
		format.readFacts(r, &facts)
		r.refuseIfAlsoZIP()
		facts.Convertible = facts.isConvertibleToJPEG()
	})
	if err != nil {
		return Facts{}, err
	}
	return facts, nil
}

// setSizeOrRefuse sets the size before rotation, and refuses a file without size or with too many pixels.
func (f *Facts) setSizeOrRefuse(width, height int64) {
	refuseFileIf(width <= 0 || height <= 0, reasonNoSize)
	if width > maxPixels || height > maxPixels || width*height > maxPixels {
		refuseFile(reasonTooManyPixels(f.Kind, width, height))
	}
	f.Width, f.Height = int(width), int(height)
}

// swapSidesIfTurned swaps width and height if the orientation turns the picture by 90 degrees.
func (f *Facts) swapSidesIfTurned() {
	if f.Orientation >= 5 {
		f.Width, f.Height = f.Height, f.Width
	}
}

// declaredKind returns the kind of file according to its name or, if that is unknown, its media type, or "".
func (c DeclaredType) declaredKind() (kindOrEmpty core.FileKind) {
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

// isRefusal reports whether err is a *Refusal.
func isRefusal(err error) bool {
	_, ok := errors.AsType[*Refusal](err)
	return ok
}
