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
	// maxAvatarDecode is the maximum memory for decoding a profile picture. It is enough for 2,000 by 2,000 pixels in
	// the most common formats.
	maxAvatarDecode = 16 << 20
)

// MakeAvatar returns the center of a profile picture as a small square JPEG, upright, on white. The error is a *Refusal
// if the bytes are not a picture, or decoding it would need too much memory.
func MakeAvatar(ctx context.Context, picture []byte) ([]byte, error) {
	r := bytes.NewReader(picture)
	facts, err := Examine(ctx, r, r.Size(), DeclaredType{})
	switch {
	case err != nil:
		return nil, err
	case facts.Kind != core.FileImage:
		return nil, newRefusal(reasonNoPicture)
	case facts.decodingMemoryBytes() > maxAvatarDecode || facts.Scans*facts.Width*facts.Height > maxDecodePixels:
		return nil, newRefusal(reasonAvatar)
	}
	decoded, err := newFile(ctx, r, facts.Bytes).decodePicture(facts)
	if err != nil {
		return nil, err
	}
	return encodeJPEGAtThumbnailQuality(applyOrientation(cropToAvatar(decoded), facts.Orientation))
}

// cropToAvatar returns the square center of the picture on white, scaled to the size of an avatar.
func cropToAvatar(picture image.Image) *image.RGBA {
	whole := picture.Bounds()
	side := min(whole.Dx(), whole.Dy())
	corner := image.Pt(whole.Min.X+(whole.Dx()-side)/2, whole.Min.Y+(whole.Dy()-side)/2)
	square := image.NewRGBA(image.Rect(0, 0, avatarSide, avatarSide))
	draw.Draw(square, square.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	middle := image.Rectangle{Min: corner, Max: corner.Add(image.Pt(side, side))}
	draw.CatmullRom.Scale(square, square.Bounds(), picture, middle, draw.Over, nil)
	return square
}
