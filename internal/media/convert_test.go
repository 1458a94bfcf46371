package media_test

import (
	"bytes"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/media/mediatest"
)

func convert(t *testing.T, file []byte, to core.Conversion) []byte {
	t.Helper()
	if to.MaxBytes == 0 {
		to.MaxBytes = 4_000_000
	}
	made, err := media.ConvertToJPEG(t.Context(), bytes.NewReader(file), int64(len(file)), to)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// isNear reports whether a pixel has a color, but for what JPEG changes.
func isNear(at, want color.Color) bool {
	r, g, b, _ := at.RGBA()
	wr, wg, wb, _ := want.RGBA()
	const most = 6 << 8
	near := func(a, b uint32) bool { return max(a, b)-min(a, b) <= most }
	return near(r, wr) && near(g, wg) && near(b, wb)
}

// quarters is a picture in four colors: the last is transparent, and red behind.
func quarters(width, height int) *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			of := [2][2]color.NRGBA{{{200, 30, 40, 255}, {20, 160, 70, 255}}, {{30, 60, 200, 255}, {255, 0, 0, 0}}}
			picture.SetNRGBA(x, y, of[2*y/height][2*x/width])
		}
	}
	return picture
}

func TestAConvertedPictureLooksTheSameOnWhite(t *testing.T) {
	t.Parallel()
	file := encodePNG(t, quarters(900, 600))
	for _, to := range []core.Conversion{{Width: 900, Height: 600}, {Width: 450, Height: 300}, {Width: 337, Height: 225}} {
		made := convert(t, file, to)
		got, err := jpeg.Decode(bytes.NewReader(made))
		if err != nil {
			t.Fatal(err)
		}
		if size := got.Bounds().Size(); size != (image.Point{to.Width, to.Height}) {
			t.Fatalf("want %v, got %v", to, size)
		}
		for at, want := range map[[2]int]color.Color{
			{1, 1}: color.NRGBA{200, 30, 40, 255}, {3, 1}: color.NRGBA{20, 160, 70, 255},
			{1, 3}: color.NRGBA{30, 60, 200, 255}, {3, 3}: color.White,
		} {
			if pixel := got.At(at[0]*to.Width/4, at[1]*to.Height/4); !isNear(pixel, want) {
				t.Errorf("%v at %v: %v, want %v", to, at, pixel, want)
			}
		}
		if frame := bytes.Index(made, []byte{0xff, 0xc0}); frame < 0 || bytes.Contains(made, []byte{0xff, 0xc2}) {
			t.Error("it is not a baseline JPEG")
		}
		if !bytes.Equal(made, convert(t, file, to)) {
			t.Errorf("%v: a second time, the bytes are others", to)
		}
	}
}

// A lossy WebP has samples of a limited range. Black became gray, and white too.
func TestTheColorsOfALossyWebPAreKept(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/stripes.webp") // four stripes
	if err != nil {
		t.Fatal(err)
	}
	facts, err := media.Examine(t.Context(), bytes.NewReader(file), int64(len(file)), media.DeclaredType{})
	if err != nil {
		t.Fatal(err)
	}
	picture, err := jpeg.Decode(bytes.NewReader(convert(t, file, core.Conversion{Width: facts.Width, Height: facts.Height})))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []color.NRGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {0xaa, 0x33, 0x33, 255}, {0x33, 0xaa, 0x77, 255}} {
		if got := picture.At((2*i+1)*facts.Width/8, facts.Height/2); !isNear(got, want) {
			t.Errorf("stripe %d is %v, want %v", i, got, want)
		}
	}
}

func TestAConvertedPictureIsUpright(t *testing.T) {
	t.Parallel()
	const header = 33
	plain := mediatest.PNG(300, 200) // dark in its upper left corner
	exif := []byte("eXIfMM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00")
	turned := slices.Concat(plain[:header], mediatest.Words(len(exif)-4), exif,
		mediatest.Words(int(crc32.ChecksumIEEE(exif))), plain[header:])
	if facts := read(t, turned, "a.png"); !facts.Convertible || facts.Width != 200 || facts.Height != 300 {
		t.Fatalf("%+v", facts)
	}
	got, err := jpeg.Decode(bytes.NewReader(convert(t, turned, core.Conversion{Width: 100, Height: 150})))
	if err != nil {
		t.Fatal(err)
	}
	if size := got.Bounds().Size(); size != (image.Point{100, 150}) {
		t.Fatalf("%v", size)
	}
	original := mediatest.Plain(300, 200)
	if dark := got.At(97, 2); !isNear(dark, original.At(2, 2)) {
		t.Errorf("the upper right corner is %v, want %v", dark, original.At(2, 2))
	}
}

func TestOnlyStillPicturesThatFitInMemoryAreConvertible(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file []byte
		want bool
	}{
		"png":           {mediatest.PNG(40, 30), true},
		"webp":          {mediatest.WebP(40, 30), true},
		"jpeg":          {mediatest.JPEG(40, 30), false},
		"gif":           {mediatest.GIF(40, 30, 1), false},
		"animated gif":  {mediatest.GIF(40, 30, 2), false},
		"a large png":   {mediatest.BlackPNG(7000, 7000, 2), true},
		"a larger png":  {mediatest.BlackPNG(7200, 7200, 2), false},
		"a large webp":  {mediatest.WebP(4400, 4400), true},
		"a larger webp": {mediatest.WebP(4600, 4600), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if facts := read(t, c.file, ""); facts.Convertible != c.want {
				t.Fatalf("convertible: %v", facts.Convertible)
			}
			_, err := media.ConvertToJPEG(t.Context(), bytes.NewReader(c.file), int64(len(c.file)), core.Conversion{Width: 4, Height: 3, MaxBytes: 1e6})
			if (err == nil) != c.want {
				t.Error(err)
			}
		})
	}
}

// The plan relies on it: whatever the picture shows, its JPEG is small enough.
func TestAConvertedPictureIsNeverTooLarge(t *testing.T) {
	t.Parallel()
	limits := core.FileLimits{Bytes: 60_000, Formats: []string{"image/jpeg"}}
	random := rand.New(rand.NewPCG(1, 2))
	for name, pixel := range map[string]func(x, y int) color.NRGBA{
		"noise": func(int, int) color.NRGBA {
			return color.NRGBA{uint8(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32()), 255}
		},
		"dots":       func(int, int) color.NRGBA { v := uint8(255 * random.IntN(2)); return color.NRGBA{v, v, v, 255} },
		"chessboard": func(x, y int) color.NRGBA { v := uint8(255 * ((x + y) % 2)); return color.NRGBA{v, v, v, 255} },
		"red noise": func(int, int) color.NRGBA {
			return color.NRGBA{uint8(255 * random.IntN(2)), 0, uint8(255 * random.IntN(2)), 255}
		},
	} {
		picture := image.NewNRGBA(image.Rect(0, 0, 600, 600))
		for y := range 600 {
			for x := range 600 {
				picture.SetNRGBA(x, y, pixel(x, y))
			}
		}
		file := encodePNG(t, picture)
		to := limits.ConversionOrNil(read(t, file, "").FileFacts)
		if to == nil {
			t.Fatal("not convertible")
		}
		if made := convert(t, file, *to); int64(len(made)) > limits.Bytes {
			t.Errorf("%s: %d bytes", name, len(made))
		}
	}
}

func TestAPictureOfOneLineIsConverted(t *testing.T) {
	t.Parallel()
	limits := core.FileLimits{Formats: []string{"image/jpeg"}}
	for _, c := range []struct{ width, height, wantWidth, wantHeight int }{
		{20_000, 1, 2560, 1}, {1, 20_000, 1, 2560}, {1, 1, 1, 1}, {3000, 2, 2560, 1},
	} {
		file := mediatest.BlackPNG(c.width, c.height, 2)
		to := limits.ConversionOrNil(read(t, file, "").FileFacts)
		if to == nil {
			t.Fatalf("%+v is not convertible", c)
		}
		got, err := jpeg.Decode(bytes.NewReader(convert(t, file, *to)))
		if err != nil || got.Bounds().Size() != (image.Point{c.wantWidth, c.wantHeight}) {
			t.Errorf("%+v: %v, %v", c, got.Bounds(), err)
		}
	}
}

func TestADamagedPictureIsNotConverted(t *testing.T) {
	t.Parallel()
	file := mediatest.PNG(40, 30)
	file[len(file)-20] ^= 0xff
	_, err := media.ConvertToJPEG(t.Context(), bytes.NewReader(file), int64(len(file)), core.Conversion{Width: 40, Height: 30, MaxBytes: 1e6})
	if _, refused := errors.AsType[*media.Refusal](err); !refused {
		t.Errorf("%v", err)
	}
}

// It runs alone, since it measures: beyond the picture itself, converting takes little.
func TestConvertingTakesLittleMoreMemoryThanDecoding(t *testing.T) { //nolint:paralleltest // see above
	const side = 3000
	file := mediatest.BlackPNG(side, side, 2)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	convert(t, file, core.Conversion{Width: 1440, Height: 1440})
	runtime.ReadMemStats(&after)
	const more = 1440*1440*4 + 4<<20 // the small picture, and buffers
	if took := int64(after.TotalAlloc - before.TotalAlloc); took > 4*side*side+more {
		t.Errorf("%d MiB", took>>20)
	}
}

func BenchmarkConvertA12MegapixelPNG(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	picture := image.NewNRGBA(image.Rect(0, 0, 4000, 3000))
	for y := range 3000 {
		for x := range 4000 {
			picture.SetNRGBA(x, y, color.NRGBA{uint8(x/16) + uint8(random.IntN(8)), uint8(y / 12), uint8((x + y) / 28), 255})
		}
	}
	file := encodePNG(b, picture)
	b.ReportAllocs()
	for b.Loop() {
		made, err := media.ConvertToJPEG(b.Context(), bytes.NewReader(file), int64(len(file)), core.Conversion{Width: 1440, Height: 1080, MaxBytes: 4_000_000})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(made)), "bytes")
	}
}
