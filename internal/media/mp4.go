package media

import (
	"encoding/binary"
	"math"

	"github.com/abema/go-mp4"
)

// movie is an MP4 or MOV under examination.
type movie struct {
	f     *file
	facts *Facts
	seen  int // boxes

	moov, mdat   box
	timescale    int64
	duration     int64 // in the timescale
	tracks       []*track
	fragments    *fragments // nil in a file without
	privateBoxes []box      // what Clean takes out
}

func readMP4(f *file, facts *Facts) error {
	m := &movie{f: f, facts: facts}
	if err := m.readTopBoxes(); err != nil {
		return err
	}
	if !m.moov.exists() {
		return newRefusal(reasonNoMoov)
	}
	return m.summarize()
}

// readTopBoxes visits the boxes of the file. What follows a whole video and is no box is ignored.
func (m *movie) readTopBoxes() error {
	count := 0
	for at := int64(0); at <= m.f.size-8; {
		if count++; count > maxTop {
			return newRefusal(reasonManyParts)
		}
		b, err := m.f.boxAt(at, m.f.size)
		switch {
		case err != nil && m.moov.exists() && m.mdat.exists() && !isPrintableName(b.name):
			return nil
		case err != nil && b.name == "moov":
			return newRefusal(reasonNoMoov)
		case err != nil:
			return err
		}
		if err := m.readTopBox(b); err != nil {
			return err
		}
		at = b.end
	}
	return nil
}

func (m *movie) readTopBox(b box) error {
	switch b.name {
	case "moov":
		switch {
		case m.moov.exists():
			return newRefusal(reasonDamaged)
		case b.contentLength() > maxMoovBytes:
			return newRefusal(reasonBigMoov)
		}
		m.moov = b
		return m.readMoov()
	case "mdat":
		if !m.mdat.exists() {
			m.mdat = b
		}
	case "moof":
		if m.fragments != nil {
			return m.readMoof(b)
		}
	}
	return m.notePrivateBox(b)
}

func (m *movie) readMoov() error {
	return m.visitChildren(m.moov, func(b box) error {
		switch b.name {
		case "mvhd":
			var head mp4.Mvhd
			if err := m.unmarshalBox(b, &head); err != nil {
				return err
			}
			m.timescale = int64(head.Timescale)
			m.duration = knownDuration(head.GetVersion(), uint64(head.DurationV0), head.DurationV1)
		case "trak":
			return m.readTrack(b)
		case "mvex":
			return m.readExtends(b)
		case "cmov":
			return newRefusal(reasonDamaged) // an index that is packed, of thirty years ago
		}
		return m.notePrivateBox(b)
	})
}

// knownDuration returns a duration, or 0 where all bits are set, which stands for unknown (14496-12, 8.2.2.3).
func knownDuration(version uint8, v0, v1 uint64) int64 {
	switch {
	case version == 0 && v0 < math.MaxUint32:
		return int64(v0)
	case version != 0 && v1 < math.MaxInt64:
		return int64(v1)
	}
	return 0
}

// summarize sets the facts of the file from those of its tracks.
func (m *movie) summarize() error {
	for _, t := range m.tracks {
		if t.outside {
			return newRefusal(reasonOutside)
		}
		if err := m.readTables(t); err != nil {
			return err
		}
		m.facts.Private = m.facts.Private || t.isTelemetry() && m.fragments == nil
	}
	video, audio := m.firstTrack("vide"), m.firstTrack("soun")
	if video == nil {
		if audio != nil {
			return newRefusal(reasonAudio)
		}
		return newRefusal(reasonNoVideo)
	}
	if err := m.describeVideo(video); err != nil {
		return err
	}
	if audio != nil {
		if err := m.describeAudio(audio); err != nil {
			return err
		}
	}
	return m.readDuration(video)
}

// firstTrack returns the first track of a kind, one that is switched on before one that is not; nil without.
func (m *movie) firstTrack(handler string) (found *track) {
	for _, t := range m.tracks {
		if t.handler == handler && (found == nil || !found.enabled && t.enabled) {
			found = t
		}
	}
	return found
}

// readDuration sets how long the video is and how many pictures a second it has.
func (m *movie) readDuration(video *track) error {
	samples, length := video.samples, video.length
	if m.fragments != nil {
		seen := m.fragments.trackState(video.id)
		samples, length = samples+seen.samples, max(length, seen.end)
	}
	switch {
	case samples == 0 && m.fragments != nil:
		return newRefusal(reasonFragmentEnd)
	case samples == 0:
		return newRefusal(reasonNoSamples)
	}
	if length > 0 && video.timescale > 0 {
		m.facts.FPS = math.Round(1000*float64(samples)*float64(video.timescale)/float64(length)) / 1000
	}
	ms := toMilliseconds(m.duration, m.timescale)
	if ms == 0 && m.fragments != nil {
		ms = toMilliseconds(m.fragments.duration, m.timescale)
	}
	if ms == 0 {
		ms = max(toMilliseconds(length, video.timescale), toMilliseconds(video.duration, video.timescale))
	}
	switch {
	case ms <= 0:
		return newRefusal(reasonNoLength)
	case ms > maxDurationMs:
		return newRefusal(reasonTooLong)
	}
	m.facts.DurationMs = ms
	m.facts.BitRate = int64(float64(m.facts.Bytes) * 8000 / float64(ms))
	return nil
}

// toMilliseconds is MaxInt64 for what is longer than anything, so that the limit finds it.
func toMilliseconds(units, timescale int64) int64 {
	if units <= 0 || timescale <= 0 {
		return 0
	}
	ms := math.Round(float64(units) * 1000 / float64(timescale))
	if ms > maxDurationMs {
		return math.MaxInt64
	}
	return max(1, int64(ms))
}

// describeVideo reads the first sample description of the track of pictures (14496-12, 12.1.3).
func (m *movie) describeVideo(t *track) error {
	const head = 78 // of the entry, before its boxes
	entry, err := m.firstSampleEntry(t, head)
	if err != nil {
		return err
	}
	b, err := m.f.readBytes(entry.content+24, 4)
	if err != nil {
		return err
	}
	width, height := int64(binary.BigEndian.Uint16(b)), int64(binary.BigEndian.Uint16(b[2:]))
	if width == 0 || height == 0 {
		width, height = t.width, t.height
	}
	if m.facts.VideoCodec, err = videoCodec(entry.name); err != nil {
		return err
	}
	err = m.visitBoxes(entry.content+head, entry.end, func(b box) error {
		switch {
		case b.name != "pasp":
			return nil
		case b.contentLength() < 8:
			return newRefusal(reasonDamaged)
		}
		shape, err := m.f.readBytes(b.content, 8)
		if err != nil {
			return err
		}
		h, v := int64(binary.BigEndian.Uint32(shape)), int64(binary.BigEndian.Uint32(shape[4:]))
		if h > 0 && v > 0 && h <= 64*v && v <= 64*h {
			width = max(1, (width*h+v/2)/v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.facts.Orientation = t.orientation
	if err := m.facts.setSize(width, height); err != nil {
		return err
	}
	m.facts.swapSidesIfTurned()
	return nil
}

// firstSampleEntry returns the first sample description, with at least least bytes of content.
func (m *movie) firstSampleEntry(t *track, least int64) (box, error) {
	if t.stsd.contentLength() < 16 {
		return box{}, newRefusal(reasonDamaged)
	}
	entry, err := m.f.boxAt(t.stsd.content+8, t.stsd.end)
	if err != nil {
		return box{}, err
	}
	if entry.contentLength() < least {
		return box{}, newRefusal(reasonDamaged)
	}
	return entry, nil
}

func isPrintableName(name string) bool {
	for _, r := range name {
		if r != ' ' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') {
			return false
		}
	}
	return len(name) == 4
}
