package media

import (
	"context"
	"fmt"
	"io"
)

// Clean writes a copy of the file without what names where, when, by whom and with what it was made. Nothing is
// encoded anew. facts are those that Read gave for it; where they are not Private there is nothing to take out.
//
// Of pictures it takes out EXIF but for the orientation, XMP, IPTC and Photoshop's blocks, comments and other
// text, embedded further pictures, and what follows the end; colour profiles stay. Of videos it overwrites,
// so that nothing moves, user data and metadata of the file and its tracks (places in ©xyz, loci and Apple's
// keys, makers, titles, XMP), and, but in files in fragments, tracks of measurements with their samples. What a
// picture shows, and subtitles say, stays; so do the times in a video's headers.
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

// copyTo writes the bytes from at to end.
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
