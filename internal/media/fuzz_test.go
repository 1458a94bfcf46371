package media

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belfry/internal/media/mediatest"
)

// examine holds a file to what the package promises: it is refused with a sentence or read within bounds; what
// was read has a size and a small picture or a reason for none; and its cleaned copy is the same but tells nothing.
func examine(t *testing.T, file []byte) {
	t.Helper()
	r := &meter{head: file, size: int64(len(file))}
	facts, err := Examine(t.Context(), r, r.size, DeclaredType{})
	switch {
	case r.most > windowSize:
		t.Fatalf("%d bytes at a time", r.most)
	case isRefusal(err):
		return
	case err != nil:
		t.Fatal(err)
	case facts.Width <= 0 || facts.Height <= 0 || facts.Width*facts.Height > maxPixels || facts.Orientation < 1 ||
		facts.Orientation > 8 || facts.DurationMs < 0:
		t.Fatalf("read %+v", facts)
	}
	if facts.decodingMemoryBytes() < 8<<20 && facts.Frames > 0 {
		if _, err := MakePictureThumbnailOrPlaceholder(t.Context(), r, facts); err != nil && !isRefusal(err) {
			t.Fatal(err)
		}
	}
	var clean bytes.Buffer
	if err := StripPrivateMetadata(t.Context(), &clean, r, facts); err != nil {
		t.Fatalf("clean: %v", err)
	}
	after, err := Examine(t.Context(), bytes.NewReader(clean.Bytes()), int64(clean.Len()), DeclaredType{})
	if err != nil {
		t.Fatalf("the cleaned copy: %v", err)
	}
	after.Bytes, after.BitRate, facts.Private = facts.Bytes, facts.BitRate, false
	if diff := cmp.Diff(facts, after, ignorePositions); diff != "" {
		t.Fatal(diff)
	}
}

func FuzzImage(f *testing.F) {
	for _, seed := range [][]byte{mediatest.JPEG(16, 9), mediatest.PNG(16, 9), mediatest.GIF(16, 9, 2), mediatest.WebP(16, 9)} {
		f.Add(seed)
	}
	for _, family := range []map[string]hostile{badJPEGs(), badPNGs(), badGIFs(), badWebPs(), pretenders()} {
		for _, h := range family {
			if len(h.bytes) < 4096 {
				f.Add(h.bytes)
			}
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if taken, ok, err := recognizeFormat(file[:min(len(file), sniffLength)]); ok && err == nil && taken.kind == "image" {
			examine(t, file)
		}
	})
}

func FuzzMP4(f *testing.F) {
	for _, m := range []mediatest.Movie{{}, {Audio: "mp4a", MoovLast: true, QuickTime: true, Place: "+1-1/"}, {Fragmented: true}, {Codec: "hvc1"}, {Codec: "jpeg", Width: 16, Height: 9, FPS: 1}} {
		f.Add(mediatest.MP4(m))
	}
	for _, h := range badMP4s() {
		if len(h.bytes) < 4096 {
			f.Add(h.bytes)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if taken, ok, err := recognizeFormat(file[:min(len(file), sniffLength)]); !ok || err != nil || taken.kind != "video" {
			return
		}
		examine(t, file)
		facts := Facts{Orientation: 1}
		facts.Bytes = int64(len(file))
		if excerpt, err := newFile(t.Context(), bytes.NewReader(file), facts.Bytes).extractKeyframeAsMovie(facts); err == nil &&
			len(excerpt) > len(file)+4096 {
			t.Fatalf("an excerpt of %d bytes", len(excerpt))
		}
	})
}
