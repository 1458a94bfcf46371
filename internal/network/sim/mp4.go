package sim

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
)

// boxLimit is the maximum size of a video's header that is read into memory.
const boxLimit = 64 << 20

// readMP4 reads the properties of a video from its header, which can be anywhere in the file.
func (m *Media) readMP4(file io.ReaderAt, size int64) {
	moov := readTopBox(file, size, "moov")
	if head := findNestedBox(moov, "mvhd"); len(head) > 0 {
		m.Ms = int64(math.Round(readHeaderSeconds(head) * 1000))
	}
	_, m.Fragmented = findBox(moov, "mvex")
	for rest := moov; ; {
		trak, after, ok := findNextBox(rest, "trak")
		if !ok {
			return
		}
		rest = after
		m.readTrack(trak)
	}
}

func (m *Media) readTrack(trak []byte) {
	handler, description := findNestedBox(trak, "mdia", "hdlr"), findNestedBox(trak, "mdia", "minf", "stbl", "stsd")
	if len(handler) < 12 || len(description) < 16 {
		return
	}
	codec := string(description[12:16])
	switch string(handler[8:12]) {
	case "soun":
		m.Audio = codec
		m.readAudioConfig(description[8:])
	case "vide":
		m.Video = codec
		m.readDisplaySize(findNestedBox(trak, "tkhd"))
		if length := readHeaderSeconds(findNestedBox(trak, "mdia", "mdhd")); length > 0 {
			m.FPS = math.Round(float64(countSamples(findNestedBox(trak, "mdia", "minf", "stbl", "stts")))/length*10) / 10
		}
	}
}

// readAudioConfig reads the sample rate and the channels of AAC, which can be anywhere in the sample description. The
// object type has 5 bits, the index of the rate has 4 (15 if the rate follows in 24), and the channels have 4.
func (m *Media) readAudioConfig(entry []byte) {
	own := findDecoderConfig(entry)
	if len(own) < 2 {
		return
	}
	bits := binary.BigEndian.Uint64(append(bytes.Clone(own), make([]byte, 8)...)) << 5
	rates := []int{
		96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350, 0, 0,
	}
	switch index := bits >> 60; index {
	case 15:
		m.Rate, bits = int(bits<<4>>40), bits<<28
	default:
		m.Rate, bits = rates[index], bits<<4
	}
	m.Channels = []int{0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 0, 0, 0, 0, 0}[bits>>60]
}

// findDecoderConfig returns the innermost of three nested descriptors. Each begins with its tag, its length and some
// other bytes.
func findDecoderConfig(entry []byte) (configOrNil []byte) {
	_, rest, _ := bytes.Cut(entry, []byte("esds\x00\x00\x00\x00"))
	for _, d := range []struct {
		tag  byte
		skip int
	}{{3, 3}, {4, 13}, {5, 0}} {
		if len(rest) == 0 || rest[0] != d.tag {
			return nil
		}
		for rest = rest[1:]; len(rest) > 0 && rest[0]&0x80 != 0; {
			rest = rest[1:]
		}
		if len(rest) <= d.skip {
			return nil
		}
		rest = rest[1+d.skip:]
	}
	return rest
}

// readDisplaySize reads the display size. A rotation by 90 degrees swaps width and height.
func (m *Media) readDisplaySize(head []byte) {
	if len(head) < 84 {
		return
	}
	tail := head[len(head)-44:] // the matrix and the two sides end the box in both versions
	m.Width, m.Height = int(binary.BigEndian.Uint32(tail[36:])>>16), int(binary.BigEndian.Uint32(tail[40:])>>16)
	if binary.BigEndian.Uint32(tail) == 0 && binary.BigEndian.Uint32(tail[4:]) != 0 {
		m.Width, m.Height = m.Height, m.Width
	}
}

// readHeaderSeconds returns the length in an mvhd or mdhd box.
func readHeaderSeconds(head []byte) (secondsOrZero float64) {
	if len(head) < 20 {
		return 0
	}
	scale, length := binary.BigEndian.Uint32(head[12:]), uint64(binary.BigEndian.Uint32(head[16:]))
	if head[0] == 1 && len(head) >= 32 {
		scale, length = binary.BigEndian.Uint32(head[20:]), binary.BigEndian.Uint64(head[24:])
	}
	if scale == 0 {
		return 0
	}
	return float64(length) / float64(scale)
}

// countSamples returns the number of samples in an stts box.
func countSamples(table []byte) int {
	count := 0
	for rest := table; len(rest) >= 16; rest = rest[8:] {
		count += int(binary.BigEndian.Uint32(rest[8:]))
	}
	return count
}

// readTopBox returns the content of a top-level box of the file, at most boxLimit bytes of it.
func readTopBox(file io.ReaderAt, size int64, name string) (contentOrNil []byte) {
	var head [16]byte
	for from := int64(0); from+8 <= size; {
		if n, _ := file.ReadAt(head[:], from); n < 8 {
			return nil
		}
		skip, length := int64(8), int64(binary.BigEndian.Uint32(head[:]))
		switch length {
		case 0:
			length = size - from
		case 1:
			skip, length = 16, int64(min(binary.BigEndian.Uint64(head[8:]), math.MaxInt64/2))
		}
		if length < skip {
			return nil
		}
		if string(head[4:8]) == name {
			content := make([]byte, max(0, min(length-skip, size-from-skip, boxLimit)))
			n, _ := file.ReadAt(content, from+skip)
			return content[:n]
		}
		from += length
	}
	return nil
}

// findNestedBox returns the content of a nested box, or nil if one of the boxes is missing.
func findNestedBox(data []byte, path ...string) (contentOrNil []byte) {
	for _, name := range path {
		inner, ok := findBox(data, name)
		if !ok {
			return nil
		}
		data = inner
	}
	return data
}

func findBox(data []byte, name string) ([]byte, bool) {
	inner, _, ok := findNextBox(data, name)
	return inner, ok
}

// findNextBox returns the content of the first box with the name, and the bytes after it.
func findNextBox(data []byte, name string) (inner, rest []byte, ok bool) {
	for len(data) >= 8 {
		size := uint64(binary.BigEndian.Uint32(data))
		if size < 8 || size > uint64(len(data)) {
			return nil, nil, false
		}
		if string(data[4:8]) == name {
			return data[8:size], data[size:], true
		}
		data = data[size:]
	}
	return nil, nil, false
}
