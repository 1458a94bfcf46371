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
	maxScans    = 200 // a decoder processes the whole picture for each
)

// jpegSegment is a part of a JPEG between two markers. For a scan, length includes its picture data.
type jpegSegment struct {
	mark       byte
	at, length int64 // including the marker
	head       []byte
}

// visitJPEGSegments visits the segments of a JPEG in order, up to and including EOI, and returns where the picture
// ends. The head of a segment contains at most 32 KiB of its content.
func (r *abortingReader) visitJPEGSegments(visit func(jpegSegment)) (end int64) {
	scans := 0
	for at, count := int64(2), 0; ; count++ {
		refuseFileIf(count > maxSegments || scans > maxScans, reasonManyParts)
		b := r.peekBytes(at, 2)
		s := jpegSegment{mark: b[1], at: at, length: 2}
		refuseFileIf(b[0] != 0xff || s.mark == 0 || s.mark == markSOI, reasonDamaged)
		switch {
		case s.mark == 0xff: // a fill byte
			at++
			count--
			continue
		case s.mark == markEOI:
			visit(s)
			return at + 2
		case s.mark != 0x01 && s.mark&0xf8 != 0xd0:
			s.length += int64(binary.BigEndian.Uint16(r.peekBytes(at, 4)[2:]))
			refuseFileIf(s.length < 4, reasonDamaged)
			s.head = bytes.Clone(r.peekBytes(at+4, int(min(s.length-4, 32<<10))))
		}
		if s.mark == markSOS {
			scans++
			s.length = r.findScanEnd(at+s.length) - at
		}
		visit(s)
		at += s.length
	}
}

// findScanEnd returns the end of the picture data at position at: the next marker that is not a restart marker.
func (r *abortingReader) findScanEnd(at int64) int64 {
	for {
		b := r.peekWindow(at)
		mark := bytes.IndexByte(b, 0xff)
		if mark < 0 {
			at += int64(len(b))
			continue
		}
		at += int64(mark)
		switch next := r.peekBytes(at, 2)[1]; {
		case next == 0xff:
			at++
		case next == 0 || next&0xf8 == 0xd0:
			at += 2
		default:
			return at
		}
	}
}

func (r *abortingReader) readJPEG(facts *Facts) {
	framed, scans, storedAsRGB := false, 0, false
	end := r.visitJPEGSegments(func(s jpegSegment) {
		storedAsRGB = storedAsRGB || declaresRGBComponents(s)
		switch {
		case s.mark == markAPP1 && bytes.HasPrefix(s.head, []byte(exifName)):
			facts.readEXIF(s.head)
		case s.mark == markAPP2 && bytes.HasPrefix(s.head, []byte(profileName+"\x01\x01")):
			facts.profile = imageChunk{data: s.at + 4 + int64(profileHead), length: s.length - 4 - int64(profileHead)}
		case !isKeptInCleanJPEG(s):
			facts.Private = true
		case s.mark == markSOS:
			scans++
			refuseFileIf(!framed, reasonDamaged)
		case s.mark >= 0xc0 && s.mark <= 0xcf && s.mark != 0xc4 && s.mark != 0xc8 && s.mark != 0xcc:
			refuseFileIf(framed || len(s.head) < 6, reasonDamaged)
			framed = true
			facts.readJPEGFrameHeaderOrRefuse(s)
		}
	})
	refuseFileIf(scans == 0, reasonNoPicture)
	if scans > 1 {
		facts.Scans = scans
	}
	if storedAsRGB {
		facts.PixelBytes += convertedPixelBytes
	}
	facts.swapSidesIfTurned()
	facts.Frames = 1
	r.refuseOrMarkTrailingData(end, facts)
}

// readJPEGFrameHeaderOrRefuse sets the size and memory use from the frame header (T.81, B.2.2).
func (f *Facts) readJPEGFrameHeaderOrRefuse(s jpegSegment) {
	colors := s.head[5]
	refuseFileIf(s.mark > 0xc2 || s.head[0] != 8 || colors != 1 && colors != 3 && colors != 4, reasonJPEGKind)
	f.PixelBytes = jpegMemoryPerPixel(s.head, s.mark == 0xc2)
	f.setSizeOrRefuse(int64(binary.BigEndian.Uint16(s.head[3:])), int64(binary.BigEndian.Uint16(s.head[1:])))
}

// jpegMemoryPerPixel returns how many bytes image/jpeg uses per pixel of a picture with this frame header. It uses one
// byte for each sample, four more for each sample of a progressive picture, and four for each pixel of a CMYK picture.
func jpegMemoryPerPixel(frameHeader []byte, progressive bool) (numBytes float64) {
	samples, converted := float64(frameHeader[5]), 0.0
	switch {
	case samples == 4:
		converted = convertedPixelBytes
	case samples == 3 && len(frameHeader) >= 15:
		luma, chroma := frameHeader[7], frameHeader[10] // sampling factors, horizontal and vertical in four bits each
		if area := float64(luma>>4) * float64(luma&15); area > 0 {
			samples = 1 + 2*float64(chroma>>4)*float64(chroma&15)/area
		}
		if frameHeader[6] == 'R' && frameHeader[9] == 'G' && frameHeader[12] == 'B' {
			converted = convertedPixelBytes
		}
	}
	if progressive {
		samples *= 5
	}
	return samples + converted
}

// convertedPixelBytes is how many more bytes image/jpeg uses per pixel if it converts the colors after decoding.
const convertedPixelBytes = 4

// declaresRGBComponents reports whether a segment is an Adobe segment that declares that the colors are stored as RGB
// instead of luma and chroma.
func declaresRGBComponents(s jpegSegment) bool {
	return s.mark == markAPPE && len(s.head) >= 12 && bytes.HasPrefix(s.head, []byte("Adobe")) && s.head[11] == 0
}

// isKeptInCleanJPEG reports whether StripPrivateMetadata keeps a segment. It keeps only what is necessary to show the
// picture.
func isKeptInCleanJPEG(s jpegSegment) bool {
	switch {
	case s.mark == markAPP0:
		return bytes.HasPrefix(s.head, []byte("JFIF\x00"))
	case s.mark == markAPPE:
		return bytes.HasPrefix(s.head, []byte("Adobe"))
	case s.mark == markAPP2:
		return bytes.HasPrefix(s.head, []byte(profileName))
	}
	return s.mark < markAPP0
}
