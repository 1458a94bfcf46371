package media

import (
	"bytes"
	"context"
	"image"
	"image/color"

	"golang.org/x/image/draw"

	"belfry/internal/core"
)

const (
	avatarSide = 96
	// maxAvatarDecode is how much memory the decoding of a profile picture may take: 2,000 by 2,000 pixels in the
	// commonest forms.
	maxAvatarDecode = 16 << 20
)

// Avatar returns the middle of a profile picture as a small square JPEG, upright, on white. The error is a *Refusal if
// the bytes are no picture that can be decoded with little memory.
func Avatar(ctx context.Context, picture []byte) ([]byte, error) {
	r := bytes.NewReader(picture)
	facts, err := Read(ctx, r, r.Size(), DeclaredType{})
	switch {
	case err != nil:
		return nil, err
	case facts.Kind != core.FileImage:
		return nil, newRefusal(reasonNoPicture)
	case facts.decodeBytes() > maxAvatarDecode || facts.Scans*facts.Width*facts.Height > maxDecodePixels:
		return nil, newRefusal(tooManyPixels(int64(facts.Width), int64(facts.Height)))
	}
	decoded, err := newFile(ctx, r, facts.Bytes).decodePicture(facts)
	if err != nil {
		return nil, err
	}
	return encodeThumbnail(applyOrientation(cropSquare(decoded), facts.Orientation))
}

// cropSquare draws the middle of the picture on white, at the size of an avatar.
func cropSquare(picture image.Image) *image.RGBA {
	whole := picture.Bounds()
	side := min(whole.Dx(), whole.Dy())
	corner := image.Pt(whole.Min.X+(whole.Dx()-side)/2, whole.Min.Y+(whole.Dy()-side)/2)
	square := image.NewRGBA(image.Rect(0, 0, avatarSide, avatarSide))
	draw.Draw(square, square.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	middle := image.Rectangle{Min: corner, Max: corner.Add(image.Pt(side, side))}
	draw.CatmullRom.Scale(square, square.Bounds(), picture, middle, draw.Over, nil)
	return square
}
