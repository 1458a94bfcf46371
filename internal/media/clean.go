package media

import (
	"context"
	"fmt"
	"io"
)

// Clean writes a copy of the file without metadata that shows where, when, by whom or with what it was made. It does
// not re-encode anything. facts are the result of Read; if they are not Private, there is nothing to remove.
//
// From pictures it removes EXIF except for the orientation, XMP, IPTC and Photoshop's blocks, comments and other
// text, embedded pictures, and what follows the end; it keeps color profiles. In videos it overwrites, so that no
// bytes move, user data and metadata of the file and its tracks (places in ©xyz, loci and Apple's keys, makers,
// titles, XMP) and, except in fragmented files, telemetry tracks with their samples. It does not change what a
// picture shows, subtitles, or the times in a video's headers.
func Clean(ctx context.Context, to io.Writer, r io.ReaderAt, facts Facts) error {
	f := newFile(ctx, r, facts.Bytes)
	return catch(func() {
		switch facts.Mime {
		case "image/jpeg":
			f.cleanJPEG(to, facts.Orientation)
		case "image/png":
			f.cleanPNG(to, facts.Orientation)
		case "image/gif":
			f.cleanGIF(to)
		case "image/webp":
			f.cleanWebP(to, facts.Orientation)
		case "video/mp4", "video/quicktime":
			f.cleanMP4(to, facts)
		default:
			check(fmt.Errorf("clean %q: unknown", facts.Mime))
		}
	})
}

// copyTo copies the bytes from at to end.
func (f *file) copyTo(to io.Writer, at, end int64) {
	for at < end {
		b := f.windowAt(at)
		b = b[:min(int64(len(b)), end-at)]
		writeCleaned(to, b)
		at += int64(len(b))
	}
}

func writeCleaned(to io.Writer, b []byte) {
	if _, err := to.Write(b); err != nil {
		check(fmt.Errorf("write a cleaned file: %w", err))
	}
}
