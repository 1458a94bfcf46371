package mediatest

import (
	"bytes"
	"time"
)

// Movie describes a video. The zero value is three seconds of H.264 without sound, 1080 × 1920 at 30 frames per second,
// with the index first. Its samples cannot be played, except those of the Codec jpeg.
type Movie struct {
	Width, Height int // before rotation
	Duration      time.Duration
	FPS           int
	Rotation      int    // clockwise: 0, 90, 180 or 270
	Codec         string // avc1, hvc1, vp08, vp09, av01, jpeg, or another code
	Audio         string // mp4a or another code; "" without sound
	Rate          int    // samples of sound a second; 48,000 by default
	Channels      int    // of sound; 2 by default
	Pixel         [2]int // the shape of a pixel, width to height; square by default
	MoovLast      bool
	QuickTime     bool
	Fragmented    bool
	Place         string // in user data, as ISO 6709
	Size          int    // of the file, filled up where it is smaller
	Extra         []byte // more boxes for moov
}

const timescale = 90_000

// MP4 returns the file.
func MP4(m Movie) []byte {
	m.setDefaults()
	brand := []byte("isom\x00\x00\x02\x00isomiso2avc1mp41")
	if m.QuickTime {
		brand = []byte("qt  \x00\x00\x02\x00qt  ")
	}
	ftyp := Box("ftyp", brand)
	if m.Fragmented {
		moof := m.newMoofBox(0)
		moof = m.newMoofBox(len(moof) + 8)
		return bytes.Join([][]byte{ftyp, m.newMoovBox(0), moof, Box("mdat", m.mdatContent())}, nil)
	}
	free := []byte(nil)
	if missing := m.Size - len(ftyp) - len(m.newMoovBox(0)) - len(m.mdatContent()) - 16; missing > 0 {
		free = Box("free", make([]byte, missing))
	}
	mdat := Box("mdat", m.mdatContent())
	if m.MoovLast {
		return bytes.Join([][]byte{ftyp, mdat, m.newMoovBox(len(ftyp) + 8), free}, nil)
	}
	return bytes.Join([][]byte{ftyp, m.newMoovBox(len(ftyp) + len(m.newMoovBox(0)) + 8), mdat, free}, nil)
}

func (m *Movie) setDefaults() {
	if m.Width == 0 && m.Height == 0 {
		m.Width, m.Height = 1080, 1920
	}
	if m.Pixel == [2]int{} {
		m.Pixel = [2]int{1, 1}
	}
	if m.Duration == 0 {
		m.Duration = 3 * time.Second
	}
	if m.FPS == 0 {
		m.FPS = 30
	}
	if m.Rate == 0 {
		m.Rate = 48_000
	}
	if m.Channels == 0 {
		m.Channels = 2
	}
	if m.Codec == "" {
		m.Codec = "avc1"
	}
}

func (m *Movie) pictureCount() int { return int(m.Duration * time.Duration(m.FPS) / time.Second) }

func (m *Movie) durationMs() int { return int(m.Duration / time.Millisecond) }

// pictureSample returns one picture: a JPEG, or four bytes that are not a picture.
func (m *Movie) pictureSample() []byte {
	if m.Codec == "jpeg" {
		return JPEG(m.Width, m.Height)
	}
	return []byte{0, 0, 0, 0}
}

const soundBytes = 4 // all the sound there is

func (m *Movie) mdatContent() []byte {
	return append(bytes.Repeat(m.pictureSample(), m.pictureCount()), make([]byte, soundBytes)...)
}

func (m *Movie) newMoovBox(mdatContentAt int) []byte {
	parts := [][]byte{Box("mvhd", Words(0, 0, 0, 1000, m.headerMsOrZero(), 0x10000, 0x1000000, 0, 0),
		rotationMatrix(0), Words(0, 0, 0, 0, 0, 0, 3))}
	parts = append(parts, m.pictureTrack(mdatContentAt))
	if m.Audio != "" {
		parts = append(parts, m.soundTrack(mdatContentAt+m.pictureCount()*len(m.pictureSample())))
	}
	if m.Fragmented {
		parts = append(parts, Box("mvex", Box("trex", Words(0, 1, 1, timescale/m.FPS, len(m.pictureSample()), 0))))
	}
	if m.Place != "" {
		parts = append(parts, Box("udta", Box("\xa9xyz", Halves(len(m.Place), 0x15c7), []byte(m.Place))))
	}
	return Box("moov", append(parts, m.Extra)...)
}

// headerMsOrZero returns the duration in the header, which is 0 in a fragmented file.
func (m *Movie) headerMsOrZero() int {
	if m.Fragmented {
		return 0
	}
	return m.durationMs()
}

func (m *Movie) newMoofBox(mdatContentOffset int) []byte {
	return Box("moof", Box("mfhd", Words(0, 1)),
		Box("traf", Box("tfhd", Words(0x020000, 1)), Box("tfdt", Words(0, 0)),
			Box("trun", Words(1, m.pictureCount(), mdatContentOffset))))
}

func (m *Movie) pictureTrack(samplesAt int) []byte {
	entry := Box(m.Codec, Words(0, 1, 0, 0, 0, 0), Halves(m.Width, m.Height), Words(0x480000, 0x480000, 0), Halves(1),
		make([]byte, 32), Halves(24, 0xffff), decoderConfigurationOrNil(m.Codec),
		Box("pasp", Words(m.Pixel[0], m.Pixel[1])), Box("colr", []byte("nclx"), Halves(1, 1, 1), []byte{0}),
		Box("btrt", Words(0, 4_000_000, 4_000_000)))
	table := m.newStblBox(entry, samplesAt, m.pictureCount(), timescale/m.FPS, len(m.pictureSample()))
	return Box("trak",
		Box("tkhd", Words(3, 0, 0, 1, 0, m.headerMsOrZero(), 0, 0, 0, 0), rotationMatrix(m.Rotation),
			Words(m.Width<<16, m.Height<<16)),
		m.newMdiaBox("vide", "vmhd", timescale, m.pictureCount()*(timescale/m.FPS), table))
}

func (m *Movie) soundTrack(samplesAt int) []byte {
	length := int(m.Duration * time.Duration(m.Rate) / time.Second)
	// As most encoders do, this always states two channels, and no sample rate that needs more than two bytes.
	entry := Box(m.Audio, Words(0, 1, 0, 0), Halves(2, 16, 0, 0), Words(m.Rate&0xffff<<16), m.esdsOrNil())
	return Box("trak",
		Box("tkhd", Words(3, 0, 0, 2, 0, m.headerMsOrZero(), 0, 0, 0, 0), rotationMatrix(0), Words(0, 0)),
		m.newMdiaBox("soun", "smhd", m.Rate, length, m.newStblBox(entry, samplesAt, 1, length, soundBytes)))
}

// esdsOrNil returns the esds box of mp4a: AAC-LC with the sample rate and the channels (14496-1, 7.2.6; 14496-3,
// 1.6.2.1). Other codecs have none.
func (m *Movie) esdsOrNil() []byte {
	if m.Audio != "mp4a" {
		return nil
	}
	const written = 15 // the index of a rate that follows
	own := uint64(2)<<35 | written<<31 | uint64(m.Rate)<<7 | uint64(m.Channels)<<3
	return Box("esds", Words(0), []byte{
		3, 28, 0, 1, 0,
		4, 20, 0x40, 0x15, 0, 0, 0, 0, 1, 0xf4, 0, 0, 1, 0xf4, 0,
		5, 5, byte(own >> 32), byte(own >> 24), byte(own >> 16), byte(own >> 8), byte(own),
		6, 1, 2,
	})
}

func (m *Movie) newMdiaBox(handler, headName string, scale, length int, stbl []byte) []byte {
	if m.Fragmented {
		length = 0
	}
	return Box("mdia",
		Box("mdhd", Words(0, 0, 0, scale, length, 0x55c40000)),
		Box("hdlr", Words(0, 0), []byte(handler), Words(0, 0, 0), []byte{0}),
		Box("minf", Box(headName, Words(1, 0, 0)), Box("dinf", Box("dref", Words(0, 1), Box("url ", Words(1)))), stbl))
}

// newStblBox returns a sample table with all samples in one chunk. In a fragmented file, the table has none.
func (m *Movie) newStblBox(entry []byte, samplesAt, count, step, size int) []byte {
	description := Box("stsd", Words(0, 1), entry)
	if m.Fragmented {
		return Box("stbl", description, Box("stts", Words(0, 0)), Box("stsc", Words(0, 0)), Box("stsz", Words(0, 0, 0)),
			Box("stco", Words(0, 0)))
	}
	return Box("stbl", description, Box("stts", Words(0, 1, count, step)), Box("stsc", Words(0, 1, 1, count, 1)),
		Box("stsz", Words(0, size, count)), Box("stco", Words(0, 1, samplesAt)))
}

func rotationMatrix(clockwiseDegrees int) []byte {
	const one, minus = 0x10000, -0x10000
	turn := map[int][4]int{
		0: {one, 0, 0, one}, 90: {0, one, minus, 0}, 180: {minus, 0, 0, minus},
		270: {0, minus, one, 0},
	}[clockwiseDegrees]
	return Words(turn[0], turn[1], 0, turn[2], turn[3], 0, 0, 0, 0x40000000)
}

// decoderConfigurationOrNil returns the box with the configuration for a decoder, or nil if the codec needs none.
func decoderConfigurationOrNil(codec string) []byte {
	switch codec {
	case "avc1":
		return Box("avcC", []byte{1, 66, 0xc0, 30, 0xff, 0xe1, 0, 4, 0x67, 66, 0xc0, 30, 1, 0, 2, 0x68, 0xce})
	case "hvc1", "hev1":
		return Box("hvcC",
			[]byte{1, 1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 93, 0xf0, 0, 0xfc, 0xfd, 0xf8, 0xf8, 0, 0, 0x0f, 0})
	case "vp08", "vp09":
		return Box("vpcC", []byte{1, 0, 0, 0, 0, 31, 0x82, 2, 2, 2, 0, 0})
	case "av01":
		return Box("av1C", []byte{0x81, 0, 0x0c, 0})
	}
	return nil
}
