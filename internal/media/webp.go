package media

import (
	"encoding/binary"
)

const riffHead = 12

// visitRIFFChunks visits the chunks between at and end (RFC 9649, 2.3).
func (f *file) visitRIFFChunks(at, end int64, visit func(chunk) error) error {
	for range maxChunks {
		if at >= end {
			return nil
		}
		b, err := f.readBytes(at, 8)
		if err != nil {
			return err
		}
		c := chunk{name: string(b[:4]), at: at, length: int64(binary.LittleEndian.Uint32(b[4:])), data: at + 8}
		if c.length > end-c.data {
			return newRefusal(reasonDamaged)
		}
		if err := visit(c); err != nil {
			return err
		}
		at = c.data + c.length + c.length&1
	}
	return newRefusal(reasonManyParts)
}

// riffEnd returns where the picture says that it ends.
func (f *file) riffEnd() (int64, error) {
	b, err := f.readBytes(4, 4)
	if err != nil {
		return 0, err
	}
	end := 8 + int64(binary.LittleEndian.Uint32(b))
	switch {
	case end > f.size:
		return 0, newRefusal(reasonTruncated)
	case end < riffHead+8:
		return 0, newRefusal(reasonDamaged)
	}
	return end, nil
}

func readWebP(f *file, facts *Facts) error {
	end, err := f.riffEnd()
	if err != nil {
		return err
	}
	first, still := true, 0
	err = f.visitRIFFChunks(riffHead, end, func(c chunk) error {
		canvas := c.name == "VP8X"
		if canvas && !first {
			return newRefusal(reasonDamaged)
		}
		defer func() { first = false }()
		facts.PixelBytes = max(facts.PixelBytes, webpPixelBytes(c.name))
		switch c.name {
		case "VP8X":
			return facts.readCanvas(f, c)
		case "VP8 ", "VP8L":
			still++
			width, height, err := f.webpSize(c)
			if err != nil || !first {
				return err
			}
			return facts.setSize(width, height)
		case "ANMF":
			return facts.readFrame(f, c)
		case "EXIF":
			exif, err := f.readUpTo(c.data, int(min(c.length, windowSize/2)))
			if err != nil {
				return err
			}
			facts.readEXIF(exif)
		default:
			if first {
				return newRefusal(reasonDamaged)
			}
			facts.Private = facts.Private || !keptInWebP(c.name)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case still > 1 || still == 1 && facts.Frames > 0:
		return newRefusal(reasonDamaged)
	case still == 0 && facts.Frames == 0:
		return newRefusal(reasonNoPicture)
	case facts.Width == 0:
		return newRefusal(reasonNoSize)
	}
	if facts.Frames <= 1 {
		facts.Frames, facts.DurationMs = 1, 0
	}
	if end < f.size {
		facts.Private = true
	}
	facts.swapSidesIfTurned()
	return f.checkTrailingData(end)
}

// readCanvas reads the extended header (RFC 9649, 2.7.1.1).
func (f *Facts) readCanvas(from *file, c chunk) error {
	if c.length != 10 {
		return newRefusal(reasonDamaged)
	}
	b, err := from.readBytes(c.data, 10)
	if err != nil {
		return err
	}
	return f.setSize(u24(b[4:])+1, u24(b[7:])+1)
}

// readFrame counts a frame and how long it stays (RFC 9649, 2.7.1.1).
func (f *Facts) readFrame(from *file, c chunk) error {
	if f.Frames++; f.Frames > maxFrames {
		return newRefusal(reasonFrames)
	}
	if c.length < 16 {
		return newRefusal(reasonDamaged)
	}
	b, err := from.readBytes(c.data, 16)
	if err != nil {
		return err
	}
	if 2*u24(b)+u24(b[6:])+1 > int64(f.Width) || 2*u24(b[3:])+u24(b[9:])+1 > int64(f.Height) {
		return newRefusal(reasonDamaged)
	}
	f.DurationMs += u24(b[12:])
	return nil
}

// webpPixelBytes returns how much memory the decoder takes for each pixel of a picture with such a chunk: a lossless
// one, as transparency is, may be unpacked from a palette.
func webpPixelBytes(chunk string) float64 {
	switch chunk {
	case "VP8 ":
		return 2
	case "VP8L":
		return 10
	case "ALPH", "ANMF": // of a moving picture's first frame all may be true
		return 12
	}
	return 0
}

// webpSize reads the size of a single picture (RFC 6386, 9.1; RFC 9649, 3.4).
func (f *file) webpSize(c chunk) (width, height int64, err error) {
	need := 10
	if c.name == "VP8L" {
		need = 5
	}
	if c.length < int64(need) {
		return 0, 0, newRefusal(reasonDamaged)
	}
	b, err := f.readBytes(c.data, need)
	if err != nil {
		return 0, 0, err
	}
	if c.name == "VP8L" {
		if b[0] != 0x2f {
			return 0, 0, newRefusal(reasonDamaged)
		}
		bits := int64(binary.LittleEndian.Uint32(b[1:]))
		return bits&0x3fff + 1, bits>>14&0x3fff + 1, nil
	}
	if b[0]&1 != 0 || b[3] != 0x9d || b[4] != 0x01 || b[5] != 0x2a {
		return 0, 0, newRefusal(reasonDamaged)
	}
	return int64(binary.LittleEndian.Uint16(b[6:]) & 0x3fff), int64(binary.LittleEndian.Uint16(b[8:]) & 0x3fff), nil
}

func u24(b []byte) int64 { return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 }

// keptInWebP reports what Clean keeps.
func keptInWebP(name string) bool {
	switch name {
	case "VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP":
		return true
	}
	return false
}
