package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
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
	return recoverAbort(func() {
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
			abortOn(fmt.Errorf("clean %q: unknown", facts.Mime))
		}
	})
}

// copyTo copies the bytes from at to end.
func (f *file) copyTo(to io.Writer, at, end int64) {
	for at < end {
		b := f.windowAt(at)
		b = b[:min(int64(len(b)), end-at)]
		writeOrAbort(to, b)
		at += int64(len(b))
	}
}

// writeOrAbort writes b as it is, and aborts the cleaning if that fails.
func writeOrAbort(to io.Writer, b []byte) {
	if _, err := to.Write(b); err != nil {
		abortOn(fmt.Errorf("write a cleaned file: %w", err))
	}
}

func (f *file) cleanJPEG(to io.Writer, orientation int) {
	writeOrAbort(to, []byte{0xff, markSOI})
	owed := orientation != 1 // the orientation, which comes after JFIF's segment
	f.visitJPEGSegments(func(s segment) {
		if owed && s.mark != markAPP0 {
			owed = false
			writeOrAbort(to, append([]byte("\xff\xe1\x00\x22"+exifName), minimalEXIF(orientation)...))
		}
		if keptInJPEG(s) {
			f.copyTo(to, s.at, s.at+s.length)
		}
	})
}

func (f *file) cleanPNG(to io.Writer, orientation int) {
	f.copyTo(to, 0, pngHead)
	f.visitPNGChunks(func(c chunk) {
		if keptInPNG(c.name) {
			f.copyTo(to, c.at, c.data+c.length+4)
		}
		if c.name == "IHDR" && orientation != 1 {
			exif := minimalEXIF(orientation)
			body := append([]byte("eXIf"), exif...)
			out := binary.BigEndian.AppendUint32(nil, uint32(len(exif))) //nolint:gosec // 26
			writeOrAbort(to, binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body)))
		}
	})
}

func (f *file) cleanGIF(to io.Writer) {
	start := f.gifStart()
	f.copyTo(to, 0, start)
	f.visitGIFBlocks(start, func(k block) {
		if keptInGIF(k) {
			f.copyTo(to, k.at, k.at+k.length)
		}
	})
}

// cleanWebP reads the file twice, because its length comes first.
func (f *file) cleanWebP(to io.Writer, orientation int) {
	var exif []byte
	if orientation != 1 {
		exif = append([]byte("EXIF\x1a\x00\x00\x00"), minimalEXIF(orientation)...)
	}
	end, size := f.riffEnd(), int64(4+len(exif))
	for c := range f.riffChunks(end) {
		if keptInWebP(c.name) {
			size += 8 + c.length + c.length&1
		}
	}
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"),
		uint32(size)) //nolint:gosec // no more than it was, but for 34
	writeOrAbort(to, append(head, "WEBP"...))
	for c := range f.riffChunks(end) {
		switch {
		case !keptInWebP(c.name):
		case c.name == "VP8X":
			b := bytes.Clone(f.readBytes(c.at, 18))
			const hasXMP, hasEXIF = 0x04, 0x08
			if b[8] &^= hasXMP | hasEXIF; exif != nil {
				b[8] |= hasEXIF
			}
			writeOrAbort(to, b)
		default:
			f.copyTo(to, c.at, c.data+c.length)
			writeOrAbort(to, make([]byte, c.length&1))
		}
	}
	writeOrAbort(to, exif)
}
