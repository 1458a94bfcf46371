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

// block is one piece of a GIF.
type block struct {
	kind, label byte   // label of an extension
	app         string // of an application's extension
	at, length  int64
	head        [10]byte
}

// visitGIFBlocks visits the pieces of a GIF after its header and palette, up to the trailer, and gives where that ends.
func (f *file) visitGIFBlocks(at int64, visit func(block) error) (end int64, err error) {
	for {
		b, err := f.readUpTo(at, 20)
		if err != nil {
			return 0, err
		}
		if len(b) == 0 {
			return 0, newRefusal(reasonTruncated)
		}
		k := block{kind: b[0], at: at}
		data := at + 2
		switch k.kind {
		case gifTrailer:
			k.length = 1
			return at + 1, visit(k)
		case gifExtension:
			if len(b) < 3 {
				return 0, newRefusal(reasonTruncated)
			}
			k.label = b[1]
			if k.label == gifApplication && len(b) >= 14 && b[2] == 11 {
				k.app = string(b[3:14])
			}
			copy(k.head[:], b[2:])
		case gifImage:
			if len(b) < 10 {
				return 0, newRefusal(reasonTruncated)
			}
			copy(k.head[:], b)
			data = at + 10 + paletteLength(b[9]) + 1 // the code size stands before the data
		default:
			return 0, newRefusal(reasonDamaged)
		}
		next, err := f.subBlocks(data)
		if err != nil {
			return 0, err
		}
		k.length = next - at
		if err := visit(k); err != nil {
			return 0, err
		}
		at = next
	}
}

func (f *file) subBlocks(at int64) (next int64, err error) {
	for {
		b, err := f.windowAt(at)
		if err != nil {
			return 0, err
		}
		length := int64(b[0])
		at += length + 1
		if length == 0 {
			return at, nil
		}
	}
}

// paletteLength returns the length in bytes of the palette that the packed field announces.
func paletteLength(packed byte) int64 {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}

const gifHead = 13

// gifStart returns where the blocks begin.
func (f *file) gifStart() (int64, error) {
	b, err := f.readBytes(0, gifHead)
	if err != nil {
		return 0, err
	}
	return gifHead + paletteLength(b[10]), nil
}

func readGIF(f *file, facts *Facts) error {
	facts.PixelBytes = 2 // a palette's index, and once more while interlaced rows are put in order
	b, err := f.readBytes(6, 4)
	if err != nil {
		return err
	}
	if err := facts.setSize(int64(binary.LittleEndian.Uint16(b)), int64(binary.LittleEndian.Uint16(b[2:]))); err != nil {
		return err
	}
	start, err := f.gifStart()
	if err != nil {
		return err
	}
	end, err := f.visitGIFBlocks(start, func(k block) error {
		facts.Private = facts.Private || !keptInGIF(k)
		switch {
		case k.kind == gifImage:
			if facts.Frames++; facts.Frames > maxFrames {
				return newRefusal(reasonFrames)
			}
			le := func(at int) int { return int(binary.LittleEndian.Uint16(k.head[at:])) }
			if le(1)+le(5) > facts.Width || le(3)+le(7) > facts.Height {
				return newRefusal(reasonDamaged)
			}
		case k.label == gifGraphic:
			facts.DurationMs += 10 * int64(binary.LittleEndian.Uint16(k.head[2:]))
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case facts.Frames == 0:
		return newRefusal(reasonNoPicture)
	case facts.Frames == 1:
		facts.DurationMs = 0
	}
	if end < f.size {
		facts.Private = true
	}
	return f.checkTrailingData(end)
}

// keptInGIF reports what Clean keeps: frames, how long they stay, and whether they repeat.
func keptInGIF(k block) bool {
	if k.kind != gifExtension {
		return true
	}
	return k.label == gifGraphic || k.label == gifApplication && (k.app == "NETSCAPE2.0" || k.app == "ANIMEXTS1.0")
}
