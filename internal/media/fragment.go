package media

import (
	"encoding/binary"

	"github.com/abema/go-mp4"
)

// fragments is what a file in fragments says beyond its index (ISO/IEC 14496-12, 8.8).
type fragments struct {
	duration int64 // in the movie's timescale; 0 when it is not told
	tracks   map[uint32]*fragmented
}

// fragmented is one track of them.
type fragmented struct {
	step         int64 // how long a sample lasts that does not say
	end, samples int64
}

func (f *fragments) of(track uint32) *fragmented {
	t := f.tracks[track]
	if t == nil {
		t = &fragmented{}
		if len(f.tracks) < maxTracks {
			f.tracks[track] = t
		}
	}
	return t
}

func (m *movie) readExtends(mvex box) error {
	if m.fragments == nil {
		m.fragments = &fragments{tracks: map[uint32]*fragmented{}}
	}
	return m.children(mvex, func(b box) error {
		switch b.name {
		case "mehd":
			var head mp4.Mehd
			if err := m.unmarshal(b, &head); err != nil {
				return err
			}
			m.fragments.duration = known(head.GetVersion(), uint64(head.FragmentDurationV0), head.FragmentDurationV1)
		case "trex":
			var defaults mp4.Trex
			if err := m.unmarshal(b, &defaults); err != nil {
				return err
			}
			m.fragments.of(defaults.TrackID).step = int64(defaults.DefaultSampleDuration)
		}
		return nil
	})
}

func (m *movie) readMoof(moof box) error {
	return m.children(moof, func(b box) error {
		if b.name != "traf" {
			return nil
		}
		return m.readTraf(b)
	})
}

func (m *movie) readTraf(traf box) error {
	var t *fragmented
	step := int64(0)
	return m.children(traf, func(b box) error {
		switch {
		case b.name == "tfhd":
			var head mp4.Tfhd
			if err := m.unmarshal(b, &head); err != nil {
				return err
			}
			t = m.fragments.of(head.TrackID)
			if step = t.step; head.CheckFlag(0x8) {
				step = int64(head.DefaultSampleDuration)
			}
		case t == nil:
			return refuse(reasonDamaged) // tfhd comes first
		case b.name == "tfdt":
			var base mp4.Tfdt
			if err := m.unmarshal(b, &base); err != nil {
				return err
			}
			t.end = max(t.end, known(base.GetVersion(), uint64(base.BaseMediaDecodeTimeV0), base.BaseMediaDecodeTimeV1))
		case b.name == "trun":
			return m.readTrun(t, b, step)
		}
		return nil
	})
}

// readTrun adds a run of samples (14496-12, 8.8.8).
func (m *movie) readTrun(t *fragmented, b box, step int64) error {
	if b.length() < 8 {
		return refuse(reasonDamaged)
	}
	flags, err := m.f.u32(b.data)
	if err != nil {
		return err
	}
	count, err := m.f.u32(b.data + 4)
	if err != nil {
		return err
	}
	row := 0
	for _, flag := range []int64{0x100, 0x200, 0x400, 0x800} {
		if flags&flag != 0 {
			row += 4
		}
	}
	at := b.data + 8
	for _, flag := range []int64{0x1, 0x4} {
		if flags&flag != 0 {
			at += 4
		}
	}
	if int64(row)*count > b.end-at {
		return refuse(reasonDamaged)
	}
	t.samples += count
	if flags&0x100 == 0 {
		t.end += count * step
		return t.bounded()
	}
	for rows := (&table{f: m.f, at: at, end: at + int64(row)*count, row: row}); ; {
		row, err := rows.next()
		if err != nil {
			return err
		}
		if row == nil {
			return t.bounded()
		}
		t.end += int64(binary.BigEndian.Uint32(row))
	}
}

func (t *fragmented) bounded() error {
	if t.end < 0 || t.end > maxUnits || t.samples > maxUnits {
		return refuse(reasonTooLong)
	}
	return nil
}
