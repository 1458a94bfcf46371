package media

import (
	"encoding/binary"
	"iter"
)

const riffHead = 12

// riffChunks yields the chunks before end (RFC 9649, 2.3). It aborts if a chunk is damaged or there are too many.
func (r *abortingReader) riffChunks(end int64) iter.Seq[imageChunk] {
	return func(yield func(imageChunk) bool) {
		at := int64(riffHead)
		for range maxChunks {
			if at >= end {
				return
			}
			b := r.peekBytes(at, 8)
			c := imageChunk{name: string(b[:4]), at: at, length: int64(binary.LittleEndian.Uint32(b[4:])), data: at + 8}
			refuseFileIf(c.length > end-c.data, reasonDamaged)
			if !yield(c) {
				return
			}
			at = c.data + c.length + c.length&1
		}
		refuseFile(reasonManyParts)
	}
}

// riffEnd returns where the picture ends according to its header.
func (r *abortingReader) riffEnd() int64 {
	end := 8 + int64(binary.LittleEndian.Uint32(r.peekBytes(4, 4)))
	refuseFileIf(end > r.size, reasonIncomplete)
	refuseFileIf(end < riffHead+8, reasonDamaged)
	return end
}

func (r *abortingReader) readWebP(facts *Facts) {
	first, still, end := true, 0, r.riffEnd()
	for c := range r.riffChunks(end) {
		facts.PixelBytes = max(facts.PixelBytes, webpMemoryPerPixel(c.name))
		switch c.name {
		case "VP8X": // the extended header (RFC 9649, 2.7.1.1)
			refuseFileIf(!first, reasonDamaged)
			b := r.peekChunkOfLength(c, 10)
			facts.setSizeOrRefuse(readUint24LE(b[4:])+1, readUint24LE(b[7:])+1)
		case "VP8 ", "VP8L":
			still++
			if width, height := r.readWebPSize(c); first {
				facts.setSizeOrRefuse(width, height)
			}
		case "ANMF":
			r.addWebPFrameToFacts(facts, c)
		case "ICCP":
			refuseFileIf(first, reasonDamaged)
			facts.profile = c
		case "EXIF":
			facts.readEXIF(r.peekUpTo(c.data, int(min(c.length, windowSize/2))))
		default:
			refuseFileIf(first, reasonDamaged)
			facts.Private = facts.Private || !isKeptInCleanWebP(c.name)
		}
		first = false
	}
	refuseFileIf(still > 1 || still == 1 && facts.Frames > 0, reasonDamaged)
	refuseFileIf(still == 0 && facts.Frames == 0, reasonNoPicture)
	refuseFileIf(facts.Width == 0, reasonNoSize)
	if facts.Frames <= 1 {
		facts.Frames, facts.DurationMs = 1, 0
	}
	facts.swapSidesIfTurned()
	r.refuseOrMarkTrailingData(end, facts)
}

// addWebPFrameToFacts counts the frame of an ANMF chunk, adds its delay to the duration, and records whether it covers
// only part of the picture (RFC 9649, 2.7.1.1).
func (r *abortingReader) addWebPFrameToFacts(facts *Facts, c imageChunk) {
	facts.countFrameOrRefuse()
	refuseFileIf(c.length < 16, reasonDamaged)
	b := r.peekBytes(c.data, 16)
	width, height := readUint24LE(b[6:])+1, readUint24LE(b[9:])+1
	right, bottom := 2*readUint24LE(b)+width, 2*readUint24LE(b[3:])+height
	refuseFileIf(right > int64(facts.Width) || bottom > int64(facts.Height), reasonDamaged)
	facts.partial = width < int64(facts.Width) || height < int64(facts.Height)
	facts.DurationMs += readUint24LE(b[12:])
}

// webpMemoryPerPixel returns how many bytes the decoder uses per pixel of a picture with this chunk. A lossless picture
// or transparency may be expanded from a palette.
func webpMemoryPerPixel(chunkName string) (numBytes float64) {
	switch chunkName {
	case "VP8 ":
		return 2
	case "VP8L":
		return 10
	case "ALPH", "ANMF": // the first frame of an animation may be any of these
		return 12
	}
	return 0
}

// readWebPSize returns the size of a still picture (RFC 6386, 9.1; RFC 9649, 3.4).
func (r *abortingReader) readWebPSize(c imageChunk) (width, height int64) {
	need := 10
	if c.name == "VP8L" {
		need = 5
	}
	refuseFileIf(c.length < int64(need), reasonDamaged)
	b := r.peekBytes(c.data, need)
	if c.name == "VP8L" {
		refuseFileIf(b[0] != 0x2f, reasonDamaged)
		bits := int64(binary.LittleEndian.Uint32(b[1:]))
		return bits&0x3fff + 1, bits>>14&0x3fff + 1
	}
	refuseFileIf(b[0]&1 != 0 || string(b[3:6]) != "\x9d\x01\x2a", reasonDamaged)
	return int64(binary.LittleEndian.Uint16(b[6:]) & 0x3fff), int64(binary.LittleEndian.Uint16(b[8:]) & 0x3fff)
}

func readUint24LE(b []byte) int64 { return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 }

// isKeptInCleanWebP reports whether StripPrivateMetadata keeps a chunk.
func isKeptInCleanWebP(chunkName string) bool {
	switch chunkName {
	case "VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP":
		return true
	}
	return false
}
