package media

import (
	"cmp"
	"io"
	"slices"
)

// span is what is overwritten with nothing. Of a box the size stays and the name becomes free.
type span struct {
	start, end int64
	content    int64 // of a box: where its content begins
}

const maxSpans = 500_000

func (f *file) cleanMP4(to io.Writer, facts Facts) {
	m := &movie{f: f, facts: &facts}
	m.readTopBoxes()
	at := int64(0)
	for _, s := range m.findPrivateSpans() {
		if s.end <= at {
			continue
		}
		if s.start >= at {
			f.copyTo(to, at, s.start)
			if at = s.start; s.content > 0 { // the box's header, with another name
				f.copyTo(to, at, at+4)
				writeCleaned(to, []byte("free"))
				f.copyTo(to, at+8, s.content)
				at = s.content
			}
		}
		_, err := io.CopyN(to, zeros{}, s.end-at)
		check(err)
		at = s.end
	}
	f.copyTo(to, at, f.size)
}

// findPrivateSpans returns what is to be overwritten, in order.
func (m *movie) findPrivateSpans() (all []span) {
	for _, b := range m.privateBoxes {
		all = append(all, span{b.start, b.end, b.content})
	}
	for _, t := range m.tracks {
		if !t.isTelemetry() || m.fragments != nil {
			continue
		}
		all = append(all, span{t.at.start, t.at.end, t.at.content})
		if !t.hasChunks() {
			continue
		}
		m.visitChunks(t, func(c mediaChunk) {
			// Only of what is to be shown: a place elsewhere would be a lie that blanks the index.
			if c.size > 0 && c.at >= 0 && c.at <= m.f.size-c.size && !m.moov.overlapsRange(c.at, c.at+c.size) {
				all = append(all, span{start: c.at, end: c.at + c.size})
			}
			refuseIf(len(all) > maxSpans, reasonManyParts)
		})
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	return all
}

func (b box) overlapsRange(at, end int64) bool { return at < b.end && end > b.start }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
