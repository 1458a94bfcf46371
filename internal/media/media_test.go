package media_test

import (
	"bytes"
	"image/jpeg"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/media/mediatest"
)

// ignorePositions ignores where in a file something is.
var ignorePositions = cmpopts.IgnoreUnexported(media.Facts{})

func read(t *testing.T, b []byte, name string) media.Facts {
	t.Helper()
	facts, err := media.Examine(t.Context(), bytes.NewReader(b), int64(len(b)), media.DeclaredType{Name: name})
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	return facts
}

func picture(mime string, width, height int) core.FileFacts {
	return core.FileFacts{Kind: core.FileImage, Mime: mime, Width: width, Height: height}
}

func TestReadTellsPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file []byte
		want media.Facts
	}{
		"a.jpg":  {mediatest.JPEG(640, 480), media.Facts{FileFacts: picture("image/jpeg", 640, 480)}},
		"a.png":  {mediatest.PNG(31, 47), media.Facts{FileFacts: picture("image/png", 31, 47)}},
		"a.gif":  {mediatest.GIF(20, 10, 1), media.Facts{FileFacts: picture("image/gif", 20, 10)}},
		"a.webp": {mediatest.WebP(1000, 500), media.Facts{FileFacts: picture("image/webp", 1000, 500)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := read(t, c.file, name)
			c.want.Convertible = name == "a.png" || name == "a.webp"
			c.want.Bytes, c.want.Frames, c.want.Orientation, c.want.PixelBytes = int64(len(c.file)), 1, 1, facts.PixelBytes
			if diff := cmp.Diff(c.want, facts, ignorePositions); diff != "" {
				t.Error(diff)
			}
			small, err := media.MakePictureThumbnailOrPlaceholder(t.Context(), bytes.NewReader(c.file), facts)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := jpeg.DecodeConfig(bytes.NewReader(small)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReadTellsVideos(t *testing.T) {
	t.Parallel()
	b := mediatest.MP4(mediatest.Movie{
		Width: 1920, Height: 1080, Rotation: 90, Audio: "mp4a", Duration: 5 * time.Second,
		Place: "+46.0-7.0/",
	})
	facts := read(t, b, "a.mp4")
	want := media.Facts{
		FileFacts: core.FileFacts{
			Kind: core.FileVideo, Mime: "video/mp4", Bytes: int64(len(b)), Width: 1080, Height: 1920, DurationMs: 5000,
			FPS: 30, VideoCodec: core.CodecH264, AudioCodec: core.CodecAAC, AudioRate: 48_000, AudioChannels: 2,
			BitRate: int64(len(b)) * 8 / 5,
		},
		Orientation: 6, Private: true,
	}
	if diff := cmp.Diff(want, facts, ignorePositions); diff != "" {
		t.Error(diff)
	}
	poster, err := media.MakeVideoThumbnailOrPlaceholder(t.Context(), bytes.NewReader(b), facts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jpeg.DecodeConfig(bytes.NewReader(poster)); err != nil {
		t.Error(err)
	}
	var clean bytes.Buffer
	if err := media.StripPrivateMetadata(t.Context(), &clean, bytes.NewReader(b), facts); err != nil {
		t.Fatal(err)
	}
	want.Private = false
	if diff := cmp.Diff(want, read(t, clean.Bytes(), "a.mp4"), ignorePositions); diff != "" {
		t.Error(diff)
	}
	if bytes.Contains(clean.Bytes(), []byte("+46.0")) {
		t.Error("the place is still there")
	}
}
