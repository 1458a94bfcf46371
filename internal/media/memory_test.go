package media_test

import (
	"bytes"
	"image"
	"image/png"
	"runtime"
	"testing"

	"belfry/internal/media"
)

// Large pictures come one after the other: what decoding one took must not lie about until the collector
// finds the time, or a handful of small files fills the machine. It runs alone, since it measures.
func TestADecodedPictureGivesItsMemoryBack(t *testing.T) { //nolint:paralleltest // see above
	const side = 4000
	var to bytes.Buffer
	if err := png.Encode(&to, image.NewNRGBA(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	file := to.Bytes()
	facts, err := media.Read(t.Context(), bytes.NewReader(file), int64(len(file)), media.Claim{Name: "large.png", Mime: "image/png"})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := media.Thumbnail(t.Context(), bytes.NewReader(file), facts); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > side*side {
		t.Errorf("%d MiB lie about after a picture of %d bytes", kept>>20, len(file))
	}
}
