package media

import (
	"cmp"
	"io"
	"slices"
)

// privateSpan is a range to overwrite with zeros. A box keeps its size, and is renamed to free.
type privateSpan struct {
	start, end int64
	content    int64 // of a box: where its content begins
}

const maxSpans = 500_000

func (r *abortingReader) writeCleanMP4(to io.Writer, facts Facts) {
	m := &abortingMovieReader{r: r, facts: &facts}
	m.readTopBoxes()
	at := int64(0)
	for _, s := range m.findPrivateSpans() {
		if s.end <= at {
			continue
		}
		if s.start >= at {
			r.copyRange(to, at, s.start)
			if at = s.start; s.content > 0 { // the box's header, with another name
				r.copyRange(to, at, at+4)
				writeOrAbort(to, []byte("free"))
				r.copyRange(to, at+8, s.content)
				at = s.content
			}
		}
		_, err := io.CopyN(to, zeros{}, s.end-at)
		abortIfError(err)
		at = s.end
	}
	r.copyRange(to, at, r.size)
}

// findPrivateSpans returns the ranges to overwrite, in order.
func (m *abortingMovieReader) findPrivateSpans() (all []privateSpan) {
	for _, b := range m.privateBoxes {
		all = append(all, privateSpan{b.start, b.end, b.content})
	}
	for _, t := range m.tracks {
		if !t.isTelemetry() || m.fragments != nil {
			continue
		}
		all = append(all, privateSpan{t.at.start, t.at.end, t.at.content})
		if !t.hasChunkTables() {
			continue
		}
		m.visitChunks(t, func(c mediaChunk) {
			// A forged offset must not erase the index.
			if c.size > 0 && c.at >= 0 && c.at <= m.r.size-c.size && !m.moov.overlapsRange(c.at, c.at+c.size) {
				all = append(all, privateSpan{start: c.at, end: c.at + c.size})
			}
			refuseFileIf(len(all) > maxSpans, reasonManyParts)
		})
	}
	slices.SortFunc(all, func(a, b privateSpan) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	return all
}

func (b mp4Box) overlapsRange(at, end int64) bool { return at < b.end && end > b.start }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

const maxPrivateBoxes = 10_000

// recordIfPrivate records a box if StripPrivateMetadata must remove it. Such a box contains data about the video, such
// as places, times and makers (14496-12, 8.10 and 8.11; QuickTime File Format, User Data Atoms).
func (m *abortingMovieReader) recordIfPrivate(b mp4Box) {
	if b.name != "udta" && b.name != "meta" && b.name != "uuid" || m.hasNoPrivateData(b, 0) {
		return
	}
	m.facts.Private = true
	m.privateBoxes = append(m.privateBoxes, b)
	refuseFileIf(len(m.privateBoxes) > maxPrivateBoxes, reasonManyParts)
}

// hasNoPrivateData reports whether a box contains nothing except the name of the program that wrote it, as in most
// videos. depth is the number of boxes around it that were examined before; a box that is nested too deeply may contain
// anything.
func (m *abortingMovieReader) hasNoPrivateData(b mp4Box, depth int) bool {
	switch b.name {
	case "hdlr", "free", "skip", "\xa9too", "\xa9swr", "\xa9enc":
		return true
	case "udta", "ilst":
	case "uuid": // Spherical Video V1: how to show a 360-degree video
		return string(m.r.peekUpTo(b.content, 16)) == "\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd"
	case "meta": // in MP4, but not in QuickTime, it begins with four additional bytes (14496-12, 8.11.1)
		if b.contentLength() >= 8 && string(m.r.peekBytes(b.content, 8)[4:]) != "hdlr" {
			b.content += 4
		}
	default:
		return false
	}
	if depth == 3 {
		return false
	}
	clean := true
	err := recoverAbort(func() {
		for b := range m.children(b) {
			clean = m.hasNoPrivateData(b, depth+1) && clean
		}
	})
	if isRefusal(err) { // an unreadable box may contain anything
		return false
	}
	abortIfError(err)
	return clean
}

// isTelemetry reports whether a track contains only data about the recording, such as positions, and nothing to show.
func (t *track) isTelemetry() bool { return t.handler == "meta" || t.handler == "camm" }
