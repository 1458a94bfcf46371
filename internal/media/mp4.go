package media

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/abema/go-mp4"

	"belfry/internal/core"
)

// abortingMovieReader reads an MP4 or MOV file and stores what it has found.
type abortingMovieReader struct {
	r     *abortingReader
	facts *Facts
	seen  int // number of boxes read

	moov, mdat   mp4Box
	timescale    int64
	duration     int64 // in units of the timescale
	tracks       []*track
	fragments    *fragments // nil if the file is not fragmented
	privateBoxes []mp4Box   // boxes that StripPrivateMetadata removes
}

func (r *abortingReader) readMP4(facts *Facts) {
	m := &abortingMovieReader{r: r, facts: facts}
	m.readTopBoxes()
	refuseFileIf(!m.moov.exists(), reasonNoMoov)
	m.setFactsFromTracks()
}

// readTopBoxes reads the boxes at the top level. It ignores bytes after a complete video that are not a box.
func (m *abortingMovieReader) readTopBoxes() {
	count := 0
	for at := int64(0); at <= m.r.size-8; {
		count++
		refuseFileIf(count > maxTop, reasonManyParts)
		b, reason := m.r.parseBoxHeader(at, m.r.size)
		if reason != "" && m.moov.exists() && m.mdat.exists() && !looksLikeBoxName(b.name) {
			return
		}
		refuseFileIf(reason != "" && b.name == "moov", reasonNoMoov)
		refuseFileIf(reason != "", reason)
		m.readTopBox(b)
		at = b.end
	}
}

func (m *abortingMovieReader) readTopBox(b mp4Box) {
	switch b.name {
	case "moov":
		refuseFileIf(m.moov.exists(), reasonDamaged)
		refuseFileIf(b.contentLength() > maxMoovBytes, reasonBigMoov)
		m.moov = b
		m.readMoov()
	case "mdat":
		if !m.mdat.exists() {
			m.mdat = b
		}
	case "moof":
		if m.fragments != nil {
			m.readMoof(b)
		}
	default:
		m.recordIfPrivate(b)
	}
}

func (m *abortingMovieReader) readMoov() {
	for b := range m.children(m.moov) {
		switch b.name {
		case "mvhd":
			var head mp4.Mvhd
			m.unmarshalSmallBox(b, &head)
			m.timescale = int64(head.Timescale)
			m.duration = boxDuration(head.GetVersion(), uint64(head.DurationV0), head.DurationV1)
		case "trak":
			m.readTrack(b)
		case "mvex":
			m.readMvex(b)
		case "cmov":
			refuseFile(reasonDamaged) // a compressed index, which is obsolete
		default:
			m.recordIfPrivate(b)
		}
	}
}

// boxDuration returns the duration of a box of the given version: v0 for version 0, otherwise v1. It returns 0 if the
// duration is unknown, which is stored with all bits set (14496-12, 8.2.2.3).
func boxDuration(version uint8, v0, v1 uint64) (unitsOrZero int64) {
	switch {
	case version == 0 && v0 < math.MaxUint32:
		return int64(v0)
	case version != 0 && v1 < math.MaxInt64:
		return int64(v1)
	}
	return 0
}

// setFactsFromTracks sets the facts of the file from its tracks, and refuses files without a complete video track.
func (m *abortingMovieReader) setFactsFromTracks() {
	for _, t := range m.tracks {
		refuseFileIf(t.outside, reasonOutside)
		m.readAndCheckSamplesIfPlayable(t)
		m.facts.Private = m.facts.Private || t.isTelemetry() && m.fragments == nil
	}
	video, audio := m.chooseTrack("vide"), m.chooseTrack("soun")
	refuseFileIf(video == nil && audio != nil, reasonAudio)
	refuseFileIf(video == nil, reasonNoVideo)
	m.setVideoFactsFromDescription(video)
	if audio != nil {
		m.setAudioFactsFromDescription(audio)
	}
	m.setDurationAndRates(video)
}

// chooseTrack returns the first enabled track with the handler; otherwise the first one with the handler, or nil.
func (m *abortingMovieReader) chooseTrack(handler string) (trackOrNil *track) {
	for _, t := range m.tracks {
		if t.handler == handler && (trackOrNil == nil || !trackOrNil.enabled && t.enabled) {
			trackOrNil = t
		}
	}
	return trackOrNil
}

// setDurationAndRates sets the duration, frame rate and bit rate, and refuses a video that is empty or too long.
func (m *abortingMovieReader) setDurationAndRates(video *track) {
	samples, length := video.samples, video.length
	if m.fragments != nil {
		seen := m.fragments.getOrAddTrack(video.id)
		samples, length = samples+seen.samples, max(length, seen.end)
		refuseFileIf(samples == 0, reasonFragmentEnd)
	}
	refuseFileIf(samples == 0, reasonNoSamples)
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
	refuseFileIf(ms <= 0, reasonNoLength)
	refuseFileIf(ms > maxDurationMs, reasonTooLong)
	m.facts.DurationMs = ms
	m.facts.BitRate = int64(float64(m.facts.Bytes) * 8000 / float64(ms))
}

// toMilliseconds converts a duration in units of a timescale. It returns 0 if the duration is unknown, and MaxInt64 if
// the result would overflow.
func toMilliseconds(units, timescale int64) (msOrZero int64) {
	if units <= 0 || timescale <= 0 {
		return 0
	}
	ms := math.Round(float64(units) * 1000 / float64(timescale))
	if ms >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(1, int64(ms))
}

// setVideoFactsFromDescription sets the codec, size and orientation from the first sample description of the video
// track (14496-12, 12.1.3).
func (m *abortingMovieReader) setVideoFactsFromDescription(t *track) {
	const head = 78 // of the entry, before its boxes
	entry := m.firstSampleEntry(t, head)
	b := m.r.peekBytes(entry.content+24, 4)
	width, height := int64(binary.BigEndian.Uint16(b)), int64(binary.BigEndian.Uint16(b[2:]))
	if width == 0 || height == 0 {
		width, height = t.width, t.height
	}
	refuseFileIf(entry.name == "encv" || entry.name == "drmi", reasonEncrypted)
	m.facts.VideoCodec = videoCodecOrPrintableCode(entry.name)
	for b := range m.boxes(entry.content+head, entry.end) {
		if b.name != "pasp" {
			continue
		}
		refuseFileIf(b.contentLength() < 8, reasonDamaged)
		h, v := m.r.readUint32BE(b.content), m.r.readUint32BE(b.content+4)
		if h > 0 && v > 0 && h <= 64*v && v <= 64*h {
			width = max(1, (width*h+v/2)/v)
		}
	}
	m.facts.Orientation = t.orientation
	m.facts.setSizeOrRefuse(width, height)
	m.facts.swapSidesIfTurned()
}

// firstSampleEntry returns the first sample description, and aborts if its content is shorter than minLength.
func (m *abortingMovieReader) firstSampleEntry(t *track, minLength int64) mp4Box {
	refuseFileIf(t.stsd.contentLength() < 16, reasonDamaged)
	entry := m.r.readBoxHeaderOrRefuse(t.stsd.content+8, t.stsd.end)
	refuseFileIf(entry.contentLength() < minLength, reasonDamaged)
	return entry
}

// looksLikeBoxName reports whether a name consists of four letters, digits or spaces.
func looksLikeBoxName(name string) bool {
	for _, r := range name {
		if r != ' ' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') {
			return false
		}
	}
	return len(name) == 4
}

// videoCodecOrPrintableCode returns the codec of a sample description by its name, or the printable characters of an
// unknown name ("unknown" if it has none).
func videoCodecOrPrintableCode(entryName string) core.Codec {
	switch entryName {
	case "avc1", "avc2", "avc3", "avc4":
		return core.CodecH264
	case "hvc1", "hev1", "hvc2", "hev2", "dvh1", "dvhe":
		return core.CodecH265
	case "vp08":
		return core.CodecVP8
	case "vp09":
		return core.CodecVP9
	case "av01", "dav1":
		return core.CodecAV1
	}
	return codecFromUnknownCode(entryName)
}

// codecFromUnknownCode returns the printable characters of a codec's four-byte code, or "unknown".
func codecFromUnknownCode(code string) core.Codec {
	code = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, code)
	if code == "" {
		return "unknown"
	}
	return core.Codec(code)
}
