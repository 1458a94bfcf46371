package media

import (
	"encoding/binary"
	"slices"
)

const (
	pngHead   = 8
	maxChunks = 100_000
)

// imageChunk is a chunk of a PNG or a WebP.
type imageChunk struct {
	name       string
	at, length int64 // position of the chunk, and length of its content
	data       int64 // position of its content
}

// visitPNGChunks visits the chunks up to IEND and returns where it ends (PNG, 5.3).
func (r *abortingReader) visitPNGChunks(visit func(imageChunk)) (end int64) {
	at := int64(pngHead)
	for range maxChunks {
		b := r.peekBytes(at, 8)
		c := imageChunk{name: string(b[4:8]), at: at, length: int64(binary.BigEndian.Uint32(b)), data: at + 8}
		notALetter := func(l byte) bool { return l|0x20 < 'a' || l|0x20 > 'z' }
		refuseFileIf(c.length > 1<<31-1 || slices.ContainsFunc(b[4:8], notALetter), reasonDamaged)
		at += c.length + 12
		refuseFileIf(at > r.size, reasonIncomplete)
		visit(c)
		if c.name == "IEND" {
			return at
		}
	}
	refuseFile(reasonManyParts)
	return 0
}

func (r *abortingReader) readPNG(facts *Facts) {
	first, pixels, animated := true, false, false
	end := r.visitPNGChunks(func(c imageChunk) {
		refuseFileIf(first != (c.name == "IHDR"), reasonDamaged)
		first = false
		switch c.name {
		case "IHDR":
			r.readIHDR(facts, c)
		case "IDAT":
			pixels = true
		case "acTL":
			animated = true
		case "fcTL":
			r.addPNGFrameToFacts(facts, c)
		case "iCCP":
			facts.profile = c
		case "eXIf":
			facts.readEXIF(r.peekUpTo(c.data, int(min(c.length, windowSize/2))))
		default:
			facts.Private = facts.Private || !isKeptInCleanPNG(c.name)
		}
	})
	refuseFileIf(!pixels, reasonNoPicture)
	if !animated || facts.Frames < 2 {
		facts.Frames, facts.DurationMs = 1, 0
	}
	facts.swapSidesIfTurned()
	r.refuseOrMarkTrailingData(end, facts)
}

// peekChunkOfLength returns the content of a chunk, which is valid until the next read of the file. It aborts if the
// content does not have the given length.
func (r *abortingReader) peekChunkOfLength(c imageChunk, length int) []byte {
	refuseFileIf(c.length != int64(length), reasonDamaged)
	return r.peekBytes(c.data, length)
}

// countFrameOrRefuse counts a frame of an animated picture, and refuses the file if it has too many.
func (f *Facts) countFrameOrRefuse() {
	f.Frames++
	refuseFileIf(f.Frames > maxFrames, reasonFrames)
}

// readIHDR sets the size and memory use from the header (PNG, 11.2.1).
func (r *abortingReader) readIHDR(facts *Facts, c imageChunk) {
	b := r.peekChunkOfLength(c, 13)
	facts.PixelBytes = pngMemoryPerPixel(b[8], b[9], b[12] == 1)
	facts.setSizeOrRefuse(int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:])))
}

// pngMemoryPerPixel returns how many bytes image/png uses per pixel. Gray pictures with a transparent color use as much
// as color pictures. Interlaced pictures are decoded in several passes, each into a separate picture.
func pngMemoryPerPixel(depth, colorType byte, interlaced bool) (numBytes float64) {
	numBytes = 4.0
	switch {
	case colorType == 3: // a palette
		numBytes = 1
	case depth == 16:
		numBytes = 8
	}
	if interlaced {
		numBytes *= 2
	}
	return numBytes
}

// addPNGFrameToFacts counts the frame of an fcTL chunk, and adds its delay to the duration (APNG, fcTL).
func (r *abortingReader) addPNGFrameToFacts(facts *Facts, c imageChunk) {
	facts.countFrameOrRefuse()
	b := r.peekChunkOfLength(c, 26)
	delay, per := int64(binary.BigEndian.Uint16(b[20:])), int64(binary.BigEndian.Uint16(b[22:]))
	if per == 0 {
		per = 100
	}
	facts.DurationMs += delay * 1000 / per
}

// isKeptInCleanPNG reports whether StripPrivateMetadata keeps a chunk. It keeps the picture, its colors and its
// animation.
func isKeptInCleanPNG(chunkName string) bool {
	if chunkName[0] < 'a' { // critical chunks are necessary to decode the picture
		return true
	}
	switch chunkName {
	case "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "cLLI",
		"sBIT", "bKGD", "pHYs", "hIST", "sPLT", "acTL", "fcTL", "fdAT":
		return true
	}
	return false
}
