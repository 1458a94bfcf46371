package media

import (
	"github.com/abema/go-mp4"
)

// track is what the index says of one track.
type track struct {
	id            uint32
	at            box // the whole of it
	enabled       bool
	outside       bool // its data is in another file
	handler       string
	orientation   int
	width, height int64 // as the header says, before rotation
	timescale     int64
	duration      int64 // as the header says
	length        int64 // as the table of times says
	samples       int64

	stsd, stts, stsc, stsz, stco, stss box
}

const maxTracks = 100

func (m *movie) readTrack(trak box) error {
	t := &track{at: trak, orientation: 1}
	if m.tracks = append(m.tracks, t); len(m.tracks) > maxTracks {
		return newRefusal(reasonManyParts)
	}
	return m.visitChildren(trak, func(b box) error {
		switch b.name {
		case "tkhd":
			return m.readTrackHead(t, b)
		case "mdia":
			return m.readMedia(t, b)
		}
		return m.notePrivateBox(b)
	})
}

func (m *movie) readTrackHead(t *track, b box) error {
	var head mp4.Tkhd
	if err := m.unmarshalBox(b, &head); err != nil {
		return err
	}
	t.id, t.enabled = head.TrackID, head.CheckFlag(1)
	t.width, t.height = int64(head.Width>>16), int64(head.Height>>16)
	// The matrix's upper left four say whether it is turned by right angles; anything else is shown as it is.
	switch a, b, c, d := head.Matrix[0], head.Matrix[1], head.Matrix[3], head.Matrix[4]; {
	case a == 0 && d == 0 && b > 0 && c < 0:
		t.orientation = 6
	case a == 0 && d == 0 && b < 0 && c > 0:
		t.orientation = 8
	case b == 0 && c == 0 && a < 0 && d < 0:
		t.orientation = 3
	}
	return nil
}

// readMedia reads what is under mdia. There are handlers elsewhere too, under meta, and means something else there.
func (m *movie) readMedia(t *track, mdia box) error {
	return m.visitChildren(mdia, func(b box) error {
		switch b.name {
		case "mdhd":
			var head mp4.Mdhd
			if err := m.unmarshalBox(b, &head); err != nil {
				return err
			}
			t.timescale = int64(head.Timescale)
			t.duration = knownDuration(head.GetVersion(), uint64(head.DurationV0), head.DurationV1)
		case "hdlr":
			if b.contentLength() < 12 {
				return newRefusal(reasonDamaged)
			}
			kind, err := m.f.readBytes(b.content+8, 4)
			t.handler = string(kind)
			return err
		case "minf":
			return m.visitChildren(b, func(b box) error { return m.readInformation(t, b) })
		}
		return nil
	})
}

func (m *movie) readInformation(t *track, b box) error {
	switch b.name {
	case "dinf":
		return m.visitChildren(b, func(b box) error { return m.readReferences(t, b) })
	case "stbl":
		return m.visitChildren(b, func(b box) error {
			for name, into := range map[string]*box{
				"stsd": &t.stsd, "stts": &t.stts, "stsc": &t.stsc, "stsz": &t.stsz, "stz2": &t.stsz,
				"stco": &t.stco, "co64": &t.stco, "stss": &t.stss,
			} {
				if name == b.name {
					*into = b
				}
			}
			return nil
		})
	}
	return nil
}

// readReferences notes data that is not in this file: a reader that followed the reference would open a file
// or an address of the sender's choice.
func (m *movie) readReferences(t *track, dref box) error {
	if dref.name != "dref" || dref.contentLength() < 8 {
		return nil
	}
	return m.visitBoxes(dref.content+8, dref.end, func(b box) error {
		if b.contentLength() < 4 {
			return nil
		}
		flags, err := m.f.readUint32(b.content)
		t.outside = t.outside || flags&1 == 0
		return err
	})
}
