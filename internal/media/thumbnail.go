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

	// maxDecodeBytes is the maximum memory for decoding a picture, so that the whole program needs less than 300 MiB. A
	// picture that needs more gets a drawn placeholder: in the most common formats, one with more than 50 million pixels.
	maxDecodeBytes = 192 << 20

	// maxDecodePixels is the maximum number of pixels times scans that is decoded. Decoding more would take minutes, and
	// all other pictures would have to wait. A picture with more gets a drawn placeholder.
	maxDecodePixels = 1_000_000_000

	// freeDecodeBytes is the size from which a decoded picture's memory is returned to the system at once.
	freeDecodeBytes = 32 << 20
)

// decodingMemoryBytes returns the maximum number of bytes of memory for decoding the picture. The decoders also need
// memory for some rows, which matters for pictures with few rows.
func (f Facts) decodingMemoryBytes() int64 {
	const rowBytes = 24 // per pixel
	return 1<<20 + int64(f.PixelBytes*float64(f.Width)*float64(f.Height)) + rowBytes*int64(max(f.Width, f.Height))
}

// isWithinDecodeLimits reports whether decoding the picture needs neither too much memory nor too much time.
func (f Facts) isWithinDecodeLimits() bool {
	return f.decodingMemoryBytes() <= maxDecodeBytes && f.Scans*f.Width*f.Height <= maxDecodePixels
}

// MakePictureThumbnailOrPlaceholder returns the thumbnail of a picture: a JPEG of the first frame, upright, on white,
// with at most 480 pixels on its longer side. If decoding would need too much memory or time, it returns a drawn
// placeholder. The error is a *Refusal if the picture cannot be decoded.
func MakePictureThumbnailOrPlaceholder(ctx context.Context, r io.ReaderAt, facts Facts) ([]byte, error) {
	if facts.Kind != core.FileImage {
		return nil, fmt.Errorf("make a thumbnail: a file of type %s is not a picture", facts.Mime)
	}
	if !facts.isWithinDecodeLimits() {
		return makePlaceholderThumbnail(facts)
	}
	f := newFile(ctx, r, facts.Bytes)
	profile, err := f.readRGBProfile(facts, maxThumbnailProfileBytes)
	if err != nil {
		return nil, err
	}
	small, err := f.decodeAndScaleToThumbnail(facts)
	if facts.decodingMemoryBytes() > freeDecodeBytes {
		debug.FreeOSMemory() // the garbage collector would wait until the next pictures need as much again
	}
	switch {
	case f.failed != nil:
		return nil, f.failed
	case err != nil:
		return nil, err
	}
	made, err := encodeJPEGAtThumbnailQuality(applyOrientation(small, facts.Orientation))
	if err != nil {
		return nil, err
	}
	return addColorProfileIfAny(made, profile), nil
}

// decodeAndScaleToThumbnail decodes the picture and scales it to a thumbnail, so that the memory of the full picture
// can be freed.
func (f *file) decodeAndScaleToThumbnail(facts Facts) (*image.RGBA, error) {
	picture, err := f.decodePicture(facts)
	if err != nil {
		return nil, err
	}
	return scaleToThumbnail(picture), nil
}

// decodePicture decodes the picture or its first frame. It refuses a picture that is larger than facts say.
func (f *file) decodePicture(facts Facts) (picture image.Image, err error) {
	defer func() {
		if recover() != nil { // decoders panic on unexpected files
			picture, err = nil, newRefusal(reasonDamaged)
		}
	}()
	open := func() (io.Reader, error) { return f.newWholeFileReader(), nil }
	if facts.Mime == "image/webp" {
		open = f.openFirstWebPFrame
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
	if facts.Mime == "image/webp" {
		expandWebPColorRange(picture)
	}
	return picture, nil
}

// expandWebPColorRange expands the samples of a lossy WebP from the limited range of ITU-R BT.601 (16 to 235 for
// brightness, 16 to 240 for color) to the full range, which package image expects. It does not change other pictures.
func expandWebPColorRange(picture image.Image) {
	switch p := picture.(type) {
	case *image.YCbCr:
		expandSamples(p.Y, 16, 235)
		expandSamples(p.Cb, 16, 240)
		expandSamples(p.Cr, 16, 240)
	case *image.NYCbCrA:
		expandWebPColorRange(&p.YCbCr)
	}
}

// expandSamples maps the samples from least to most linearly to 0 to 255.
func expandSamples(samples []byte, least, most int) {
	var full [256]byte
	for v := range full {
		full[v] = byte((min(max(v, least), most) - least) * 255 / (most - least)) //nolint:gosec // between 0 and 255
	}
	for i, v := range samples {
		samples[i] = full[v]
	}
}

// openFirstWebPFrame returns a WebP for the decoder, which does not support animations. Of an animated WebP, it returns
// the first frame, which may be the only one. Like browsers, it ignores whether the header declares transparency.
func (f *file) openFirstWebPFrame() (frame io.Reader, err error) {
	err = f.readAndRecoverAbort(func(r *abortingReader) {
		var size []byte // of the picture, as in the header
		end := r.riffEnd()
		for c := range r.riffChunks(end) {
			at := c.at
			switch c.name {
			case "VP8X":
				size = bytes.Clone(r.peekBytes(c.data+4, 6))
				continue
			case "ANMF":
				size = bytes.Clone(r.peekBytes(c.data+6, 6))
				at, end = c.data+16, c.data+c.length
			case "ALPH", "VP8 ", "VP8L":
			default:
				continue
			}
			if frame = f.newWholeFileReader(); size != nil {
				frame = r.withWebPHeader(size, at, end)
			}
			return
		}
		refuseFile(reasonNoPicture)
	})
	return frame, err
}

// withWebPHeader returns the chunks from at to end as a WebP with the given width and height, as a header encodes them.
func (r *abortingReader) withWebPHeader(encodedSize []byte, at, end int64) io.Reader {
	head := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00"), encodedSize...)
	if string(r.peekUpTo(at, 4)) == "ALPH" {
		head[20] = 0x10
	}
	length := min(int64(len(head))-8+end-at, 1<<32-1)
	binary.LittleEndian.PutUint32(head[4:], uint32(length)) //nolint:gosec // see above
	return io.MultiReader(bytes.NewReader(head), io.NewSectionReader((*file)(r), at, end-at))
}

// scaleToThumbnail draws the picture on white, scaled down to the size of a thumbnail if it is larger.
func scaleToThumbnail(picture image.Image) *image.RGBA {
	from := picture.Bounds()
	width, height := thumbnailSize(from.Dx(), from.Dy())
	small := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(small, small.Bounds(), picture, from, draw.Over, nil)
	return small
}

// thumbnailSize returns the size of a thumbnail of a picture. It is never larger than the picture.
func thumbnailSize(width, height int) (w, h int) {
	longest := max(width, height)
	if longest <= thumbnailSide {
		return max(1, width), max(1, height)
	}
	return max(1, width*thumbnailSide/longest), max(1, height*thumbnailSide/longest)
}

// applyOrientation rotates and mirrors the picture according to its EXIF orientation.
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

// encodeJPEGAtThumbnailQuality returns the picture as a JPEG of the same size, in the quality of thumbnails.
func encodeJPEGAtThumbnailQuality(picture image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: thumbnailQuality}); err != nil {
		return nil, fmt.Errorf("encode a small picture: %w", err)
	}
	return out.Bytes(), nil
}
