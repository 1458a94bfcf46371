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
	var err error
	switch facts.Mime {
	case "image/jpeg":
		err = f.cleanJPEG(to, facts.Orientation)
	case "image/png":
		err = f.cleanPNG(to, facts.Orientation)
	case "image/gif":
		err = f.cleanGIF(to)
	case "image/webp":
		err = f.cleanWebP(to, facts.Orientation)
	case "video/mp4", "video/quicktime":
		err = f.cleanMP4(to, facts)
	default:
		err = fmt.Errorf("clean %q: unknown", facts.Mime)
	}
	return err
}

// copyTo writes the bytes from at to end.
func (f *file) copyTo(to io.Writer, at, end int64) error {
	for at < end {
		b, err := f.windowAt(at)
		if err != nil {
			return err
		}
		b = b[:min(int64(len(b)), end-at)]
		if err := writeCleaned(to, b); err != nil {
			return err
		}
		at += int64(len(b))
	}
	return nil
}

func writeCleaned(to io.Writer, b []byte) error {
	if _, err := to.Write(b); err != nil {
		return fmt.Errorf("write a cleaned file: %w", err)
	}
	return nil
}
