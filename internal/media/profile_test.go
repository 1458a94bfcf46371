package media

import (
	"bytes"
	"compress/zlib"
	"image/jpeg"
	"os"
	"slices"
	"testing"

	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// profileOf returns bytes of the given length that look like a color profile for colors of the given space.
func profileOf(space string, length int) []byte {
	profile := make([]byte, length)
	for i := range profile {
		profile[i] = byte(i * i >> 3)
	}
	copy(profile, mediatest.Words(length))
	copy(profile[12:], "mntr"+space+"XYZ ")
	copy(profile[36:], "acsp")
	return profile
}

func deflate(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func pngWithICCP(iccp []byte) []byte {
	plain := mediatest.PNG(60, 40)
	return slices.Concat(plain[:33], checked("iCCP", iccp), plain[33:])
}

func pngWithProfile(t *testing.T, profile []byte) []byte {
	t.Helper()
	return pngWithICCP(append([]byte("Display P3\x00\x00"), deflate(t, profile)...))
}

func webpWithProfile(profile []byte) []byte {
	return mediatest.Riff(mediatest.Chunk("VP8X", []byte{0x20, 0, 0, 0, 59, 0, 0, 39, 0, 0}),
		mediatest.Chunk("ICCP", profile), mediatest.WebP(60, 40)[12:])
}

// profileIn returns the color profile of a JPEG that has one in one part, or none.
func profileIn(t *testing.T, file []byte) (profile []byte) {
	t.Helper()
	if _, err := jpeg.Decode(bytes.NewReader(file)); err != nil {
		t.Fatalf("not a JPEG: %v", err)
	}
	f := newFile(t.Context(), bytes.NewReader(file), int64(len(file)))
	if err := f.readAndRecoverAbort(func(r *abortingReader) {
		r.visitJPEGSegments(func(s jpegSegment) {
			if s.mark == markAPP2 {
				profile = file[s.at+18 : s.at+s.length]
			}
		})
	}); err != nil {
		t.Fatal(err)
	}
	return profile
}

// makeBoth returns the JPEG that is sent in place of a picture of 60 by 40 pixels, and its thumbnail.
func makeBoth(t *testing.T, file []byte) (sent, thumbnail []byte) {
	t.Helper()
	r := bytes.NewReader(file)
	facts, err := Examine(t.Context(), r, r.Size(), DeclaredType{})
	if err != nil {
		t.Fatal(err)
	}
	if thumbnail, err = MakePictureThumbnailOrPlaceholder(t.Context(), r, facts); err != nil {
		t.Fatal(err)
	}
	if !facts.Convertible {
		return nil, thumbnail
	}
	sent, err = ConvertToJPEG(t.Context(), r, r.Size(), core.Conversion{Width: 60, Height: 40, MaxBytes: 100_000})
	if err != nil || len(sent) > 100_000 {
		t.Fatalf("%d bytes, %v", len(sent), err)
	}
	return sent, thumbnail
}

// Phones store pictures in Display P3. Without its profile, their colors looked dull.
func TestAConvertedPictureKeepsItsColorProfile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		profile         []byte
		sent, thumbnail bool
	}{
		"of a phone":                 {profileOf("RGB ", 548), true, true},
		"the largest in a thumbnail": {profileOf("RGB ", 4096), true, true},
		"larger":                     {profileOf("RGB ", 4097), true, false},
		"the largest":                {profileOf("RGB ", 65_519), true, false},
		"too large":                  {profileOf("RGB ", 65_520), false, false},
		"a bomb":                     {make([]byte, 16<<20), false, false},
		"for gray":                   {profileOf("GRAY", 548), false, false},
		"for print":                  {profileOf("CMYK", 548), false, false},
		"only a header":              {profileOf("RGB ", 128), false, false},
		"no profile":                 {bytes.Repeat([]byte("x"), 548), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string][]byte{"png": pngWithProfile(t, c.profile)}
			if len(c.profile) <= 1<<20 {
				files["webp"] = webpWithProfile(c.profile)
			}
			for format, file := range files {
				sent, thumbnail := makeBoth(t, file)
				for what, made := range map[string]struct {
					file []byte
					has  bool
				}{"sent": {sent, c.sent}, "thumbnail": {thumbnail, c.thumbnail}} {
					want := c.profile
					if !made.has {
						want = nil
					}
					if got := profileIn(t, made.file); !bytes.Equal(got, want) {
						t.Errorf("%s of a %s: a profile of %d bytes; want %d", what, format, len(got), len(want))
					}
				}
			}
		})
	}
}

func TestADamagedColorProfileIsDropped(t *testing.T) {
	t.Parallel()
	whole := deflate(t, profileOf("RGB ", 548))
	for name, iccp := range map[string][]byte{
		"no name":           {},
		"name without end":  []byte("Display P3"),
		"a very long name":  bytes.Repeat([]byte("x"), 200),
		"nothing after it":  []byte("Display P3\x00"),
		"no bytes":          []byte("Display P3\x00\x00"),
		"not compressed":    append([]byte("Display P3\x00\x00"), profileOf("RGB ", 548)...),
		"the end missing":   append([]byte("Display P3\x00\x00"), whole[:len(whole)/2]...),
		"the sum is wrong":  append([]byte("Display P3\x00\x00"), append(bytes.Clone(whole[:len(whole)-1]), 1)...),
		"only a zero":       {0},
		"a one-letter name": {'x', 0},
	} {
		sent, thumbnail := makeBoth(t, pngWithICCP(iccp))
		if len(profileIn(t, sent)) > 0 || len(profileIn(t, thumbnail)) > 0 {
			t.Errorf("%s: there is a profile", name)
		}
	}
}

func TestTheThumbnailOfAJPEGKeepsItsColorProfile(t *testing.T) {
	t.Parallel()
	profile := profileOf("RGB ", 548)
	file := addColorProfileIfAny(mediatest.JPEG(60, 40), profile)
	if _, thumbnail := makeBoth(t, file); !bytes.Equal(profileIn(t, thumbnail), profile) {
		t.Error("it has lost its profile")
	}
	inParts := bytes.Replace(file, []byte(profileName+"\x01\x01"), []byte(profileName+"\x01\x02"), 1)
	if _, thumbnail := makeBoth(t, inParts); profileIn(t, thumbnail) != nil {
		t.Error("it has a part of a profile")
	}
}

// The size of a JPEG is promised before it is made, also if its profile leaves little room.
func TestAColorProfileDoesNotMakeAJPEGTooLarge(t *testing.T) {
	t.Parallel()
	file := pngWithProfile(t, profileOf("RGB ", 60_000))
	for _, most := range []int64{2000, 60_000, 61_000, 70_000} {
		made, err := ConvertToJPEG(t.Context(), bytes.NewReader(file), int64(len(file)),
			core.Conversion{Width: 60, Height: 40, MaxBytes: most})
		if err != nil || int64(len(made)) > most {
			t.Errorf("at most %d: %d bytes, %v", most, len(made), err)
		}
	}
}

func TestAnAnimatedWebPWithOneFrameIsAStillPicture(t *testing.T) {
	t.Parallel()
	frame := func(x, width, height byte) []byte {
		return mediatest.Chunk("ANMF", slices.Concat([]byte{x, 0, 0, 0, 0, 0, width - 1, 0, 0, height - 1, 0, 0, 100, 0, 0, 0},
			mediatest.WebP(int(width), int(height))[12:]))
	}
	animated := func(frames ...[]byte) []byte {
		return mediatest.Riff(slices.Concat([][]byte{
			mediatest.Chunk("VP8X", []byte{2, 0, 0, 0, 59, 0, 0, 39, 0, 0}), mediatest.Chunk("ANIM", make([]byte, 6)),
		}, frames)...)
	}
	sent, thumbnail := makeBoth(t, animated(frame(0, 60, 40)))
	plainSent, plainThumbnail := makeBoth(t, mediatest.WebP(60, 40))
	if sent == nil || !bytes.Equal(sent, plainSent) || !bytes.Equal(thumbnail, plainThumbnail) {
		t.Error("it looks different from the same picture without animation")
	}
	for name, file := range map[string][]byte{
		"two frames":            animated(frame(0, 60, 40), frame(0, 60, 40)),
		"a frame in the corner": animated(frame(5, 50, 40)),
	} {
		if sent, _ := makeBoth(t, file); sent != nil {
			t.Errorf("%s: it is converted", name)
		}
	}
}

// Some programs declare transparency that the picture does not have, or leave out the declaration. The decoder refuses
// both, and the files counted as damaged.
func TestTheHeaderOfAWebPMayBeWrongAboutTransparency(t *testing.T) {
	t.Parallel()
	lossy, err := os.ReadFile("testdata/stripes.webp")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Examine(t.Context(), bytes.NewReader(lossy), int64(len(lossy)), DeclaredType{})
	if err != nil {
		t.Fatal(err)
	}
	picture := lossy[bytes.Index(lossy, []byte("VP8 ")):]
	header := func(flags byte) []byte {
		w, h := plain.Width-1, plain.Height-1
		return mediatest.Chunk("VP8X", []byte{flags, 0, 0, 0, byte(w), byte(w >> 8), 0, byte(h), byte(h >> 8), 0})
	}
	transparent := mediatest.Chunk("ALPH", make([]byte, 1+plain.Width*plain.Height))
	for name, c := range map[string]struct {
		file  []byte
		white bool
	}{
		"declared, not there": {mediatest.Riff(header(0x10), picture), false},
		"there, not declared": {mediatest.Riff(header(0), transparent, picture), true},
		"declared and there":  {mediatest.Riff(header(0x10), transparent, picture), true},
	} {
		made, err := ConvertToJPEG(t.Context(), bytes.NewReader(c.file), int64(len(c.file)),
			core.Conversion{Width: plain.Width, Height: plain.Height, MaxBytes: 1_000_000})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		shown, err := jpeg.Decode(bytes.NewReader(made))
		if err != nil {
			t.Fatal(err)
		}
		if r, _, _, _ := shown.At(1, 1).RGBA(); (r > 0xf000) != c.white {
			t.Errorf("%s: the black stripe has %x of red", name, r)
		}
	}
}

func TestAConvertedWebPIsUpright(t *testing.T) {
	t.Parallel()
	still := mediatest.WebP(60, 40)[12:]
	file := mediatest.Riff(mediatest.Chunk("VP8X", []byte{8, 0, 0, 0, 59, 0, 0, 39, 0, 0}), still,
		mediatest.Chunk("EXIF", minimalEXIF(6)))
	facts, err := Examine(t.Context(), bytes.NewReader(file), int64(len(file)), DeclaredType{})
	if err != nil || !facts.Convertible || facts.Width != 40 || facts.Height != 60 {
		t.Fatalf("%+v, %v", facts, err)
	}
	made, err := ConvertToJPEG(t.Context(), bytes.NewReader(file), int64(len(file)),
		core.Conversion{Width: 40, Height: 60, MaxBytes: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	if size, err := jpeg.DecodeConfig(bytes.NewReader(made)); err != nil || size.Width != 40 || size.Height != 60 {
		t.Errorf("%+v, %v", size, err)
	}
}
