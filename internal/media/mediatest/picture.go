package mediatest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
)

// Plain returns a picture of one color with a dark upper left corner, which shows its orientation.
func Plain(width, height int) image.Image {
	picture := image.NewPaletted(image.Rect(0, 0, width, height),
		color.Palette{color.RGBA{240, 180, 40, 255}, color.Black})
	for y := range (height + 3) / 4 {
		for x := range (width + 3) / 4 {
			picture.SetColorIndex(x, y, 1)
		}
	}
	return picture
}

// JPEG returns a JPEG of the picture Plain.
func JPEG(width, height int) []byte {
	return writtenBytesOrPanic(func(to *bytes.Buffer) error { return jpeg.Encode(to, Plain(width, height), nil) })
}

// PNG returns a PNG of the picture Plain.
func PNG(width, height int) []byte {
	return writtenBytesOrPanic(func(to *bytes.Buffer) error { return png.Encode(to, Plain(width, height)) })
}

// GIF returns a GIF. With more than one frame, it is animated, with a tenth of a second for each frame.
func GIF(width, height, frames int) []byte {
	all := &gif.GIF{}
	for range frames {
		all.Image = append(all.Image, Plain(width, height).(*image.Paletted)) //nolint:errcheck // it is one
		all.Delay = append(all.Delay, 10)
	}
	return writtenBytesOrPanic(func(to *bytes.Buffer) error { return gif.EncodeAll(to, all) })
}

func writtenBytesOrPanic(write func(*bytes.Buffer) error) []byte {
	var to bytes.Buffer
	if err := write(&to); err != nil {
		panic(err) // of a size that the format does not have
	}
	return to.Bytes()
}

// WebP returns a lossless WebP of one color, with sides of 1 to 16,384 pixels. Its picture always takes 24 bytes,
// because codes of a single symbol need no bits (RFC 9649, 3.7.2.1.1).
func WebP(width, height int) []byte {
	return Riff(Chunk("VP8L", vp8lContent(width, height)))
}

// Riff returns a WebP with these chunks.
func Riff(chunks ...[]byte) []byte {
	whole := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(whole))), whole...)
}

// Chunk returns a chunk of a WebP with its padding.
func Chunk(name string, content []byte) []byte {
	out := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(content))), content...)
	return append(out, make([]byte, len(content)&1)...)
}

func vp8lContent(width, height int) []byte {
	b := &bits{}
	b.appendValue(0x2f, 8)
	b.appendValue(width-1, 14)
	b.appendValue(height-1, 14)
	b.appendValue(0, 1+3)   // no alpha, version 0
	b.appendValue(0, 1+1+1) // no transform, no colour cache, one set of codes
	for _, symbol := range []int{180, 240, 40, 255} {
		b.appendValue(1, 1) // a simple code
		b.appendValue(0, 1) // of one symbol
		b.appendValue(1, 1) // of eight bits
		b.appendValue(symbol, 8)
	}
	b.appendValue(1, 4) // distances: the same, a symbol of one bit
	return append(b.out, make([]byte, 8)...)
}

// bits packs bits, beginning with the lowest.
type bits struct {
	out []byte
	n   int
}

func (b *bits) appendValue(value, bitCount int) {
	for i := range bitCount {
		if b.n%8 == 0 {
			b.out = append(b.out, 0)
		}
		b.out[b.n/8] |= byte(value>>i&1) << (b.n % 8)
		b.n++
	}
}

// BlackPNG returns a black PNG of any size, which takes a few bytes for each thousand pixels. It has eight bits and the
// color type 0 (gray), 2 (RGB) or 6 (RGBA). It is written row by row, so the whole picture is never in memory.
func BlackPNG(width, height int, colorType byte) []byte {
	channels := map[byte]int{0: 1, 2: 3, 6: 4}[colorType]
	rows := writtenBytesOrPanic(func(to *bytes.Buffer) error {
		pack, err := zlib.NewWriterLevel(to, zlib.BestCompression)
		if err != nil {
			return err
		}
		row := make([]byte, 1+channels*width) // a filter's number, then the pixels
		for range height {
			if _, err := pack.Write(row); err != nil {
				return err
			}
		}
		return pack.Close()
	})
	be := binary.BigEndian.AppendUint32
	chunk := func(name string, content []byte) []byte {
		body := append([]byte(name), content...)
		return be(append(be(nil, uint32(len(content))), body...), crc32.ChecksumIEEE(body))
	}
	header := append(be(be(nil, uint32(width)), uint32(height)), 8, colorType, 0, 0, 0)
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", nil))
}
