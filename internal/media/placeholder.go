package media

import (
	"fmt"
	"image"
	"image/color"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"belfry/internal/core"
)

// placeholderColors are the background colors of placeholders. They help to distinguish placeholders that are shown
// next to each other.
var placeholderColors = []color.RGBA{
	{38, 42, 51, 255},
	{24, 62, 58, 255},
	{66, 48, 28, 255},
	{58, 38, 62, 255},
	{26, 54, 74, 255},
	{70, 40, 42, 255},
	{46, 58, 34, 255},
	{48, 44, 76, 255},
}

// makePlaceholderThumbnail returns the thumbnail of a file that cannot be decoded, as a JPEG with the file's aspect
// ratio. It shows a play symbol for a video, and the size in pixels for a picture.
func makePlaceholderThumbnail(facts Facts) ([]byte, error) {
	width, height := placeholderSize(facts.Width, facts.Height)
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	background := placeholderColors[uint64(facts.Bytes+facts.DurationMs)%uint64(len(placeholderColors))] //nolint:gosec // both are positive
	draw.Draw(picture, picture.Bounds(), image.NewUniform(background), image.Point{}, draw.Src)
	if facts.Kind == core.FileVideo {
		drawPlaySymbol(picture)
	} else {
		drawCaption(picture, fmt.Sprintf("%d x %d", facts.Width, facts.Height))
	}
	return encodeJPEGAtThumbnailQuality(picture)
}

// placeholderSize returns the size of the placeholder. It keeps the file's aspect ratio, but leaves room to draw.
// Unlike thumbnailSize, it enlarges small files, and works for files of unknown size.
func placeholderSize(width, height int) (w, h int) {
	const least = 120
	if width <= 0 || height <= 0 {
		return thumbnailSide, thumbnailSide * 9 / 16
	}
	longest := max(width, height)
	return max(least, width*thumbnailSide/longest), max(least, height*thumbnailSide/longest)
}

// drawPlaySymbol draws a white play symbol in the center.
func drawPlaySymbol(picture *image.RGBA) {
	size := picture.Bounds().Size()
	half := min(size.X, size.Y) / 6
	for y := -half; y <= half; y++ {
		for x := 0; x <= 2*(half-max(y, -y)); x++ {
			picture.SetRGBA(size.X/2-half*2/3+x, size.Y/2+y, color.RGBA{255, 255, 255, 255})
		}
	}
}

// drawCaption draws a line of text in the lower right corner.
func drawCaption(picture *image.RGBA, text string) {
	const scale, margin = 2, 10
	face := basicfont.Face7x13
	line := image.NewAlpha(image.Rect(0, 0, face.Advance*len(text), face.Height))
	(&font.Drawer{Dst: line, Src: image.Opaque, Face: face, Dot: fixed.P(0, face.Ascent)}).DrawString(text)
	size, place := line.Bounds().Size().Mul(scale), picture.Bounds().Max.Sub(image.Pt(margin, margin))
	corner := image.Rectangle{place.Sub(size), place}
	draw.NearestNeighbor.Scale(picture, corner, maskAsWhiteImage{line}, line.Bounds(), draw.Over, nil)
}

// maskAsWhiteImage is a white image with the opacity of the mask.
type maskAsWhiteImage struct{ *image.Alpha }

func (m maskAsWhiteImage) ColorModel() color.Model { return color.NRGBAModel }

func (m maskAsWhiteImage) At(x, y int) color.Color {
	return color.NRGBA{255, 255, 255, m.AlphaAt(x, y).A}
}
