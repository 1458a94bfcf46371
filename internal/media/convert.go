package media

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"runtime/debug"
	"slices"

	"golang.org/x/image/draw"

	"belfry/internal/core"
)

// jpegQualities are tried in order until the JPEG is small enough. With the last one, it always is (see
// core.Conversion).
var jpegQualities = []int{90, 75, 50, 25, 1}

// isConvertibleToJPEG reports whether ConvertToJPEG can convert the file. A file is accepted only after its thumbnail
// was made, which proves that the file can be decoded.
func (f Facts) isConvertibleToJPEG() bool {
	return slices.Contains(core.ConvertibleFormats, f.Mime) && f.Frames == 1 && !f.partial && f.isWithinDecodeLimits()
}

// ConvertToJPEG returns a convertible picture of size bytes as a baseline JPEG, upright and on white. The same picture
// always becomes the same JPEG.
func ConvertToJPEG(ctx context.Context, r io.ReaderAt, size int64, to core.Conversion) ([]byte, error) {
	facts, err := Examine(ctx, r, size, DeclaredType{})
	if err != nil {
		return nil, fmt.Errorf("examine a picture to convert: %w", err)
	}
	if !facts.Convertible || to.Width > facts.Width || to.Height > facts.Height {
		return nil, fmt.Errorf("cannot convert a picture of type %s with %d × %d pixels to a JPEG with %d × %d pixels",
			facts.Mime, facts.Width, facts.Height, to.Width, to.Height)
	}
	f := newFile(ctx, r, size)
	profile, err := f.readRGBProfile(facts, maxProfileBytes)
	if err != nil {
		return nil, err
	}
	scaled, err := f.decodeAndScaleForConversion(facts, to)
	if facts.decodingMemoryBytes() > freeDecodeBytes {
		debug.FreeOSMemory() // see MakePictureThumbnailOrPlaceholder
	}
	switch {
	case f.failed != nil:
		return nil, f.failed
	case err != nil:
		return nil, err
	}
	return encodeJPEGWithin(applyOrientation(scaled, facts.Orientation), profile, to.MaxBytes)
}

// decodeAndScaleForConversion decodes the picture and scales it down, so that the memory of the full picture can be
// freed.
func (f *file) decodeAndScaleForConversion(facts Facts, to core.Conversion) (*image.RGBA, error) {
	picture, err := f.decodePicture(facts)
	if err != nil {
		return nil, err
	}
	if facts.Orientation >= 5 {
		to.Width, to.Height = to.Height, to.Width
	}
	if size := picture.Bounds(); size.Dx() < to.Width || size.Dy() < to.Height {
		return nil, newRefusal(reasonDamaged)
	}
	return scaleDownOntoWhite(picture, to.Width, to.Height), nil
}

// scaleDownOntoWhite draws the picture on white and scales it down: every pixel is the average of the area that it
// covers. It reads the picture row by row and calculates with integers, so it needs little memory and always has the
// same result.
func scaleDownOntoWhite(picture image.Image, width, height int) *image.RGBA {
	from := picture.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	row := image.NewRGBA(image.Rect(0, 0, from.Dx(), 1))
	across, sums := make([]int64, 3*width), make([]int64, 3*width)
	y, left := 0, from.Dy() // the number of the row of out, and how much of it is missing
	for at := range from.Dy() {
		draw.Draw(row, row.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(row, row.Rect, picture, image.Pt(from.Min.X, from.Min.Y+at), draw.Over)
		clear(across)
		addColorsOfRowParts(across, row.Pix, from.Dx(), width)
		for rest := height; rest > 0; {
			part := min(rest, left)
			for i, sum := range across {
				sums[i] += sum * int64(part)
			}
			rest, left = rest-part, left-part
			if left == 0 {
				setRowToAverages(out, y, sums, int64(from.Dx())*int64(from.Dy()))
				clear(sums)
				y, left = y+1, from.Dy()
			}
		}
	}
	return out
}

// addColorsOfRowParts divides a row of RGBA pixels into parts of equal length, and adds the colors of each part to
// sums. In total, each pixel counts as many times as there are parts.
func addColorsOfRowParts(sums []int64, rgbaRow []uint8, rowPixels, parts int) {
	x, left := 0, rowPixels
	for at := range rowPixels {
		red, green, blue := int64(rgbaRow[4*at]), int64(rgbaRow[4*at+1]), int64(rgbaRow[4*at+2])
		for rest := parts; rest > 0; {
			part := min(rest, left)
			weight := int64(part)
			sums[3*x] += red * weight
			sums[3*x+1] += green * weight
			sums[3*x+2] += blue * weight
			rest, left = rest-part, left-part
			if left == 0 {
				x, left = x+1, rowPixels
			}
		}
	}
}

// setRowToAverages sets a row of the picture to the averages: each sum, divided by the number of its summands.
func setRowToAverages(picture *image.RGBA, y int, sums []int64, summands int64) {
	average := func(i int) uint8 {
		return uint8((sums[i] + summands/2) / summands) //nolint:gosec // an average of bytes
	}
	for x := range len(sums) / 3 {
		picture.SetRGBA(x, y, color.RGBA{average(3 * x), average(3*x + 1), average(3*x + 2), 255})
	}
}

// encodeJPEGWithin returns the picture as a JPEG of at most maxBytes, with the best quality that allows it. If
// none allows it with the color profile, the profile is left out.
func encodeJPEGWithin(picture *image.RGBA, droppableProfile []byte, maxBytes int64) ([]byte, error) {
	for _, quality := range jpegQualities {
		var out bytes.Buffer
		if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: quality}); err != nil {
			return nil, fmt.Errorf("encode a JPEG: %w", err)
		}
		if made := addColorProfileIfAny(out.Bytes(), droppableProfile); int64(len(made)) <= maxBytes {
			return made, nil
		}
	}
	if droppableProfile != nil {
		return encodeJPEGWithin(picture, nil, maxBytes)
	}
	return nil, fmt.Errorf("a JPEG with %d × %d pixels has more than %d bytes", picture.Rect.Dx(), picture.Rect.Dy(),
		maxBytes)
}
