package media

import (
	"encoding/binary"
)

// Blocks of a GIF (GIF89a, appendix A).
const (
	gifExtension = 0x21
	gifImage     = 0x2c
	gifTrailer   = 0x3b

	gifGraphic     = 0xf9
	gifComment     = 0xfe
	gifApplication = 0xff
	gifPlainText   = 0x01
)

// gifBlock is a block of a GIF.
type gifBlock struct {
	kind, label byte   // the label only of an extension
	app         string // only of an application extension
	at, length  int64
	head        [10]byte
}

// visitGIFBlocks visits the blocks of a GIF after its header and palette, up to the trailer, and returns where the
// trailer ends.
func (r *abortingReader) visitGIFBlocks(at int64, visit func(gifBlock)) (end int64) {
	for {
		b := r.peekUpTo(at, 20)
		refuseFileIf(len(b) == 0, reasonIncomplete)
		k := gifBlock{kind: b[0], at: at}
		data := at + 2
		switch k.kind {
		case gifTrailer:
			k.length = 1
			visit(k)
			return at + 1
		case gifExtension:
			refuseFileIf(len(b) < 3, reasonIncomplete)
			k.label = b[1]
			if k.label == gifApplication && len(b) >= 14 && b[2] == 11 {
				k.app = string(b[3:14])
			}
			copy(k.head[:], b[2:])
		case gifImage:
			refuseFileIf(len(b) < 10, reasonIncomplete)
			copy(k.head[:], b)
			data = at + 10 + gifPaletteLength(b[9]) + 1 // the code size comes before the data
		default:
			refuseFile(reasonDamaged)
		}
		at = r.skipGIFSubBlocks(data)
		k.length = at - k.at
		visit(k)
	}
}

// skipGIFSubBlocks returns the end of the sub-blocks at position at.
func (r *abortingReader) skipGIFSubBlocks(at int64) (end int64) {
	for {
		length := int64(r.peekWindow(at)[0])
		at += length + 1
		if length == 0 {
			return at
		}
	}
}

// gifPaletteLength returns the length in bytes of the palette described by the packed field.
func gifPaletteLength(packed byte) int64 {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}

const gifHead = 13

// gifBlocksStart returns the position of the first block.
func (r *abortingReader) gifBlocksStart() int64 {
	return gifHead + gifPaletteLength(r.peekBytes(0, gifHead)[10])
}

func (r *abortingReader) readGIF(facts *Facts) {
	facts.PixelBytes = 2 // the palette index, twice while interlaced rows are sorted
	b := r.peekBytes(6, 4)
	facts.setSizeOrRefuse(int64(binary.LittleEndian.Uint16(b)), int64(binary.LittleEndian.Uint16(b[2:])))
	end := r.visitGIFBlocks(r.gifBlocksStart(), func(k gifBlock) {
		facts.Private = facts.Private || !isKeptInCleanGIF(k)
		switch {
		case k.kind == gifImage:
			facts.countFrameOrRefuse()
			le := func(at int) int { return int(binary.LittleEndian.Uint16(k.head[at:])) }
			refuseFileIf(le(1)+le(5) > facts.Width || le(3)+le(7) > facts.Height, reasonDamaged)
		case k.label == gifGraphic:
			facts.DurationMs += 10 * int64(binary.LittleEndian.Uint16(k.head[2:]))
		}
	})
	refuseFileIf(facts.Frames == 0, reasonNoPicture)
	if facts.Frames == 1 {
		facts.DurationMs = 0
	}
	r.refuseOrMarkTrailingData(end, facts)
}

// isKeptInCleanGIF reports whether StripPrivateMetadata keeps a block. It keeps frames, their delays, and whether they
// repeat.
func isKeptInCleanGIF(k gifBlock) bool {
	if k.kind != gifExtension {
		return true
	}
	return k.label == gifGraphic || k.label == gifApplication && (k.app == "NETSCAPE2.0" || k.app == "ANIMEXTS1.0")
}
