package media

import (
	"encoding/binary"

	"github.com/abema/go-mp4"
)

// fragments is what a fragmented file contains in addition to its index (ISO/IEC 14496-12, 8.8).
type fragments struct {
	duration int64 // in the movie's timescale; 0 if unknown
	tracks   map[uint32]*fragmentedTrack
}

// fragmentedTrack is a track of a fragmented file.
type fragmentedTrack struct {
	defaultDuration int64 // of samples without their own duration
	end, samples    int64
}

// getOrAddTrack returns the state of a track, and adds the track if it is new.
func (f *fragments) getOrAddTrack(id uint32) *fragmentedTrack {
	t := f.tracks[id]
	if t == nil {
		t = &fragmentedTrack{}
		if len(f.tracks) < maxTracks {
			f.tracks[id] = t
		}
	}
	return t
}

// readMvex reads the box that makes a file fragmented: its duration and the default durations of samples.
func (m *abortingMovieReader) readMvex(mvex mp4Box) {
	if m.fragments == nil {
		m.fragments = &fragments{tracks: map[uint32]*fragmentedTrack{}}
	}
	for b := range m.children(mvex) {
		switch b.name {
		case "mehd":
			var head mp4.Mehd
			m.unmarshalSmallBox(b, &head)
			m.fragments.duration = boxDuration(head.GetVersion(), uint64(head.FragmentDurationV0), head.FragmentDurationV1)
		case "trex":
			var defaults mp4.Trex
			m.unmarshalSmallBox(b, &defaults)
			m.fragments.getOrAddTrack(defaults.TrackID).defaultDuration = int64(defaults.DefaultSampleDuration)
		}
	}
}

// readMoof reads a fragment. The caller checks that the file is fragmented.
func (m *abortingMovieReader) readMoof(moof mp4Box) {
	for b := range m.children(moof) {
		if b.name == "traf" {
			m.readTraf(b)
		}
	}
}

func (m *abortingMovieReader) readTraf(traf mp4Box) {
	var t *fragmentedTrack
	step := int64(0)
	for b := range m.children(traf) {
		switch {
		case b.name == "tfhd":
			var head mp4.Tfhd
			m.unmarshalSmallBox(b, &head)
			t = m.fragments.getOrAddTrack(head.TrackID)
			if step = t.defaultDuration; head.CheckFlag(0x8) {
				step = int64(head.DefaultSampleDuration)
			}
		case t == nil:
			refuseFile(reasonDamaged) // tfhd comes first
		case b.name == "tfdt":
			var base mp4.Tfdt
			m.unmarshalSmallBox(b, &base)
			t.end = max(t.end, boxDuration(base.GetVersion(), uint64(base.BaseMediaDecodeTimeV0), base.BaseMediaDecodeTimeV1))
		case b.name == "trun":
			m.readTrun(t, b, step)
		}
	}
}

// readTrun adds a run of samples to a track (14496-12, 8.8.8). defaultDuration is that of samples without their own.
func (m *abortingMovieReader) readTrun(t *fragmentedTrack, b mp4Box, defaultDuration int64) {
	refuseFileIf(b.contentLength() < 8, reasonDamaged)
	flags, count := m.r.readUint32BE(b.content), m.r.readUint32BE(b.content+4)
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
	rows := m.newTable(at, count, row, b.end)
	t.samples += count
	if flags&0x100 == 0 {
		t.end += count * defaultDuration
	} else {
		for row := range rows.remainingRowViews() {
			t.end += int64(binary.BigEndian.Uint32(row))
		}
	}
	refuseFileIf(t.end < 0 || t.end > maxUnits || t.samples > maxUnits, reasonTooLong)
}
