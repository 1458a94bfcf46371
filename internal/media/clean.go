package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// StripPrivateMetadata writes a copy of the file without metadata that shows where, when, by whom or with what it was
// made. It does not re-encode anything. facts are the result of Examine; if they are not Private, there is nothing to
// remove.
//
// From pictures, it removes EXIF except the orientation, XMP, IPTC and Photoshop blocks, comments and other text,
// embedded pictures, and data after the end. It keeps color profiles. In videos, it overwrites data in place: user data
// and metadata of the file and its tracks (such as places, makers and titles) and, except in fragmented files,
// telemetry tracks with their samples. It does not change what a picture shows, subtitles, or the times in a video's
// headers.
func StripPrivateMetadata(ctx context.Context, to io.Writer, r io.ReaderAt, facts Facts) error {
	return newFile(ctx, r, facts.Bytes).readAndRecoverAbort(func(r *abortingReader) {
		switch facts.Mime {
		case "image/jpeg":
			r.writeCleanJPEG(to, facts.Orientation)
		case "image/png":
			r.writeCleanPNG(to, facts.Orientation)
		case "image/gif":
			r.writeCleanGIF(to)
		case "image/webp":
			r.writeCleanWebP(to, facts.Orientation)
		case "video/mp4", "video/quicktime":
			r.writeCleanMP4(to, facts)
		default:
			abortIfError(fmt.Errorf("clean a file of type %q: the type is not supported", facts.Mime))
		}
	})
}

// copyRange copies the bytes from at to end.
func (r *abortingReader) copyRange(to io.Writer, at, end int64) {
	for at < end {
		b := r.peekWindow(at)
		b = b[:min(int64(len(b)), end-at)]
		writeOrAbort(to, b)
		at += int64(len(b))
	}
}

// writeOrAbort writes b, and aborts the cleaning if that fails.
func writeOrAbort(to io.Writer, b []byte) {
	if _, err := to.Write(b); err != nil {
		abortIfError(fmt.Errorf("write a cleaned file: %w", err))
	}
}

func (r *abortingReader) writeCleanJPEG(to io.Writer, orientation int) {
	writeOrAbort(to, []byte{0xff, markSOI})
	owed := orientation != 1 // the orientation is still to be written, after the JFIF segment
	r.visitJPEGSegments(func(s jpegSegment) {
		if owed && s.mark != markAPP0 {
			owed = false
			writeOrAbort(to, append([]byte("\xff\xe1\x00\x22"+exifName), minimalEXIF(orientation)...))
		}
		if isKeptInCleanJPEG(s) {
			r.copyRange(to, s.at, s.at+s.length)
		}
	})
}

func (r *abortingReader) writeCleanPNG(to io.Writer, orientation int) {
	r.copyRange(to, 0, pngHead)
	r.visitPNGChunks(func(c imageChunk) {
		if isKeptInCleanPNG(c.name) {
			r.copyRange(to, c.at, c.data+c.length+4)
		}
		if c.name == "IHDR" && orientation != 1 {
			exif := minimalEXIF(orientation)
			body := append([]byte("eXIf"), exif...)
			out := binary.BigEndian.AppendUint32(nil, uint32(len(exif))) //nolint:gosec // 26
			writeOrAbort(to, binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body)))
		}
	})
}

func (r *abortingReader) writeCleanGIF(to io.Writer) {
	start := r.gifBlocksStart()
	r.copyRange(to, 0, start)
	r.visitGIFBlocks(start, func(k gifBlock) {
		if isKeptInCleanGIF(k) {
			r.copyRange(to, k.at, k.at+k.length)
		}
	})
}

// writeCleanWebP reads the file twice, because the header contains the length of the cleaned file.
func (r *abortingReader) writeCleanWebP(to io.Writer, orientation int) {
	var exif []byte
	if orientation != 1 {
		exif = append([]byte("EXIF\x1a\x00\x00\x00"), minimalEXIF(orientation)...)
	}
	end, size := r.riffEnd(), int64(4+len(exif))
	for c := range r.riffChunks(end) {
		if isKeptInCleanWebP(c.name) {
			size += 8 + c.length + c.length&1
		}
	}
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"),
		uint32(size)) //nolint:gosec // at most 34 bytes more than the original
	writeOrAbort(to, append(head, "WEBP"...))
	for c := range r.riffChunks(end) {
		switch {
		case !isKeptInCleanWebP(c.name):
		case c.name == "VP8X":
			b := bytes.Clone(r.peekBytes(c.at, 18))
			const hasXMP, hasEXIF = 0x04, 0x08
			if b[8] &^= hasXMP | hasEXIF; exif != nil {
				b[8] |= hasEXIF
			}
			writeOrAbort(to, b)
		default:
			r.copyRange(to, c.at, c.data+c.length)
			writeOrAbort(to, make([]byte, c.length&1))
		}
	}
	writeOrAbort(to, exif)
}
