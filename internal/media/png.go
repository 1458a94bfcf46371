package media

import (
	"encoding/binary"
	"slices"
)

const (
	pngHead   = 8
	maxChunks = 100_000
)

// chunk is one piece of a PNG or of a WebP.
type chunk struct {
	name       string
	at, length int64 // where it begins, name included, and how long its content is
	data       int64 // where its content begins
}

// visitPNGChunks visits the chunks up to IEND and gives where that ends (PNG, 5.3).
func (f *file) visitPNGChunks(visit func(chunk) error) (end int64, err error) {
	at := int64(pngHead)
	for range maxChunks {
		b, err := f.readBytes(at, 8)
		if err != nil {
			return 0, err
		}
		c := chunk{name: string(b[4:8]), at: at, length: int64(binary.BigEndian.Uint32(b)), data: at + 8}
		if c.length > 1<<31-1 || slices.ContainsFunc(b[4:8], func(l byte) bool { return l|0x20 < 'a' || l|0x20 > 'z' }) {
			return 0, newRefusal(reasonDamaged)
		}
		at += c.length + 12
		if at > f.size {
			return 0, newRefusal(reasonTruncated)
		}
		if err := visit(c); err != nil {
			return 0, err
		}
		if c.name == "IEND" {
			return at, nil
		}
	}
	return 0, newRefusal(reasonManyParts)
}

func readPNG(f *file, facts *Facts) error {
	first, pixels, animated := true, false, false
	frames := 0
	end, err := f.visitPNGChunks(func(c chunk) error {
		if first != (c.name == "IHDR") {
			return newRefusal(reasonDamaged)
		}
		first = false
		switch c.name {
		case "IHDR":
			return facts.readIHDR(f, c)
		case "IDAT":
			pixels = true
		case "acTL":
			animated = true
		case "fcTL":
			return facts.readFrameControl(f, c, &frames)
		case "eXIf":
			exif, err := f.readUpTo(c.data, int(min(c.length, windowSize/2)))
			if err != nil {
				return err
			}
			facts.readEXIF(exif)
		default:
			facts.Private = facts.Private || !keptInPNG(c.name)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case !pixels:
		return newRefusal(reasonNoPicture)
	}
	if end < f.size {
		facts.Private = true
	}
	facts.Frames = 1
	if animated && frames > 1 {
		facts.Frames = frames
	} else {
		facts.DurationMs = 0
	}
	facts.swapSidesIfTurned()
	return f.checkTrailingData(end)
}

// readIHDR reads the header (PNG, 11.2.1).
func (f *Facts) readIHDR(from *file, c chunk) error {
	if c.length != 13 {
		return newRefusal(reasonDamaged)
	}
	b, err := from.readBytes(c.data, 13)
	if err != nil {
		return err
	}
	f.PixelBytes = pngPixelBytes(b[8], b[9], b[12] == 1)
	return f.setSize(int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:])))
}

// pngPixelBytes returns how much memory image/png takes for each pixel. Grey pictures may have a transparent colour,
// and take as much as pictures in colour then; interlaced ones are decoded in passes, each a picture of its own.
func pngPixelBytes(depth, colourType byte, interlaced bool) float64 {
	bytes := 4.0
	switch {
	case colourType == 3: // a palette
		bytes = 1
	case depth == 16:
		bytes = 8
	}
	if interlaced {
		bytes *= 2
	}
	return bytes
}

// readFrameControl counts a frame and how long it stays (APNG, fcTL).
func (f *Facts) readFrameControl(from *file, c chunk, frames *int) error {
	if *frames++; *frames > maxFrames {
		return newRefusal(reasonFrames)
	}
	if c.length != 26 {
		return newRefusal(reasonDamaged)
	}
	b, err := from.readBytes(c.data, 26)
	if err != nil {
		return err
	}
	delay, per := int64(binary.BigEndian.Uint16(b[20:])), int64(binary.BigEndian.Uint16(b[22:]))
	if per == 0 {
		per = 100
	}
	f.DurationMs += delay * 1000 / per
	return nil
}

// keptInPNG reports what Clean keeps: the picture, its colours and its motion.
func keptInPNG(name string) bool {
	if name[0] < 'a' { // critical: without it there is no picture
		return true
	}
	switch name {
	case "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "cLLI",
		"sBIT", "bKGD", "pHYs", "hIST", "sPLT", "acTL", "fcTL", "fdAT":
		return true
	}
	return false
}
