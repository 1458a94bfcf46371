package media

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // for image.Decode
	"image/jpeg"
	_ "image/png" // for image.Decode
	"io"
	"runtime/debug"
	"slices"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // for image.Decode

	"belfry/internal/core"
)

const (
	thumbnailSide    = 480
	thumbnailQuality = 82

	// maxDecodeBytes is how much memory the decoding of a picture may take, so that the whole program stays under
	// 300 MiB. A picture that needs more gets a drawn card: one of 50 million pixels in the commonest forms.
	maxDecodeBytes = 192 << 20

	// maxDecodePixels is how many pixels a decoder may go over, once for each scan. More are minutes of work, for
	// which all other pictures would wait; the picture gets a drawn card.
	maxDecodePixels = 1_000_000_000

	// freeDecodeBytes is from where on a decoded picture's memory is given back at once.
	freeDecodeBytes = 32 << 20
)

// decodeBytes returns the maximum memory for decoding the picture.
func (f Facts) decodeBytes() int64 {
	return 1<<20 + int64(f.PixelBytes*float64(f.Width)*float64(f.Height))
}

// Thumbnail returns the thumbnail of a picture: a JPEG of the first frame, upright, on white, at most 480 pixels on
// its longer side. The error is a *Refusal if the picture cannot be decoded.
func Thumbnail(ctx context.Context, r io.ReaderAt, facts Facts) ([]byte, error) {
	if facts.Kind != core.FileImage {
		return nil, fmt.Errorf("make a thumbnail of %s: it is not a picture", facts.Mime)
	}
	if facts.decodeBytes() > maxDecodeBytes || facts.Scans*facts.Width*facts.Height > maxDecodePixels {
		return drawCard(facts)
	}
	f := newFile(ctx, r, facts.Bytes)
	small, err := f.decodeScaled(facts)
	if facts.decodeBytes() > freeDecodeBytes {
		debug.FreeOSMemory() // the collector would wait for as much again, and the next picture with it
	}
	switch {
	case f.failed != nil:
		return nil, f.failed
	case err != nil:
		return nil, err
	}
	return encodeThumbnail(applyOrientation(small, facts.Orientation))
}

func (f *file) decodeScaled(facts Facts) (*image.RGBA, error) {
	picture, err := f.decodePicture(facts)
	if err != nil {
		return nil, err
	}
	return scaleDown(picture), nil
}

// decodePicture decodes the picture or its first frame, after checking its size against the facts.
func (f *file) decodePicture(facts Facts) (picture image.Image, err error) {
	defer func() {
		if recover() != nil { // a decoder's, over a file that it did not expect
			picture, err = nil, newRefusal(reasonDamaged)
		}
	}()
	open := func() (io.Reader, error) { return f.sectionReader(), nil }
	if facts.Mime == "image/webp" && facts.Frames > 1 {
		open = f.firstFrame
	}
	in, err := open()
	if err != nil {
		return nil, err
	}
	size, _, err := image.DecodeConfig(bufio.NewReader(in))
	if err != nil || size.Width <= 0 || size.Height <= 0 || size.Width*size.Height > facts.Width*facts.Height {
		return nil, newRefusal(reasonDamaged)
	}
	if in, err = open(); err != nil {
		return nil, err
	}
	picture, _, err = image.Decode(bufio.NewReaderSize(in, windowSize))
	if err != nil || picture.Bounds().Empty() {
		return nil, newRefusal(reasonDamaged)
	}
	return picture, nil
}

// firstFrame returns the first frame of an animated WebP as a separate WebP, because the decoder does not support
// animation.
func (f *file) firstFrame() (frame io.Reader, err error) {
	err = recoverAbort(func() {
		for c := range f.riffChunks(f.riffEnd()) {
			if c.name != "ANMF" || c.length < 16 {
				continue
			}
			head := []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00")
			head = append(head, f.readBytes(c.data, 16)[6:12]...)
			if string(f.readUpTo(c.data+16, 4)) == "ALPH" {
				head[20] = 0x10
			}
			length := c.length - 16
			binary.LittleEndian.PutUint32(head[4:], uint32(min(int64(len(head))-8+length, 1<<32-1)))
			frame = io.MultiReader(bytes.NewReader(head), io.NewSectionReader(f, c.data+16, length))
			return
		}
		abortWith(reasonNoPicture)
	})
	return frame, err
}

// scaleDown draws the picture on white, at most at a thumbnail's size.
func scaleDown(picture image.Image) *image.RGBA {
	from := picture.Bounds()
	width, height := thumbnailSize(from.Dx(), from.Dy())
	small := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(small, small.Bounds(), picture, from, draw.Over, nil)
	return small
}

// thumbnailSize returns the size of a thumbnail: never larger than the picture, and at least one pixel.
func thumbnailSize(width, height int) (w, h int) {
	longest := max(width, height)
	if longest <= thumbnailSide {
		return max(1, width), max(1, height)
	}
	return max(1, width*thumbnailSide/longest), max(1, height*thumbnailSide/longest)
}

// applyOrientation rotates the picture according to its EXIF orientation.
func applyOrientation(from *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation > 8 {
		return from
	}
	width, height := from.Bounds().Dx(), from.Bounds().Dy()
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	if orientation >= 5 {
		to = image.NewRGBA(image.Rect(0, 0, height, width))
	}
	mirrored := slices.Contains([]int{2, 3, 7, 8}, orientation)
	upsideDown := slices.Contains([]int{3, 4, 6, 7}, orientation)
	for y := range height {
		for x := range width {
			at := image.Pt(x, y)
			if mirrored {
				at.X = width - 1 - x
			}
			if upsideDown {
				at.Y = height - 1 - y
			}
			if orientation >= 5 {
				at.X, at.Y = at.Y, at.X
			}
			to.SetRGBA(at.X, at.Y, from.RGBAAt(x, y))
		}
	}
	return to
}

func encodeThumbnail(picture image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: thumbnailQuality}); err != nil {
		return nil, fmt.Errorf("encode a small picture: %w", err)
	}
	return out.Bytes(), nil
}
