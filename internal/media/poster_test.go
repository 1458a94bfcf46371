package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// filmed is a video whose pictures any ffmpeg decodes, with a dark corner at its upper left before it is turned.
func filmed(t *testing.T, m mediatest.Movie) ([]byte, Facts) {
	t.Helper()
	m.Codec, m.Width, m.Height, m.FPS = "jpeg", 320, 160, 2
	file := mediatest.MP4(m)
	facts, err := Examine(t.Context(), bytes.NewReader(file), int64(len(file)), DeclaredType{})
	if err != nil {
		t.Fatal(err)
	}
	return file, facts
}

func decoded(t *testing.T, b []byte, err error) image.Image {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func dark(picture image.Image, x, y int) bool {
	r, g, b, _ := picture.At(x, y).RGBA()
	return (r+g+b)/3 < 0x4000
}

// standIn is a program that is found as ffmpeg.
func standIn(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ffmpeg")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// Not parallel, like the next: the PATH is everybody's.
func TestPosterIsACardWithoutFFmpeg(t *testing.T) { //nolint:paralleltest // see above
	t.Setenv("PATH", t.TempDir())
	file, facts := filmed(t, mediatest.Movie{Rotation: 90})
	card, err := MakeVideoThumbnailOrPlaceholder(t.Context(), bytes.NewReader(file), facts)
	picture := decoded(t, card, err)
	if size := picture.Bounds().Size(); size != image.Pt(240, 480) {
		t.Errorf("a placeholder of %v", size)
	}
	if dark(picture, 120, 240) || !dark(picture, 5, 5) || !dark(picture, 120, 60) {
		t.Error("there is no triangle in the middle")
	}
}

func TestPosterFindsFFmpegOnThePath(t *testing.T) {
	still := filepath.Join(t.TempDir(), "still.jpg")
	if err := os.WriteFile(still, mediatest.JPEG(320, 160), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(standIn(t, `case "$*" in
*" -protocol_whitelist file "*" -f mov -i /"*"/excerpt.mov "*) exec /bin/cat `+still+`;;
esac
exit 1
`)))
	file, facts := filmed(t, mediatest.Movie{Rotation: 90})
	poster, err := MakeVideoThumbnailOrPlaceholder(t.Context(), bytes.NewReader(file), facts)
	picture := decoded(t, poster, err)
	if size := picture.Bounds().Size(); size != image.Pt(160, 320) {
		t.Errorf("a poster of %v", size)
	}
	if !dark(picture, 155, 5) || dark(picture, 5, 5) {
		t.Error("the poster is not turned as the video is")
	}
}

func TestFFmpegIsAskedInOneWay(t *testing.T) {
	t.Parallel()
	file, facts := filmed(t, mediatest.Movie{Rotation: 90})
	out, err := runFFmpeg(t.Context(), standIn(t, `echo "$@"; echo "$LC_ALL $HOME"`), ffmpegFirstFrameArguments("/in/excerpt.mov", facts), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want := "-nostdin -hide_banner -loglevel error -threads 1 -max_alloc 536870912 -protocol_whitelist file -noautorotate -f mov -i /in/excerpt.mov " +
		"-map 0:v:0 -frames:v 1 -an -sn -dn -vf scale=320:160 -pix_fmt yuvj420p -protocol_whitelist pipe -c:v mjpeg -q:v 4 -f image2pipe pipe:1\nC \n"
	if out.String() != want {
		t.Errorf("asked:\n%swant:\n%s", out, want)
	}
	// What it is given says the same as the file, and is whole.
	excerpt, err := newFile(t.Context(), bytes.NewReader(file), facts.Bytes).extractKeyframeAsMovie(facts)
	if err != nil {
		t.Fatal(err)
	}
	single, err := Examine(t.Context(), bytes.NewReader(excerpt), int64(len(excerpt)), DeclaredType{})
	if err != nil || single.VideoCodec != "jpeg" || single.Width != 320 || single.DurationMs != 1000 {
		t.Errorf("the excerpt is %+v, %v", single, err)
	}
	if !bytes.HasSuffix(excerpt, mediatest.JPEG(320, 160)) {
		t.Error("the excerpt has another picture")
	}
}

func TestPosterIsACardWhenFFmpegFails(t *testing.T) {
	t.Parallel()
	file, facts := filmed(t, mediatest.Movie{})
	for name, lines := range map[string]string{
		"fails": "exit 1", "says nothing": "exit 0", "talks": "echo hello", "floods": "exec /bin/cat /dev/zero",
		"writes": "exec /bin/dd if=/dev/zero of=big count=1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			card, err := makeFFmpegThumbnailOrPlaceholder(t.Context(), standIn(t, lines), bytes.NewReader(file), facts)
			if took := time.Since(begun); took > posterTime/2 {
				t.Errorf("%v passed until it was ended", took)
			}
			if size := decoded(t, card, err).Bounds().Size(); size != image.Pt(480, 240) {
				t.Errorf("no card, but a picture of %v", size)
			}
		})
	}
}

func TestPosterEndsWithItsContext(t *testing.T) {
	t.Parallel()
	file, facts := filmed(t, mediatest.Movie{})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	_, err := makeFFmpegThumbnailOrPlaceholder(ctx, standIn(t, "exec /bin/sleep 60"), bytes.NewReader(file), facts)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 10*time.Second {
		t.Errorf("ended with %v after %v", err, time.Since(begun))
	}
}

// With an ffmpeg this is the real thing; without, the tests above say what would be asked of it.
func TestPosterByFFmpegItself(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("ffmpeg")
	installed := err == nil
	for name, m := range map[string]mediatest.Movie{
		"upright": {}, "turned right": {Rotation: 90}, "on its head": {Rotation: 180}, "turned left": {Rotation: 270},
		"index last": {MoovLast: true, QuickTime: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, facts := filmed(t, m)
			b, err := MakeVideoThumbnailOrPlaceholder(t.Context(), bytes.NewReader(file), facts)
			picture := decoded(t, b, err)
			if !installed {
				return
			}
			size := picture.Bounds().Size()
			corner := map[int]image.Point{0: {5, 5}, 90: {155, 5}, 180: {315, 155}, 270: {5, 315}}[m.Rotation]
			if size.X*size.Y != 320*160 || !dark(picture, corner.X, corner.Y) || dark(picture, size.X/2, size.Y/2) {
				t.Errorf("the picture of %v has its dark corner elsewhere", size)
			}
		})
	}
}
