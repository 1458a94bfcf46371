package media

import (
	"bytes"
	"encoding/binary"
)

// Markers of a JPEG (ITU T.81, table B.1).
const (
	markSOI  = 0xd8
	markEOI  = 0xd9
	markSOS  = 0xda
	markAPP0 = 0xe0
	markAPP1 = 0xe1
	markAPP2 = 0xe2
	markAPPE = 0xee
)

const (
	maxSegments = 10_000
	maxScans    = 200 // a decoder goes through the whole picture for each
)

// segment is one piece of a JPEG between two markers. Of a scan, length covers its picture data too.
type segment struct {
	mark       byte
	at, length int64 // of the whole, marker included
	head       []byte
}

// visitJPEGSegments visits the pieces of a JPEG in order, the last of them EOI, and gives where the picture ends. The
// head of a segment is as much of what follows its length as is at hand, valid during the visit.
func (f *file) visitJPEGSegments(visit func(segment) error) (end int64, err error) {
	scans := 0
	for at, count := int64(2), 0; ; count++ {
		if count > maxSegments || scans > maxScans {
			return 0, newRefusal(reasonManyParts)
		}
		b, err := f.readBytes(at, 2)
		if err != nil {
			return 0, err
		}
		s := segment{mark: b[1], at: at, length: 2}
		switch {
		case b[0] != 0xff || s.mark == 0 || s.mark == markSOI:
			return 0, newRefusal(reasonDamaged)
		case s.mark == 0xff: // a fill byte
			at++
			count--
			continue
		case s.mark == markEOI:
			return at + 2, visit(s)
		case s.mark != 0x01 && s.mark&0xf8 != 0xd0:
			if b, err = f.readBytes(at, 4); err != nil {
				return 0, err
			}
			s.length += int64(binary.BigEndian.Uint16(b[2:]))
			if s.length < 4 {
				return 0, newRefusal(reasonDamaged)
			}
			if s.head, err = f.readBytes(at+4, int(min(s.length-4, 32<<10))); err != nil {
				return 0, err
			}
			s.head = bytes.Clone(s.head)
		}
		if s.mark == markSOS {
			scans++
			next, err := f.findScanEnd(at + s.length)
			if err != nil {
				return 0, err
			}
			s.length = next - at
		}
		if err := visit(s); err != nil {
			return 0, err
		}
		at += s.length
	}
}

// findScanEnd returns where the picture data that begins at at end: at the next marker that is no restart.
func (f *file) findScanEnd(at int64) (int64, error) {
	for {
		b, err := f.windowAt(at)
		if err != nil {
			return 0, err
		}
		mark := bytes.IndexByte(b, 0xff)
		if mark < 0 {
			at += int64(len(b))
			continue
		}
		at += int64(mark)
		if b, err = f.readBytes(at, 2); err != nil {
			return 0, err
		}
		switch {
		case b[1] == 0xff:
			at++
		case b[1] == 0 || b[1]&0xf8 == 0xd0:
			at += 2
		default:
			return at, nil
		}
	}
}

func readJPEG(f *file, facts *Facts) error {
	framed, scans, adobeRGB := false, 0, false
	end, err := f.visitJPEGSegments(func(s segment) error {
		adobeRGB = adobeRGB || isAdobeRGB(s)
		switch {
		case s.mark == markAPP1 && bytes.HasPrefix(s.head, []byte(exifName)):
			facts.readEXIF(s.head)
		case !keptInJPEG(s):
			facts.Private = true
		case s.mark == markSOS:
			scans++
			if !framed {
				return newRefusal(reasonDamaged)
			}
		case s.mark >= 0xc0 && s.mark <= 0xcf && s.mark != 0xc4 && s.mark != 0xc8 && s.mark != 0xcc:
			if framed || len(s.head) < 6 {
				return newRefusal(reasonDamaged)
			}
			framed = true
			return facts.readFrameHeader(s)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if scans == 0 {
		return newRefusal(reasonNoPicture)
	}
	if scans > 1 {
		facts.Scans = scans
	}
	if adobeRGB {
		facts.PixelBytes += convertedPixelBytes
	}
	if end < f.size {
		facts.Private = true
	}
	facts.swapSidesIfTurned()
	facts.Frames = 1
	return f.checkTrailingData(end)
}

// readFrameHeader reads the frame header (T.81, B.2.2).
func (f *Facts) readFrameHeader(s segment) error {
	if s.mark > 0xc2 || s.head[0] != 8 {
		return newRefusal(reasonJPEGKind)
	}
	switch s.head[5] {
	case 1, 3, 4:
	default:
		return newRefusal(reasonJPEGKind)
	}
	f.PixelBytes = jpegPixelBytes(s.head, s.mark == 0xc2)
	return f.setSize(int64(binary.BigEndian.Uint16(s.head[3:])), int64(binary.BigEndian.Uint16(s.head[1:])))
}

// jpegPixelBytes returns how much memory image/jpeg takes for each pixel of a picture with this frame header: a byte
// for each sample, four more while a progressive picture comes together, and four for each pixel of a picture in CMYK.
func jpegPixelBytes(header []byte, progressive bool) float64 {
	samples, converted := float64(header[5]), 0.0
	switch {
	case samples == 4:
		converted = convertedPixelBytes
	case samples == 3 && len(header) >= 15:
		luma, chroma := header[7], header[10] // how many samples of each there are across and down, four bits each
		if area := float64(luma>>4) * float64(luma&15); area > 0 {
			samples = 1 + 2*float64(chroma>>4)*float64(chroma&15)/area
		}
		if header[6] == 'R' && header[9] == 'G' && header[12] == 'B' {
			converted = convertedPixelBytes
		}
	}
	if progressive {
		samples *= 5
	}
	return samples + converted
}

// convertedPixelBytes is what a pixel takes in a picture whose colours image/jpeg converts after decoding.
const convertedPixelBytes = 4

// isAdobeRGB reports whether a segment says, as Adobe's programs write it, that the colours are RGB, not luma and
// chroma.
func isAdobeRGB(s segment) bool {
	return s.mark == markAPPE && len(s.head) >= 12 && bytes.HasPrefix(s.head, []byte("Adobe")) && s.head[11] == 0
}

// keptInJPEG reports what Clean keeps: what is needed to show the picture right, and nothing that names
// where, when, by whom or with what it was made.
func keptInJPEG(s segment) bool {
	switch {
	case s.mark == markAPP0:
		return bytes.HasPrefix(s.head, []byte("JFIF\x00"))
	case s.mark == markAPPE:
		return bytes.HasPrefix(s.head, []byte("Adobe"))
	case s.mark == markAPP2:
		return bytes.HasPrefix(s.head, []byte("ICC_PROFILE\x00"))
	}
	return s.mark < markAPP0
}
