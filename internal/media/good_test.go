package media

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// ignorePositions ignores where in a file something is.
var ignorePositions = cmpopts.IgnoreUnexported(Facts{})

const secret = "GPS 46.0 N, by Ann with a Phone"

// exifOf is EXIF with an orientation and something that is nobody's business.
func exifOf(orientation int) []byte {
	tiff := minimalEXIF(orientation)
	return append(tiff, secret...)
}

func checked(name string, content []byte) []byte {
	body := append([]byte(name), content...)
	return slices.Concat(mediatest.Words(len(content)), body, mediatest.Words(int(crc32.ChecksumIEEE(body))))
}

// telling gives a picture of each format with that orientation and every sort of remark in it, and an ICC profile
// called PROFILE where the format has such.
func telling(t *testing.T, orientation int) map[string][]byte {
	t.Helper()
	jpg, png, gif, webp := mediatest.JPEG(64, 32), mediatest.PNG(64, 32), mediatest.GIF(64, 32, 2), mediatest.WebP(64, 32)
	segment := func(mark byte, content string) []byte { return segmentOf(mark, []byte(content)...) }
	flags := []byte{0x2c, 0, 0, 0, 63, 0, 0, 31, 0, 0}
	return map[string][]byte{
		"image/jpeg": slices.Concat(jpg[:2],
			segment(markAPP1, exifName+string(exifOf(orientation))),
			segment(markAPP1, "http://ns.adobe.com/xap/1.0/\x00"+secret),
			segment(markAPP2, "ICC_PROFILE\x00\x01\x01PROFILE"), segment(markAPP2, "MPF\x00"+secret),
			segment(0xed, "Photoshop 3.0\x00"+secret),
			segment(0xfe, secret), jpg[2:], []byte("\xff\xd8\xff\xe1"+secret)),
		"image/png": slices.Concat(png[:33], checked("eXIf", exifOf(orientation)),
			checked("tEXt", []byte("Author\x00"+secret)),
			checked("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+secret)), checked("gAMA", mediatest.Words(45455)),
			png[33:], []byte(secret)),
		"image/gif": slices.Concat(gif[:len(gif)-1], []byte("!\xfe"), []byte{byte(len(secret))}, []byte(secret), []byte{0},
			[]byte("!\xff\x0bXMP DataXMP"), []byte{byte(len(secret))}, []byte(secret), []byte{0, 0x3b}, []byte(secret)),
		"image/webp": append(mediatest.Riff(mediatest.Chunk("VP8X", flags), mediatest.Chunk("ICCP", []byte("PROFILE")),
			webp[12:],
			mediatest.Chunk("EXIF", exifOf(orientation)), mediatest.Chunk("XMP ", []byte(secret)),
			mediatest.Chunk("note", []byte(secret))), secret...),
	}
}

func readWell(t *testing.T, file []byte) Facts {
	t.Helper()
	facts, err := Examine(t.Context(), bytes.NewReader(file), int64(len(file)), DeclaredType{})
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func cleaned(t *testing.T, file []byte, facts Facts) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := StripPrivateMetadata(t.Context(), &out, bytes.NewReader(file), facts); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPicturesAreTurnedAndCleaned(t *testing.T) {
	t.Parallel()
	for orientation := 1; orientation <= 8; orientation++ {
		for mime, file := range telling(t, orientation) {
			t.Run(fmt.Sprint(mime, orientation), func(t *testing.T) {
				t.Parallel()
				facts := readWell(t, file)
				turned, width, height := orientation, 64, 32
				if mime == "image/gif" {
					turned = 1
				}
				if turned >= 5 {
					width, height = height, width
				}
				if facts.Mime != mime || facts.Width != width || facts.Height != height || facts.Orientation != turned ||
					!facts.Private {
					t.Fatalf("read %+v", facts)
				}
				b, err := MakePictureThumbnailOrPlaceholder(t.Context(), bytes.NewReader(file), facts)
				small := decoded(t, b, err)
				if size := small.Bounds().Size(); size != image.Pt(width, height) {
					t.Errorf("a thumbnail of %v", size)
				}
				corner := map[int]image.Point{
					1: {2, 2}, 2: {width - 3, 2}, 3: {width - 3, height - 3}, 4: {2, height - 3},
					5: {2, 2}, 6: {width - 3, 2}, 7: {width - 3, height - 3}, 8: {2, height - 3},
				}[turned]
				if mime != "image/webp" && (!dark(small, corner.X, corner.Y) || dark(small, width/2, height/2)) {
					t.Error("the thumbnail is not turned the right way up")
				}

				clean := cleaned(t, file, facts)
				after := readWell(t, clean)
				facts.Private, facts.Bytes = false, int64(len(clean))
				if diff := cmp.Diff(facts, after, ignorePositions); diff != "" {
					t.Error(diff)
				}
				if bytes.Contains(clean, []byte("Phone")) {
					t.Error("it still tells")
				}
				if bytes.Contains(file, []byte("PROFILE")) != bytes.Contains(clean, []byte("PROFILE")) {
					t.Error("the profile is gone")
				}
				again, err := MakePictureThumbnailOrPlaceholder(t.Context(), bytes.NewReader(clean), after)
				if err != nil || !bytes.Equal(again, b) {
					t.Errorf("the cleaned picture looks otherwise: %v", err)
				}
				if !bytes.Equal(clean, cleaned(t, clean, after)) {
					t.Error("cleaning twice is not cleaning once")
				}
			})
		}
	}
}

func pngOf(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestUncommonPicturesAreRead(t *testing.T) {
	t.Parallel()
	interlaced := mediatest.PNG(1, 1) // of which the first of the seven passes is all
	interlaced = slices.Concat(interlaced[:8], checked("IHDR", append(bytes.Clone(interlaced[16:28]), 1)), interlaced[33:])
	grey := new(bytes.Buffer)
	if err := jpeg.Encode(grey, image.NewGray(image.Rect(0, 0, 30, 20)), nil); err != nil {
		t.Fatal(err)
	}
	frame := slices.Concat(make([]byte, 6), []byte{63, 0, 0, 31, 0, 0, 100, 0, 0, 0}, mediatest.WebP(64, 32)[12:])
	moving := mediatest.Riff(mediatest.Chunk("VP8X", []byte{2, 0, 0, 0, 63, 0, 0, 31, 0, 0}),
		mediatest.Chunk("ANIM", make([]byte, 6)), mediatest.Chunk("ANMF", frame), mediatest.Chunk("ANMF", frame))
	fctl := checked("fcTL", slices.Concat(mediatest.Words(0, 64, 32, 0, 0), mediatest.Halves(1, 10, 0)))
	still := mediatest.PNG(64, 32)
	apng := slices.Concat(still[:33], checked("acTL", mediatest.Words(2, 0)), fctl, fctl, still[33:])
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"16 bits":    {pngOf(t, image.NewNRGBA64(image.Rect(0, 0, 8, 6))), "image/png 8x6 frames 1 0ms bytes 8"},
		"with alpha": {pngOf(t, image.NewNRGBA(image.Rect(0, 0, 8, 6))), "image/png 8x6 frames 1 0ms bytes 4"},
		"grey png":   {pngOf(t, image.NewGray16(image.Rect(0, 0, 8, 6))), "image/png 8x6 frames 1 0ms bytes 8"},
		"palette": {
			pngOf(t, image.NewPaletted(image.Rect(0, 0, 8, 6), color.Palette{color.Black, color.White})),
			"image/png 8x6 frames 1 0ms bytes 1",
		},
		"interlaced":    {interlaced, "image/png 1x1 frames 1 0ms bytes 2"},
		"grey jpeg":     {grey.Bytes(), "image/jpeg 30x20 frames 1 0ms bytes 1"},
		"moving gif":    {mediatest.GIF(64, 32, 200), "image/gif 64x32 frames 200 20000ms bytes 2"},
		"moving webp":   {moving, "image/webp 64x32 frames 2 200ms bytes 12"},
		"moving png":    {apng, "image/png 64x32 frames 2 200ms bytes 1"},
		"large webp":    {mediatest.WebP(10_000, 2000), "image/webp 10000x2000 frames 1 0ms bytes 10"},
		"thin":          {mediatest.WebP(16384, 1), "image/webp 16384x1 frames 1 0ms bytes 10"},
		"card for size": {mediatest.WebP(10_000, 9_000), "image/webp 10000x9000 frames 1 0ms bytes 10"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := readWell(t, c.file)
			got := fmt.Sprintf("%s %dx%d frames %d %dms bytes %v", f.Mime, f.Width, f.Height, f.Frames, f.DurationMs,
				f.PixelBytes)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			b, err := MakePictureThumbnailOrPlaceholder(t.Context(), bytes.NewReader(c.file), f)
			if size := decoded(t, b, err).Bounds().Size(); max(size.X, size.Y) > thumbnailSide {
				t.Errorf("a thumbnail of %v", size)
			}
		})
	}
}

// One photo of a telephone in some 65,536 has EXIF of this length, and was refused as a script.
func TestAPhotoWhoseLengthReadsLikeACommentIsTaken(t *testing.T) {
	t.Parallel()
	plain := mediatest.JPEG(40, 30)
	exif := slices.Concat([]byte(exifName), minimalEXIF(6), make([]byte, 0x2f2a-2-len(exifName)-26))
	photo := slices.Concat(plain[:2], []byte("\xff\xe1/*"), exif, plain[2:])
	facts := readWell(t, photo)
	if facts.Orientation != 6 || !facts.Private {
		t.Fatalf("read %+v", facts)
	}
	if clean := cleaned(t, photo, facts); bytes.Contains(clean[:16], []byte("/*")) {
		t.Errorf("cleaned it begins with %q", clean[:16])
	}
}

// A name decides nothing, as long as it is of the same kind.
func TestANameOfTheSameKindMayLie(t *testing.T) {
	t.Parallel()
	for _, claim := range []DeclaredType{{Name: "a.gif"}, {Name: "a.txt", Mime: "application/pdf"}, {Mime: "image/heic"}, {Name: "a.png", Mime: "video/mp4"}} {
		b := mediatest.JPEG(9, 9)
		facts, err := Examine(t.Context(), bytes.NewReader(b), int64(len(b)), claim)
		if err != nil || facts.Mime != "image/jpeg" {
			t.Errorf("%+v: %+v, %v", claim, facts, err)
		}
	}
}

func TestVideosAreReadAndCleaned(t *testing.T) {
	t.Parallel()
	telemetry := mediatest.Box("trak",
		mediatest.Box("mdia", mediatest.Box("hdlr", mediatest.Words(0, 0), []byte("meta"), mediatest.Words(0, 0, 0))),
		mediatest.Box("udta", []byte(secret)))
	apple := mediatest.Box("meta", mediatest.Box("hdlr", mediatest.Words(0, 0), []byte("mdta"), mediatest.Words(0, 0, 0)),
		mediatest.Box("keys", []byte("com.apple.quicktime.location.ISO6709")), mediatest.Box("ilst", []byte(secret)))
	lavf := mediatest.Box("udta",
		mediatest.Box("meta", mediatest.Words(0), mediatest.Box("hdlr", make([]byte, 24)),
			mediatest.Box("ilst", mediatest.Box("\xa9too", []byte("Lavf")))))
	for name, c := range map[string]struct {
		movie mediatest.Movie
		want  string
	}{
		"plain":      {mediatest.Movie{}, "video/mp4 1080x1920 3000ms 30 h264/ o1 private false"},
		"with sound": {mediatest.Movie{Audio: "mp4a"}, "video/mp4 1080x1920 3000ms 30 h264/aac o1 private false"},
		"opus":       {mediatest.Movie{Audio: "Opus"}, "video/mp4 1080x1920 3000ms 30 h264/Opus o1 private false"},
		"to the right": {
			mediatest.Movie{Width: 1920, Height: 1080, Rotation: 90},
			"video/mp4 1080x1920 3000ms 30 h264/ o6 private false",
		},
		"on its head": {
			mediatest.Movie{Width: 1920, Height: 1080, Rotation: 180},
			"video/mp4 1920x1080 3000ms 30 h264/ o3 private false",
		},
		"to the left": {
			mediatest.Movie{Width: 1920, Height: 1080, Rotation: 270},
			"video/mp4 1080x1920 3000ms 30 h264/ o8 private false",
		},
		"wide pixels": {
			mediatest.Movie{Width: 1440, Height: 1080, Pixel: [2]int{4, 3}},
			"video/mp4 1920x1080 3000ms 30 h264/ o1 private false",
		},
		"mad pixels": {mediatest.Movie{Pixel: [2]int{1, 1000}}, "video/mp4 1080x1920 3000ms 30 h264/ o1 private false"},
		"hevc":       {mediatest.Movie{Codec: "hvc1", FPS: 60}, "video/mp4 1080x1920 3000ms 60 h265/ o1 private false"},
		"vp9":        {mediatest.Movie{Codec: "vp09", FPS: 24}, "video/mp4 1080x1920 3000ms 24 vp9/ o1 private false"},
		"av1":        {mediatest.Movie{Codec: "av01"}, "video/mp4 1080x1920 3000ms 30 av1/ o1 private false"},
		"prores": {
			mediatest.Movie{Codec: "apcn", QuickTime: true},
			"video/quicktime 1080x1920 3000ms 30 apcn/ o1 private false",
		},
		"index last": {
			mediatest.Movie{MoovLast: true, QuickTime: true, Audio: "mp4a"},
			"video/quicktime 1080x1920 3000ms 30 h264/aac o1 private false",
		},
		"fragments": {
			mediatest.Movie{Fragmented: true, Duration: 7 * time.Second},
			"video/mp4 1080x1920 7000ms 30 h264/ o1 private false",
		},
		"filled up":    {mediatest.Movie{Size: 1 << 20}, "video/mp4 1080x1920 3000ms 30 h264/ o1 private false"},
		"long":         {mediatest.Movie{Duration: 2 * time.Hour}, "video/mp4 1080x1920 7200000ms 30 h264/ o1 private false"},
		"place":        {mediatest.Movie{Place: secret}, "video/mp4 1080x1920 3000ms 30 h264/ o1 private true"},
		"measurements": {mediatest.Movie{Extra: telemetry}, "video/mp4 1080x1920 3000ms 30 h264/ o1 private true"},
		"apple's keys": {mediatest.Movie{Extra: apple}, "video/mp4 1080x1920 3000ms 30 h264/ o1 private true"},
		"ffmpeg's":     {mediatest.Movie{Extra: lavf}, "video/mp4 1080x1920 3000ms 30 h264/ o1 private false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := mediatest.MP4(c.movie)
			f := readWell(t, file)
			got := fmt.Sprintf("%s %dx%d %dms %v %s/%s o%d private %t", f.Mime, f.Width, f.Height, f.DurationMs, f.FPS,
				f.VideoCodec, f.AudioCodec, f.Orientation, f.Private)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if f.Kind != core.FileVideo || f.BitRate != int64(len(file))*8000/f.DurationMs {
				t.Errorf("read %+v", f)
			}
			clean := cleaned(t, file, f)
			if len(clean) != len(file) || bytes.Contains(clean, []byte("Phone")) {
				t.Error("it still tells")
			}
			after := readWell(t, clean)
			if f.Private = false; !cmp.Equal(f, after, ignorePositions) {
				t.Error(cmp.Diff(f, after, ignorePositions))
			}
		})
	}
}

// Sound says of itself what its sample description leaves open (14496-3, 1.6.2.1).
func TestSoundIsKnownByItsOwnWords(t *testing.T) {
	t.Parallel()
	own := []byte{0x17, 0x80, 0x5d, 0xc0, 0x10} // 48 kHz, written out, in stereo
	for name, c := range map[string]struct {
		own            []byte
		rate, channels int
	}{
		"stereo":                  {own, 48_000, 2},
		"by index":                {[]byte{0x12, 0x08, 0x00, 0x00, 0x00}, 44_100, 1},
		"5.1":                     {[]byte{0x11, 0xb0, 0x00, 0x00, 0x00}, 48_000, 6},
		"7.1":                     {[]byte{0x11, 0xb8, 0x00, 0x00, 0x00}, 48_000, 8},
		"96 kHz":                  {[]byte{0x10, 0x10, 0x00, 0x00, 0x00}, 96_000, 2},
		"told by half":            {[]byte{0x2b, 0x09, 0x88, 0x00, 0x00}, 48_000, 1},
		"told by half, from mono": {[]byte{0xeb, 0x8a, 0x08, 0x00, 0x00}, 44_100, 1},
		"a kind of many bits":     {[]byte{0xf8, 0x8a, 0x60, 0x00, 0x00}, 32_000, 3},
		"channels told elsewhere": {[]byte{0x12, 0x00, 0x00, 0x00, 0x00}, 44_100, 2},
		"a rate that is none":     {[]byte{0x16, 0x98, 0x00, 0x00, 0x00}, 48_000, 3},
		"broken off":              {[]byte{0x2f, 0x80, 0x2e, 0xe0, 0x37}, 48_000, 2},
	} {
		f := readWell(t, bytes.Replace(mediatest.MP4(mediatest.Movie{Audio: "mp4a"}), own, c.own, 1))
		if f.AudioRate != c.rate || f.AudioChannels != c.channels {
			t.Errorf("%s: %d Hz in %d", name, f.AudioRate, f.AudioChannels)
		}
	}
}

// What is read of a video does not grow with it.
func TestReadingAVideoDoesNotReadIt(t *testing.T) {
	t.Parallel()
	head := mediatest.MP4(mediatest.Movie{Duration: time.Hour})
	head = append(head, mediatest.Words(1)...)
	head = append(append(head, "free"...), mediatest.Words(1, 0)...)
	m := &meter{head: head, size: int64(len(head)) - 16 + 1<<32}
	if _, err := Examine(t.Context(), m, m.size, DeclaredType{}); err != nil {
		t.Fatal(err)
	}
	if m.bytes > 1<<20 || m.reads > 40 {
		t.Errorf("%d bytes of 4 GiB in %d reads", m.bytes, m.reads)
	}
}
