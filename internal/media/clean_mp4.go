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

func (f *file) cleanMP4(to io.Writer, facts Facts) error {
	m := &movie{f: f, facts: &facts}
	if err := m.readTopBoxes(); err != nil {
		return err
	}
	spans, err := m.findPrivateSpans()
	if err != nil {
		return err
	}
	at := int64(0)
	for _, s := range spans {
		if s.end <= at {
			continue
		}
		if s.start >= at {
			if err := f.copyTo(to, at, s.start); err != nil {
				return err
			}
			if at = s.start; s.content > 0 {
				if err := f.writeFreeBox(to, s); err != nil {
					return err
				}
				at = s.content
			}
		}
		if _, err := io.CopyN(to, zeros{}, s.end-at); err != nil {
			return err
		}
		at = s.end
	}
	return f.copyTo(to, at, f.size)
}

// writeFreeBox writes a box's header with another name.
func (f *file) writeFreeBox(to io.Writer, s span) error {
	if err := f.copyTo(to, s.start, s.start+4); err != nil {
		return err
	}
	if err := writeCleaned(to, []byte("free")); err != nil {
		return err
	}
	return f.copyTo(to, s.start+8, s.content)
}

// findPrivateSpans returns what is to be overwritten, in order.
func (m *movie) findPrivateSpans() ([]span, error) {
	var all []span
	for _, b := range m.privateBoxes {
		all = append(all, span{b.start, b.end, b.content})
	}
	for _, t := range m.tracks {
		if !t.isTelemetry() || m.fragments != nil {
			continue
		}
		all = append(all, span{t.at.start, t.at.end, t.at.content})
		if !t.stco.exists() || !t.stsc.exists() || !t.stsz.exists() {
			continue
		}
		err := m.visitChunks(t, func(_, at, size int64) error {
			// Only of what is to be shown: a place elsewhere would be a lie that blanks the index.
			if size > 0 && at >= 0 && at <= m.f.size-size && !m.moov.overlapsRange(at, at+size) {
				all = append(all, span{start: at, end: at + size})
			}
			if len(all) > maxSpans {
				return newRefusal(reasonManyParts)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	return all, nil
}

func (b box) overlapsRange(at, end int64) bool { return at < b.end && end > b.start }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
