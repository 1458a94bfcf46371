package media

import (
	"encoding/binary"

	"github.com/abema/go-mp4"
)

// fragments is what a file in fragments says beyond its index (ISO/IEC 14496-12, 8.8).
type fragments struct {
	duration int64 // in the movie's timescale; 0 when it is not told
	tracks   map[uint32]*fragmentedTrack
}

// fragmentedTrack is one track of them.
type fragmentedTrack struct {
	defaultDuration int64 // how long a sample lasts that does not say
	end, samples    int64
}

func (f *fragments) trackState(track uint32) *fragmentedTrack {
	t := f.tracks[track]
	if t == nil {
		t = &fragmentedTrack{}
		if len(f.tracks) < maxTracks {
			f.tracks[track] = t
		}
	}
	return t
}

func (m *movie) readExtends(mvex box) error {
	if m.fragments == nil {
		m.fragments = &fragments{tracks: map[uint32]*fragmentedTrack{}}
	}
	return m.visitChildren(mvex, func(b box) error {
		switch b.name {
		case "mehd":
			var head mp4.Mehd
			if err := m.unmarshalBox(b, &head); err != nil {
				return err
			}
			m.fragments.duration = knownDuration(head.GetVersion(), uint64(head.FragmentDurationV0), head.FragmentDurationV1)
		case "trex":
			var defaults mp4.Trex
			if err := m.unmarshalBox(b, &defaults); err != nil {
				return err
			}
			m.fragments.trackState(defaults.TrackID).defaultDuration = int64(defaults.DefaultSampleDuration)
		}
		return nil
	})
}

func (m *movie) readMoof(moof box) error {
	return m.visitChildren(moof, func(b box) error {
		if b.name != "traf" {
			return nil
		}
		return m.readTraf(b)
	})
}

func (m *movie) readTraf(traf box) error {
	var t *fragmentedTrack
	step := int64(0)
	return m.visitChildren(traf, func(b box) error {
		switch {
		case b.name == "tfhd":
			var head mp4.Tfhd
			if err := m.unmarshalBox(b, &head); err != nil {
				return err
			}
			t = m.fragments.trackState(head.TrackID)
			if step = t.defaultDuration; head.CheckFlag(0x8) {
				step = int64(head.DefaultSampleDuration)
			}
		case t == nil:
			return newRefusal(reasonDamaged) // tfhd comes first
		case b.name == "tfdt":
			var base mp4.Tfdt
			if err := m.unmarshalBox(b, &base); err != nil {
				return err
			}
			t.end = max(t.end, knownDuration(base.GetVersion(), uint64(base.BaseMediaDecodeTimeV0), base.BaseMediaDecodeTimeV1))
		case b.name == "trun":
			return m.readTrun(t, b, step)
		}
		return nil
	})
}

// readTrun adds a run of samples (14496-12, 8.8.8).
func (m *movie) readTrun(t *fragmentedTrack, b box, step int64) error {
	if b.contentLength() < 8 {
		return newRefusal(reasonDamaged)
	}
	flags, err := m.f.readUint32(b.content)
	if err != nil {
		return err
	}
	count, err := m.f.readUint32(b.content + 4)
	if err != nil {
		return err
	}
	row := 0
	for _, flag := range []int64{0x100, 0x200, 0x400, 0x800} {
		if flags&flag != 0 {
			row += 4
		}
	}
	at := b.content + 8
	for _, flag := range []int64{0x1, 0x4} {
		if flags&flag != 0 {
			at += 4
		}
	}
	if int64(row)*count > b.end-at {
		return newRefusal(reasonDamaged)
	}
	t.samples += count
	if flags&0x100 == 0 {
		t.end += count * step
		return t.checkBounds()
	}
	for rows := (&table{f: m.f, nextAt: at, end: at + int64(row)*count, row: row}); ; {
		row, err := rows.nextRow()
		if err != nil {
			return err
		}
		if row == nil {
			return t.checkBounds()
		}
		t.end += int64(binary.BigEndian.Uint32(row))
	}
}

func (t *fragmentedTrack) checkBounds() error {
	if t.end < 0 || t.end > maxUnits || t.samples > maxUnits {
		return newRefusal(reasonTooLong)
	}
	return nil
}
