package media_test

import (
	"bytes"
	"image"
	"image/png"
	"runtime"
	"testing"

	"belfry/internal/media"
	"belfry/internal/media/mediatest"
)

// Large pictures come one after the other: what decoding one took must not lie about until the collector
// finds the time, or a handful of small files fills the machine. It runs alone, since it measures.
func TestADecodedPictureGivesItsMemoryBack(t *testing.T) { //nolint:paralleltest // see above
	const side = 4000
	file := encodePNG(t, image.NewNRGBA(image.Rect(0, 0, side, side)))
	facts, err := media.Examine(t.Context(), bytes.NewReader(file), int64(len(file)), media.DeclaredType{Name: "large.png", Mime: "image/png"})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := media.MakePictureThumbnailOrPlaceholder(t.Context(), bytes.NewReader(file), facts); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > side*side {
		t.Errorf("%d MiB lie about after a picture of %d bytes", kept>>20, len(file))
	}
}

// What a decoder takes must not be more than is counted on, or a large picture takes the program over its bound. It
// runs alone, since it measures.
func TestTheMemoryOfDecodingIsNotUnderestimated(t *testing.T) { //nolint:paralleltest // see above
	const side = 512
	area := image.Rect(0, 0, side, side)
	for name, file := range map[string][]byte{
		"grey":     encodePNG(t, image.NewGray(area)),
		"grey, 16": encodePNG(t, image.NewGray16(area)),
		"colour":   mediatest.BlackPNG(side, side, 2),
		"alpha":    encodePNG(t, image.NewNRGBA(area)),
		"16 bits":  encodePNG(t, image.NewNRGBA64(area)),
		"palette":  mediatest.PNG(side, side),
		"gif":      mediatest.GIF(side, side, 1),
		"jpeg":     mediatest.JPEG(side, side),
		"webp":     mediatest.WebP(side, side),
	} {
		facts := read(t, file, "")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := media.MakePictureThumbnailOrPlaceholder(t.Context(), bytes.NewReader(file), facts); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		const small = 5 << 18 // buffers, and the thumbnail: little, so that a byte too few for a pixel shows
		if took := int64(after.TotalAlloc - before.TotalAlloc); took > int64(facts.PixelBytes*side*side)+small {
			t.Errorf("%s takes %.1f bytes a pixel, and %.1f are counted on", name, float64(took)/(side*side), facts.PixelBytes)
		}
	}
}

// The decoder keeps two rows beside the picture. A picture of one row took three times as much memory as others. It runs
// alone, since it measures.
func TestAPictureOfOneLongRowTakesLittleMemory(t *testing.T) { //nolint:paralleltest // see above
	file := mediatest.BlackPNG(48_000_000, 1, 6)
	facts := read(t, file, "")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := media.MakePictureThumbnailOrPlaceholder(t.Context(), bytes.NewReader(file), facts); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := int64(after.TotalAlloc - before.TotalAlloc); took > 192<<20 || facts.Convertible {
		t.Errorf("the thumbnail took %d MiB; it can be converted: %v", took>>20, facts.Convertible)
	}
}

func encodePNG(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var to bytes.Buffer
	if err := png.Encode(&to, picture); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}
