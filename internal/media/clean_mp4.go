package media

import (
	"cmp"
	"io"
	"slices"
)

// span is what is overwritten with nothing. Of a box the size stays and the name becomes free.
type span struct {
	at, end int64
	data    int64 // of a box: where its content begins
}

const maxSpans = 500_000

func (f *file) cleanMP4(to io.Writer, facts Facts) error {
	m := &movie{f: f, facts: &facts}
	if err := m.top(); err != nil {
		return err
	}
	spans, err := m.spans()
	if err != nil {
		return err
	}
	at := int64(0)
	for _, s := range spans {
		if s.end <= at {
			continue
		}
		if s.at >= at {
			if err := f.copyTo(to, at, s.at); err != nil {
				return err
			}
			if at = s.at; s.data > 0 {
				if err := f.freed(to, s); err != nil {
					return err
				}
				at = s.data
			}
		}
		if _, err := io.CopyN(to, zeros{}, s.end-at); err != nil {
			return err
		}
		at = s.end
	}
	return f.copyTo(to, at, f.size)
}

// freed writes a box's header with another name.
func (f *file) freed(to io.Writer, s span) error {
	if err := f.copyTo(to, s.at, s.at+4); err != nil {
		return err
	}
	if err := put(to, []byte("free")); err != nil {
		return err
	}
	return f.copyTo(to, s.at+8, s.data)
}

// spans gives what is to be overwritten, in order.
func (m *movie) spans() ([]span, error) {
	var all []span
	for _, b := range m.told {
		all = append(all, span{b.at, b.end, b.data})
	}
	for _, t := range m.tracks {
		if !t.telemetry() || m.fragments != nil {
			continue
		}
		all = append(all, span{t.at.at, t.at.end, t.at.data})
		if !t.stco.there() || !t.stsc.there() || !t.stsz.there() {
			continue
		}
		err := m.chunks(t, func(_, at, size int64) error {
			// Only of what is to be shown: a place elsewhere would be a lie that blanks the index.
			if size > 0 && at >= 0 && at <= m.f.size-size && !m.moov.overlaps(at, at+size) {
				all = append(all, span{at: at, end: at + size})
			}
			if len(all) > maxSpans {
				return refuse(reasonManyParts)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.end, a.end)) })
	return all, nil
}

func (b box) overlaps(at, end int64) bool { return at < b.end && end > b.at }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
