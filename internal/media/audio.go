package media

import (
	"encoding/binary"
	"math"

	"github.com/abema/go-mp4"

	"belfry/internal/core"
)

// setAudioFactsFromDescription sets the codec, sample rate and channels from the first sample description of the audio
// track (14496-12, 12.2.3).
func (m *abortingMovieReader) setAudioFactsFromDescription(t *track) {
	entry := m.firstSampleEntry(t, 28)
	b := m.r.peekBytes(entry.content, 28)
	m.facts.AudioChannels = int(binary.BigEndian.Uint16(b[16:]))
	m.facts.AudioRate = int(binary.BigEndian.Uint16(b[24:]))
	boxes := entry.content + 28
	if m.facts.Mime == "video/quicktime" { // QuickTime File Format, Sound Sample Description (Version 1), (Version 2)
		switch binary.BigEndian.Uint16(b[8:]) {
		case 1:
			boxes += 16
		case 2:
			b = m.r.peekBytes(entry.content, 48)
			m.facts.AudioRate = int(max(0, min(math.Float64frombits(binary.BigEndian.Uint64(b[32:])), 1<<20)))
			m.facts.AudioChannels = int(min(binary.BigEndian.Uint32(b[40:]), 1<<10))
			boxes += 36
		}
	}
	m.setAudioFactsFromEntry(entry, boxes)
}

// setAudioFactsFromEntry sets the audio codec. For mp4a, the codec depends on a descriptor in one of the boxes after
// boxesStart, or in a box inside them, which can also replace the sample rate and channels.
func (m *abortingMovieReader) setAudioFactsFromEntry(entry mp4Box, boxesStart int64) {
	refuseFileIf(entry.name == "enca", reasonEncrypted)
	if entry.name != "mp4a" {
		m.facts.AudioCodec = codecFromUnknownCode(entry.name)
		return
	}
	m.facts.AudioCodec = core.CodecAAC
	for b := range m.boxes(boxesStart, entry.end) {
		switch b.name {
		case "esds":
			m.setAudioFactsFromESDS(b)
		case "wave":
			for b := range m.children(b) {
				if b.name == "esds" {
					m.setAudioFactsFromESDS(b)
				}
			}
		}
	}
}

// setAudioFactsFromESDS sets the codec and, for AAC, the sample rate and channels from an esds box (14496-1, 7.2.6.6).
func (m *abortingMovieReader) setAudioFactsFromESDS(b mp4Box) {
	var esds mp4.Esds
	m.unmarshalSmallBox(b, &esds)
	for _, d := range esds.Descriptors {
		switch {
		case d.DecoderConfigDescriptor != nil:
			m.facts.AudioCodec = audioCodec(d.DecoderConfigDescriptor.ObjectTypeIndication)
		case d.Tag == mp4.DecSpecificInfoTag && m.facts.AudioCodec == core.CodecAAC:
			m.setAudioFactsFromConfig(d.Data)
		}
	}
}

func audioCodec(objectType byte) core.Codec {
	switch objectType {
	case 0x40, 0x66, 0x67, 0x68:
		return core.CodecAAC
	case 0x69, 0x6b:
		return "mp3"
	}
	return "mp4a"
}

// audioRates are the sample rates by index (14496-3, 1.6.3.4).
var audioRates = [...]int{
	96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
}

// setAudioFactsFromConfig sets the sample rate and channels from an AudioSpecificConfig of AAC (14496-3, 1.6.2.1). It
// takes precedence over the sample description, where many encoders always write two channels.
func (m *abortingMovieReader) setAudioFactsFromConfig(data []byte) {
	b := bitReader{data: data}
	kind := readAudioObjectType(&b)
	rate, layout := readSampleRate(&b), b.readBits(4)
	if kind == kindSBR || kind == kindPS { // the first rate is half the sample rate, which follows
		rate = readSampleRate(&b)
	}
	if b.exhausted {
		return
	}
	if rate > 0 {
		m.facts.AudioRate = rate
	}
	switch layout {
	case 1, 2, 3, 4, 5, 6:
		m.facts.AudioChannels = layout
	case 7:
		m.facts.AudioChannels = 8
	}
}

// Audio object types (14496-3, 1.5.1.1).
const (
	kindSBR    = 5
	kindPS     = 29
	kindEscape = 31
)

func readAudioObjectType(b *bitReader) int {
	if kind := b.readBits(5); kind != kindEscape {
		return kind
	}
	return 32 + b.readBits(6)
}

// readSampleRate returns the sample rate, or 0 for an invalid index.
func readSampleRate(b *bitReader) (hertzOrZero int) {
	const written = 15
	switch i := b.readBits(4); {
	case i == written:
		return b.readBits(24)
	case i < len(audioRates):
		return audioRates[i]
	}
	return 0
}

// bitReader reads bits, the most significant first. After the end, it returns zeros and sets exhausted.
type bitReader struct {
	data      []byte
	at        int
	exhausted bool
}

func (b *bitReader) readBits(n int) (v int) {
	for range n {
		v <<= 1
		if b.at/8 < len(b.data) {
			v |= int(b.data[b.at/8]>>(7-b.at%8)) & 1
		} else {
			b.exhausted = true
		}
		b.at++
	}
	return v
}
