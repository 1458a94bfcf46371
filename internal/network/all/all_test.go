package all_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/all"
	"belfry/internal/network/networktest"
)

// Spec §1.5.
func TestNetworksOfTheSpecificationAreKnown(t *testing.T) {
	t.Parallel()
	var ids []core.Platform
	for _, r := range known(t).Rules() {
		ids = append(ids, r.Describe().ID)
	}
	want := []core.Platform{"youtube", "instagram", "facebook", "threads", "tiktok"}
	if len(ids) < len(want) || !slices.Equal(ids[:len(want)], want) {
		t.Errorf("want %v and perhaps more, got %v", want, ids)
	}
}

func known(t *testing.T) *network.Set {
	t.Helper()
	defaults := map[string]string{}
	for _, d := range all.Drivers() {
		for _, v := range d.Variables {
			defaults[v.Name] = v.Default
		}
	}
	set, err := network.NewSet(all.Drivers(), network.Environment{
		Client: network.NewClient(network.ClientConfig{}), Get: func(name string) string { return defaults[name] },
		Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// printed holds a network's limits as a client reads them from GET /limits.
func printed(t *testing.T, d network.Description) contract.NetworkLimits {
	t.Helper()
	answer, err := json.Marshal(contract.LimitsOf(d.Limits))
	if err != nil {
		t.Fatal(err)
	}
	var l contract.NetworkLimits
	if err := json.Unmarshal(answer, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// The longest text that a network takes is no absurd length, whatever it is written in.
func TestTheLongestTextsMayBeSent(t *testing.T) {
	t.Parallel()
	widest := map[core.Unit]string{core.UnitBytes: "a", core.UnitUTF16: "鐘", core.UnitCharacters: "🔔"}
	for _, r := range known(t).Rules() {
		d := r.Describe()
		text, title := strings.Repeat(widest[d.Limits.Text.Unit], d.Limits.Text.Max), ""
		if limit := d.Limits.Title; limit != nil {
			title = strings.Repeat(widest[limit.Unit], limit.Max)
		}
		var tags []string
		if limit := d.Limits.Tags; limit != nil {
			tags = []string{strings.Repeat(widest[limit.Unit], limit.Max)}
		}
		if err := core.CheckContent("", text, title, tags); err != nil {
			t.Errorf("%s: a text of %d bytes, a title of %d and the tag %.10v: %v", d.ID, len(text), len(title), tags, err)
		}
	}
}

// TestThePrintedLimitsAreTheCheckedOnes draws files at and around every printed bound, and asks a client that
// knows the printed figures only whether it agrees with the check.
func TestThePrintedLimitsAreTheCheckedOnes(t *testing.T) {
	t.Parallel()
	for _, r := range known(t).Rules() {
		for name, kind := range printed(t, r.Describe()).ContentTypes {
			if kind.Max == 0 {
				continue
			}
			t.Run(string(r.Describe().ID)+" "+name, func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(rt *rapid.T) { agree(rt, r, name, kind) })
			})
		}
	}
}

func agree(t *rapid.T, r network.Rules, name string, kind contract.ContentTypeLimit) {
	d := network.Draft{Title: "Title", Media: drawFiles(t, kind)}
	d.Settings = settingsFor(t, r, name, d.Media)
	var want []string
	for _, m := range d.Media {
		want = append(want, judged(*limitOf(kind, m.Kind), m)...)
	}
	issues, _ := r.CheckDraft(d)
	var got []string
	for _, i := range issues {
		got = append(got, string(i.Code))
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(want, got) {
		t.Fatalf("by the printed figures %v, by the check %v: %+v", want, got, d.Media)
	}
}

// settingsFor asks for the content type where there is a setting for it, and for the use of the images.
func settingsFor(t *rapid.T, r network.Rules, kind string, media []core.Media) json.RawMessage {
	block := map[string]any{}
	for _, f := range r.Describe().Fields {
		switch {
		case f.Name == "contentType" &&
			slices.ContainsFunc(f.Choices, func(c network.Choice) bool { return c.Value == kind }):
			block[f.Name] = kind
		case f.Name == "useCoverAsThumbnail":
			block[f.Name] = network.CountFiles(media, core.FileImage) > 0
		}
	}
	raw, err := json.Marshal(block)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// drawFiles draws as many files as the content type allows, of the kinds that it allows.
func drawFiles(t *rapid.T, kind contract.ContentTypeLimit) []core.Media {
	var media []core.Media
	for range rapid.IntRange(kind.Min, min(kind.Max, kind.Min+3)).Draw(t, "files") {
		var of core.FileKind
		switch {
		case kind.Image == nil || (len(media) == 0 && kind.Video != nil && kind.Video.Count != nil):
			of = core.FileVideo // of which there must be one
		case kind.Video == nil || kind.Video.Count != nil:
			of = core.FileImage
		default:
			of = rapid.SampledFrom([]core.FileKind{core.FileImage, core.FileVideo}).Draw(t, "kind")
		}
		media = append(media, drawFile(t, *limitOf(kind, of), of))
	}
	return media
}

func limitOf(kind contract.ContentTypeLimit, of core.FileKind) *contract.FileLimit {
	if of == core.FileVideo {
		return kind.Video
	}
	return kind.Image
}

func drawFile(t *rapid.T, l contract.FileLimit, of core.FileKind) core.Media {
	m := networktest.Image()
	if of == core.FileVideo {
		m = networktest.Video()
		m.VideoCodec = core.Codec(oneOf(t, "pictures", append(l.VideoCodecs, "theora")))
		m.AudioCodec = core.Codec(oneOf(t, "sound", append(l.AudioCodecs, "", "mp3")))
		m.FPS = around(t, "fps", 1, l.FrameRate.Min, l.FrameRate.Max)
		m.DurationMs = around(t, "length", 1, l.Duration.MinMs, l.Duration.MaxMs)
		m.AudioRate = around(t, "sound's rate", 1, l.AudioRate)
		m.AudioChannels = around(t, "channels", 1, l.Channels)
		m.BitRate = around(t, "density", 1, l.BitRate)
	}
	m.Mime = oneOf(t, "format", append(l.Formats, "image/x-own", "video/x-own"))
	m.Bytes = around(t, "bytes", 1, l.Bytes)
	p := l.Pixels
	m.Width = around(t, "width", 1, p.MinWidth, p.MaxWidth, p.MaxShortSide)
	m.Height = around(t, "height", 1, p.MinHeight, p.MaxHeight, p.MaxShortSide)
	if ratio := rapid.SampledFrom([]*float64{nil, l.Ratio.Min, l.Ratio.Max}).Draw(t, "ratio"); ratio != nil {
		m.Height = max(1, int(float64(m.Width) / *ratio)+rapid.IntRange(-1, 1).Draw(t, "off"))
	}
	return m
}

func oneOf(t *rapid.T, what string, list []string) string {
	return rapid.SampledFrom(list).Draw(t, what)
}

// around draws a number at one of the bounds, a step beside it, or somewhere ordinary.
func around[N int | int64 | float64](t *rapid.T, what string, step N, bounds ...*N) N {
	numbers := []N{30, 1080, 5000}
	for _, b := range bounds {
		if b != nil {
			numbers = append(numbers, max(*b-step, 1), *b, *b+step)
		}
	}
	return rapid.SampledFrom(numbers).Draw(t, what)
}

// judged returns the codes of the printed limits that a file exceeds.
func judged(l contract.FileLimit, m core.Media) []string {
	var codes []string
	add := func(wrong bool, code string) {
		if wrong {
			codes = append(codes, code)
		}
	}
	p, ratio := l.Pixels, float64(m.Width)/float64(m.Height)
	add(!slices.Contains(l.Formats, m.Mime), "format_unsupported")
	add(above(m.Bytes, l.Bytes), "file_too_large")
	add(below(ratio, l.Ratio.Min) || above(ratio, l.Ratio.Max), "aspect_unsupported")
	add(below(m.Width, p.MinWidth) || below(m.Height, p.MinHeight) || above(m.Width, p.MaxWidth) ||
		above(m.Height, p.MaxHeight) ||
		above(min(m.Width, m.Height), p.MaxShortSide), "resolution_unsupported")
	if m.Kind == core.FileVideo {
		add(len(l.VideoCodecs) > 0 && !slices.Contains(l.VideoCodecs, string(m.VideoCodec)), "format_unsupported")
		add(len(l.AudioCodecs) > 0 && m.AudioCodec != "" && !slices.Contains(l.AudioCodecs, string(m.AudioCodec)),
			"format_unsupported")
		add(below(m.FPS, l.FrameRate.Min) || above(m.FPS, l.FrameRate.Max), "format_unsupported")
		add(above(m.BitRate, l.BitRate), "format_unsupported")
		add(above(m.AudioRate, l.AudioRate), "format_unsupported")
		add(above(m.AudioChannels, l.Channels), "format_unsupported")
		add(below(m.DurationMs, l.Duration.MinMs), "duration_too_short")
		add(above(m.DurationMs, l.Duration.MaxMs), "duration_too_long")
	}
	return codes
}

func below[N int | int64 | float64](n N, bound *N) bool { return bound != nil && n < *bound }
func above[N int | int64 | float64](n N, bound *N) bool { return bound != nil && n > *bound }

// TestThePrintedLengthsAreTheCheckedOnes does the same for words: a text is refused when its content type's
// figure says so, and a title where one is sent.
func TestThePrintedLengthsAreTheCheckedOnes(t *testing.T) {
	t.Parallel()
	for _, r := range known(t).Rules() {
		t.Run(string(r.Describe().ID), func(t *testing.T) {
			t.Parallel()
			limits := printed(t, r.Describe())
			rapid.Check(t, func(rt *rapid.T) { wordsAgree(rt, r, limits) })
		})
	}
}

func wordsAgree(t *rapid.T, r network.Rules, limits contract.NetworkLimits) {
	title, titleSent := "Title", false
	if limits.Title != nil {
		title = drawText(t, *limits.Title)
	}
	for name, kind := range limits.ContentTypes {
		limit := limits.Text
		if kind.Text != nil {
			limit = *kind.Text
		}
		d := network.Draft{Text: drawText(t, limit), Title: title, Media: fewest(kind)}
		d.Settings = settingsFor(t, r, name, d.Media)
		issues, _ := r.CheckDraft(d)
		has := func(code core.IssueCode) bool {
			return slices.ContainsFunc(issues, func(i core.Issue) bool { return i.Code == code })
		}
		if n := count(limit.Unit, d.Text); has("caption_too_long") != (n > limit.Max) {
			t.Fatalf("%s: %d of %s, at most %d are printed: %+v", name, n, limit.Unit, limit.Max, issues)
		}
		titleSent = titleSent || has("title_too_long")
	}
	if limits.Title != nil && titleSent != (count(limits.Title.Unit, title) > limits.Title.Max) {
		t.Fatalf("a title of %d %s, at most %d are printed", count(limits.Title.Unit, title), limits.Title.Unit,
			limits.Title.Max)
	}
}

// fewest returns as few files as the content type allows.
func fewest(kind contract.ContentTypeLimit) []core.Media {
	if kind.Video != nil {
		return networktest.RepeatFile(kind.Min, networktest.Video())
	}
	return networktest.RepeatFile(kind.Min, networktest.Image())
}

// drawText draws a text of about the longest length; its last few characters decide.
func drawText(t *rapid.T, l contract.TextLimit) string {
	letter := rapid.SampledFrom([]string{"a", "é", "’", "日", "🌉"}).Draw(t, "letter")
	n := l.Max/count(l.Unit, letter) + rapid.IntRange(-2, 2).Draw(t, "off")
	return strings.Repeat(letter, max(n, 1)) + rapid.SampledFrom([]string{"", "a", "aa", "é", "🌉"}).Draw(t, "end")
}

func count(unit, s string) int {
	switch unit {
	case "bytes":
		return len(s)
	case "characters":
		return utf8.RuneCountInString(s)
	case "utf16":
		return len(utf16.Encode([]rune(s)))
	}
	panic(fmt.Sprintf("unit %q", unit))
}
