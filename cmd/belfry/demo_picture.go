package main

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
)

// pictureSide is the width and height of a demo picture in pixels.
const pictureSide = 720

// shape says whether a point is inside. Coordinates run from 0 at the left and the top to 1.
type shape func(x, y float64) bool

// layer is a shape in one color, as 0xRRGGBB.
type layer struct {
	color  uint32
	inside shape
}

func everywhere(float64, float64) bool { return true }

func circle(cx, cy, radius float64) shape {
	return func(x, y float64) bool { return math.Hypot(x-cx, y-cy) < radius }
}

func ring(cx, cy, radius float64) shape {
	return func(x, y float64) bool { return math.Abs(math.Hypot(x-cx, y-cy)-radius) < 0.015 }
}

func ellipse(cx, cy, width, height float64) shape {
	return func(x, y float64) bool { return math.Hypot((x-cx)/width, (y-cy)/height) < 0.5 }
}

func box(left, top, width, height float64) shape {
	return func(x, y float64) bool { return x >= left && x < left+width && y >= top && y < top+height }
}

// line is a straight line between two points.
func line(x1, y1, x2, y2, width float64) shape {
	dx, dy := x2-x1, y2-y1
	return func(x, y float64) bool {
		t := max(0, min(1, ((x-x1)*dx+(y-y1)*dy)/(dx*dx+dy*dy)))
		return math.Hypot(x-x1-t*dx, y-y1-t*dy) < width/2
	}
}

// below is everything below a wave.
func below(level, height, waves, shift float64) shape {
	return func(x, y float64) bool { return y > level+height*math.Sin(2*math.Pi*(waves*x+shift)) }
}

// drawPicture draws the layers from back to front, as a JPEG.
func drawPicture(layers []layer) ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, pictureSide, pictureSide))
	for row := range pictureSide {
		for column := range pictureSide {
			x, y := (float64(column)+0.5)/pictureSide, (float64(row)+0.5)/pictureSide
			for _, l := range slices.Backward(layers) {
				if l.inside(x, y) {
					img.SetRGBA(column, row, toRGBA(l.color))
					break
				}
			}
		}
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 90})
	return out.Bytes(), err
}

func toRGBA(c uint32) color.RGBA {
	return color.RGBA{R: byte(c >> 16), G: byte(c >> 8), B: byte(c), A: 255} //nolint:gosec // the bytes of a color
}
