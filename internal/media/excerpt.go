package media

import (
	"bytes"
	"encoding/binary"
)

const maxSample = 32 << 20 // of one picture of a video, as it is written

// cutKeyframe writes a video of one picture: the sample description of the original and its first picture that
// is a key frame near the first second. A file in fragments has no excerpt.
func (f *file) cutKeyframe(facts Facts) ([]byte, error) {
	m := &movie{f: f, facts: &facts}
	if err := m.readTopBoxes(); err != nil {
		return nil, err
	}
	video := m.firstTrack("vide")
	if video == nil || video.outside || video.stsd.contentLength() > maxPayload {
		return nil, errNoFrame
	}
	if err := m.readTimes(video); err != nil {
		return nil, err
	}
	at, size, err := m.locateKeyframe(video)
	if err != nil {
		return nil, err
	}
	if size <= 0 || size > maxSample || at < 0 || at > f.size-size {
		return nil, errNoFrame
	}
	picture := make([]byte, size)
	if err := f.readFull(picture, at); err != nil {
		return nil, err
	}
	stsd := make([]byte, video.stsd.end-video.stsd.start)
	if err := f.readFull(stsd, video.stsd.start); err != nil {
		return nil, err
	}
	return wrapSample(stsd, picture), nil
}

// locateKeyframe returns where the picture for the poster is.
func (m *movie) locateKeyframe(t *track) (at, size int64, err error) {
	if t.samples == 0 || !t.stco.exists() {
		return 0, 0, errNoFrame
	}
	wanted, err := m.chooseKeyframe(t)
	if err != nil {
		return 0, 0, err
	}
	// The chunks tell where the sample's one begins; the sizes of those before it in there, how far in it is.
	first, start, within := int64(0), int64(-1), int64(0)
	err = m.visitChunks(t, func(samples, at, _ int64) error {
		if start < 0 && wanted < first+samples {
			start, within = at, first
		}
		first += samples
		return nil
	})
	if err != nil || start < 0 {
		return 0, 0, err
	}
	sizes, err := m.openSampleSizes(t.stsz)
	if err != nil {
		return 0, 0, err
	}
	if _, err = sizes.sumSizes(within); err != nil {
		return 0, 0, err
	}
	before, err := sizes.sumSizes(wanted - within)
	if err != nil {
		return 0, 0, err
	}
	size, err = sizes.nextSize()
	return start + before, size, err
}

// chooseKeyframe returns the number, from 0, of the picture to show: the last key frame within the first
// second, and so often not the black one that a video begins with (14496-12, 8.6.2).
func (m *movie) chooseKeyframe(t *track) (int64, error) {
	if !t.stss.exists() { // every one does
		return 0, nil
	}
	rows, _, err := m.openTable(t.stss, 4)
	if err != nil {
		return 0, err
	}
	second := t.samples
	if t.length > 0 {
		second = int64(float64(t.samples) * float64(t.timescale) / float64(t.length))
	}
	found := int64(0)
	for {
		row, err := rows.nextRow()
		if row == nil || err != nil {
			return found, err
		}
		n := int64(binary.BigEndian.Uint32(row)) - 1
		if n < 0 || n >= t.samples || found > 0 && n > second {
			return found, nil
		}
		found = n
		if n > second {
			return found, nil
		}
	}
}

// wrapSample is a QuickTime file of one picture, which begins where the index ends.
func wrapSample(stsd, picture []byte) []byte {
	var (
		be    = binary.BigEndian.AppendUint32
		words = func(of ...uint32) (out []byte) {
			for _, w := range of {
				out = be(out, w)
			}
			return out
		}
		boxed = func(name string, parts ...[]byte) []byte {
			content := bytes.Join(parts, nil)
			return append(append(be(nil, uint32(8+len(content))), name...), content...) //nolint:gosec // small
		}
	)
	const one = 0x10000
	unity := words(one, 0, 0, 0, one, 0, 0, 0, 0x40000000)
	ftyp := boxed("ftyp", []byte("qt  "), words(0x200), []byte("qt  "))
	moov := func(at uint32) []byte {
		stbl := boxed("stbl", stsd,
			boxed("stts", words(0, 1, 1, 1000)),
			boxed("stsc", words(0, 1, 1, 1, 1)),
			boxed("stsz", words(0, 0, 1, uint32(len(picture)))), //nolint:gosec // at most maxSample
			boxed("stco", words(0, 1, at)))
		minf := boxed("minf", boxed("vmhd", words(1, 0, 0)),
			boxed("dinf", boxed("dref", words(0, 1), boxed("url ", words(1)))), stbl)
		mdia := boxed("mdia", boxed("mdhd", words(0, 0, 0, 1000, 1000, 0x55c40000)),
			boxed("hdlr", words(0), []byte("mhlrvide"), words(0, 0, 0), []byte{0}), minf)
		tkhd := boxed("tkhd", words(7, 0, 0, 1, 0, 1000, 0, 0, 0, 0), unity, words(0, 0))
		mvhd := boxed("mvhd", words(0, 0, 0, 1000, 1000, one, one<<8, 0, 0), unity, words(0, 0, 0, 0, 0, 0, 2))
		return boxed("moov", mvhd, boxed("trak", tkhd, mdia))
	}
	head := len(ftyp) + len(moov(0)) + 8
	return bytes.Join([][]byte{ftyp, moov(uint32(head)), boxed("mdat", picture)}, nil) //nolint:gosec // small
}
