package core_test

import (
	"testing"

	"pgregory.net/rapid"

	"belfry/internal/core"
)

func png(width, height int) core.FileFacts {
	return core.FileFacts{
		Kind: core.FileImage, Mime: "image/png", Bytes: 20_000_000, Width: width, Height: height, Frames: 1, Convertible: true,
	}
}

func TestAnImageIsConvertedOnlyIfItsNetworkRefusesItsFormat(t *testing.T) {
	t.Parallel()
	large, animated := png(100, 100), png(100, 100)
	large.Convertible, animated.Mime, animated.Convertible = false, "image/gif", false
	for name, c := range map[string]struct {
		formats []string
		file    core.FileFacts
		want    bool
	}{
		"a PNG for JPEG only":           {[]string{"image/jpeg"}, png(100, 100), true},
		"a PNG that is accepted":        {[]string{"image/jpeg", "image/png"}, png(100, 100), false},
		"a PNG where all are accepted":  {nil, png(100, 100), false},
		"a PNG where no JPEG is either": {[]string{"image/gif"}, png(100, 100), false},
		"a PNG too large to decode":     {[]string{"image/jpeg"}, large, false},
		"a GIF":                         {[]string{"image/jpeg"}, animated, false},
		"a file that is not examined":   {[]string{"image/jpeg"}, core.FileFacts{Kind: core.FileImage}, false},
		"a JPEG":                        {[]string{"image/jpeg"}, core.FileFacts{Mime: "image/jpeg"}, false},
	} {
		if jpeg := (core.FileLimits{Formats: c.formats}).ConversionOrNil(c.file); (jpeg != nil) != c.want {
			t.Errorf("%s: %v", name, jpeg)
		}
	}
}

func TestAConvertedImageHasTheSizeThatTheNetworkKeeps(t *testing.T) {
	t.Parallel()
	upright := core.FileLimits{MaxWidth: 1920, MaxHeight: 1920, MaxShortSide: 1080}
	feed := core.FileLimits{Bytes: 8_000_000, KeptWidth: 1440, MinRatio: 0.8, MaxRatio: 1.91}
	for name, c := range map[string]struct {
		limits core.FileLimits
		file   core.FileFacts
		want   core.Conversion
	}{
		"a small one stays":              {feed, png(1080, 1350), core.Conversion{Width: 1080, Height: 1350, MaxBytes: 4_000_000}},
		"a wide one":                     {feed, png(4000, 3000), core.Conversion{Width: 1440, Height: 1080, MaxBytes: 4_000_000}},
		"a high one":                     {feed, png(4000, 5000), core.Conversion{Width: 1440, Height: 1800, MaxBytes: 4_000_000}},
		"the widest one":                 {feed, png(1910, 1000), core.Conversion{Width: 1438, Height: 753, MaxBytes: 4_000_000}},
		"one that is too wide":           {feed, png(4000, 1000), core.Conversion{Width: 1440, Height: 360, MaxBytes: 4_000_000}},
		"up to a short side":             {upright, png(3000, 3000), core.Conversion{Width: 1080, Height: 1080, MaxBytes: 4_000_000}},
		"up to a long side":              {upright, png(3840, 2160), core.Conversion{Width: 1920, Height: 1080, MaxBytes: 4_000_000}},
		"without limits":                 {core.FileLimits{}, png(5000, 2500), core.Conversion{Width: 2560, Height: 1280, MaxBytes: 4_000_000}},
		"a line":                         {core.FileLimits{}, png(90_000, 2), core.Conversion{Width: 2560, Height: 1, MaxBytes: 4_000_000}},
		"where a file can have a few kB": {core.FileLimits{Bytes: 100_000}, png(1600, 1600), core.Conversion{Width: 400, Height: 400, MaxBytes: 100_000}},
	} {
		c.limits.Formats = []string{"image/jpeg"}
		got := c.limits.ConversionOrNil(c.file)
		if got == nil || *got != c.want {
			t.Fatalf("%s: %v, want %v", name, got, c.want)
		}
		if read, err := core.ParseConversion(got.String()); err != nil || read != *got {
			t.Errorf("%s: %v is read as %v: %v", name, got, read, err)
		}
	}
}

// What the plan accepts must not become what the network refuses, by rounding.
func TestAConvertedImageKeepsWithinTheLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		side := func(name string) int { return rapid.SampledFrom([]int{0, 720, 1080, 1440, 1920}).Draw(t, name) }
		l := core.FileLimits{
			Formats: []string{"image/jpeg"}, MaxWidth: side("width"), MaxHeight: side("height"), MaxShortSide: side("short"),
			KeptWidth: side("kept"), MinRatio: rapid.SampledFrom([]float64{0, 0.1, 0.8}).Draw(t, "least"),
			MaxRatio: rapid.SampledFrom([]float64{0, 10, 1.91}).Draw(t, "most"),
		}
		file := png(rapid.IntRange(200, 10_000).Draw(t, "w"), rapid.IntRange(200, 10_000).Draw(t, "h"))
		c := l.ConversionOrNil(file)
		within := func(n, limit int) bool { return limit == 0 || n <= limit }
		if !within(c.Width, l.MaxWidth) || !within(c.Height, l.MaxHeight) || !within(min(c.Width, c.Height), l.MaxShortSide) ||
			c.Width > file.Width || c.Height > file.Height {
			t.Fatalf("%+v for %+v", c, l)
		}
		fits := func(width, height int) bool {
			ratio := float64(width) / float64(height)
			return ratio >= l.MinRatio && (l.MaxRatio == 0 || ratio <= l.MaxRatio)
		}
		if fits(file.Width, file.Height) && !fits(c.Width, c.Height) {
			t.Fatalf("%d×%d becomes %d×%d, out of %v to %v", file.Width, file.Height, c.Width, c.Height, l.MinRatio, l.MaxRatio)
		}
		before, after := float64(file.Width)/float64(file.Height), float64(c.Width)/float64(c.Height)
		if low := float64(min(c.Width, c.Height)); after/before > 1+2/low || before/after > 1+2/low {
			t.Fatalf("%d×%d is distorted to %d×%d", file.Width, file.Height, c.Width, c.Height)
		}
	})
}

func TestAForgedConversionIsNotRead(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "x", "1x2", "axbxc", "1x2x3y"} {
		if c, err := core.ParseConversion(s); err == nil {
			t.Errorf("%q: %v", s, c)
		}
	}
}
