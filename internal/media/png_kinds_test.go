package media

import (
	"bytes"
	"image/color"
	"image/jpeg"
	"runtime"
	"slices"
	"testing"

	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// pngKind is a kind of PNG, and the samples of one of its pixels.
type pngKind struct {
	depth, colors byte
	pixel         []byte
	chunks        []byte // before the pixels
	want          color.Color
}

func pngKinds() map[string]pngKind {
	gray, half := color.Gray{Y: 100}, color.Gray{Y: 177} // half transparent, on white
	return map[string]pngKind{
		"gray":                     {8, 0, []byte{100}, nil, gray},
		"gray, 16 bits":            {16, 0, []byte{100, 7}, nil, gray},
		"gray, one transparent":    {8, 0, []byte{100}, checked("tRNS", []byte{0, 100}), color.White},
		"gray and alpha":           {8, 4, []byte{100, 128}, nil, half},
		"gray and alpha, 16 bits":  {16, 4, []byte{100, 7, 128, 0}, nil, half},
		"color":                    {8, 2, []byte{200, 30, 40}, nil, color.RGBA{200, 30, 40, 255}},
		"color, 16 bits":           {16, 2, []byte{200, 9, 30, 9, 40, 9}, nil, color.RGBA{200, 30, 40, 255}},
		"color, one transparent":   {8, 2, []byte{200, 30, 40}, checked("tRNS", []byte{0, 200, 0, 30, 0, 40}), color.White},
		"color and alpha":          {8, 6, []byte{200, 30, 40, 0}, nil, color.White},
		"color and alpha, 16 bits": {16, 6, []byte{200, 9, 30, 9, 40, 9, 255, 255}, nil, color.RGBA{200, 30, 40, 255}},
		"palette": {
			8, 3, []byte{1}, checked("PLTE", []byte{0, 0, 0, 200, 30, 40}), color.RGBA{200, 30, 40, 255},
		},
		"palette, transparent": {
			8, 3, []byte{1}, slices.Concat(checked("PLTE", []byte{0, 0, 0, 200, 30, 40}), checked("tRNS", []byte{255, 0})), color.White,
		},
	}
}

// file returns a picture whose pixels are all the same.
func (k pngKind) file(t *testing.T, width, height int, interlaced bool) []byte {
	t.Helper()
	passes := [][4]int{{0, 0, 1, 1}} // first column and row, and steps
	if interlaced {
		passes = [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
	}
	var rows []byte
	for _, p := range passes {
		columns := (width - p[0] + p[2] - 1) / p[2]
		for y := p[1]; y < height && columns > 0; y += p[3] {
			rows = append(append(rows, 0), bytes.Repeat(k.pixel, columns)...)
		}
	}
	header := append(mediatest.Words(width, height), k.depth, k.colors, 0, 0, 0)
	if interlaced {
		header[12] = 1
	}
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), checked("IHDR", header), k.chunks, checked("IDAT", deflate(t, rows)),
		checked("IEND", nil))
}

func TestEveryKindOfPNGIsConvertedWithinItsMemory(t *testing.T) { //nolint:paralleltest // it measures
	const width, height = 2401, 1203
	for name, kind := range pngKinds() {
		for _, interlaced := range []bool{false, true} {
			file := kind.file(t, width, height, interlaced)
			r := bytes.NewReader(file)
			facts, err := Examine(t.Context(), r, r.Size(), DeclaredType{})
			if err != nil || !facts.Convertible {
				t.Fatalf("%s: %+v, %v", name, facts, err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			made, err := ConvertToJPEG(t.Context(), r, r.Size(), core.Conversion{Width: 60, Height: 40, MaxBytes: 100_000})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if took := int64(after.TotalAlloc - before.TotalAlloc); took > facts.decodingMemoryBytes() {
				t.Errorf("%s, interlaced %v: %d KiB, and %d are counted on", name, interlaced, took>>10, facts.decodingMemoryBytes()>>10)
			}
			picture, err := jpeg.Decode(bytes.NewReader(made))
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range [][2]int{{0, 0}, {59, 39}, {30, 20}} {
				r, g, b, _ := picture.At(at[0], at[1]).RGBA()
				wr, wg, wb, _ := kind.want.RGBA()
				for i, got := range []uint32{r, g, b} {
					if want := []uint32{wr, wg, wb}[i]; max(got, want)-min(got, want) > 6<<8 {
						t.Errorf("%s, interlaced %v: %x %x %x at %v, want %x %x %x", name, interlaced, r, g, b, at, wr, wg, wb)
						break
					}
				}
			}
		}
	}
}
