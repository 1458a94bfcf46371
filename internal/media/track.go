package media

import (
	"github.com/abema/go-mp4"
)

// track is what the index contains about one track.
type track struct {
	id            uint32
	at            mp4Box // the whole track
	enabled       bool
	outside       bool // its data is in another file
	handler       string
	orientation   int
	width, height int64 // before rotation, according to the header
	timescale     int64
	duration      int64 // according to the header
	length        int64 // according to the table of sample times
	samples       int64

	stsd, stts, stsc, stsz, stco, stss mp4Box
}

const maxTracks = 100

func (m *abortingMovieReader) readTrack(trak mp4Box) {
	t := &track{at: trak, orientation: 1}
	m.tracks = append(m.tracks, t)
	refuseFileIf(len(m.tracks) > maxTracks, reasonManyParts)
	for b := range m.children(trak) {
		switch b.name {
		case "tkhd":
			m.readTrackHead(t, b)
		case "mdia":
			m.readMdia(t, b)
		default:
			m.recordIfPrivate(b)
		}
	}
}

func (m *abortingMovieReader) readTrackHead(t *track, b mp4Box) {
	var head mp4.Tkhd
	m.unmarshalSmallBox(b, &head)
	t.id, t.enabled = head.TrackID, head.CheckFlag(1)
	t.width, t.height = int64(head.Width>>16), int64(head.Height>>16)
	// The upper left part of the matrix shows rotations by 90, 180 or 270 degrees. Other matrices are ignored.
	switch a, b, c, d := head.Matrix[0], head.Matrix[1], head.Matrix[3], head.Matrix[4]; {
	case a == 0 && d == 0 && b > 0 && c < 0:
		t.orientation = 6
	case a == 0 && d == 0 && b < 0 && c > 0:
		t.orientation = 8
	case b == 0 && c == 0 && a < 0 && d < 0:
		t.orientation = 3
	}
}

// readMdia reads the content of the mdia box. Its hdlr box says what kind of track this is; hdlr boxes elsewhere do
// not.
func (m *abortingMovieReader) readMdia(t *track, mdia mp4Box) {
	for b := range m.children(mdia) {
		switch b.name {
		case "mdhd":
			var head mp4.Mdhd
			m.unmarshalSmallBox(b, &head)
			t.timescale = int64(head.Timescale)
			t.duration = boxDuration(head.GetVersion(), uint64(head.DurationV0), head.DurationV1)
		case "hdlr":
			refuseFileIf(b.contentLength() < 12, reasonDamaged)
			t.handler = string(m.r.peekBytes(b.content+8, 4))
		case "minf":
			for b := range m.children(b) {
				m.readMinfChild(t, b)
			}
		}
	}
}

// readMinfChild reads a box in a track's minf box: where the data is, or the places of the sample tables.
func (m *abortingMovieReader) readMinfChild(t *track, b mp4Box) {
	switch b.name {
	case "dinf":
		for b := range m.children(b) {
			m.recordOutsideReferences(t, b)
		}
	case "stbl":
		for b := range m.children(b) {
			switch b.name {
			case "stsd":
				t.stsd = b
			case "stts":
				t.stts = b
			case "stsc":
				t.stsc = b
			case "stsz", "stz2":
				t.stsz = b
			case "stco", "co64":
				t.stco = b
			case "stss":
				t.stss = b
			}
		}
	}
}

// recordOutsideReferences records whether a track refers to data in other files, if dinfChild is a dref box. A program
// that followed the references would open files or addresses of the sender's choice.
func (m *abortingMovieReader) recordOutsideReferences(t *track, dinfChild mp4Box) {
	if dinfChild.name != "dref" || dinfChild.contentLength() < 8 {
		return
	}
	for b := range m.boxes(dinfChild.content+8, dinfChild.end) {
		t.outside = t.outside || b.contentLength() >= 4 && m.r.readUint32BE(b.content)&1 == 0
	}
}
