package network_test

import (
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
)

func limited() network.Description {
	image := core.FileLimits{
		Bytes: 8_000_000, Formats: []string{"image/jpeg", "image/png"}, MinRatio: 0.5, MaxRatio: 2, MinWidth: 100,
		MinHeight: 100, MaxWidth: 1920,
	}
	video := core.FileLimits{
		Bytes: 2_000_000_000, Formats: []string{"video/mp4", "video/quicktime"}, MinDurationMs: 3000,
		MaxDurationMs: 90_000, MinFPS: 23, MaxFPS: 60, AudioChannels: 2,
	}
	return network.Description{Name: "Somewhere", Limits: core.Limits{
		Text: core.Count{Max: 10, Unit: core.UnitBytes}, Title: &core.Count{Max: 5, Unit: core.UnitCharacters},
		Hashtags: new(2), Links: new(1),
		ContentTypes: map[string]core.ContentType{
			"text": {}, "photo": {Min: 1, Max: 3, Image: &image}, "video": {Min: 1, Max: 1, Video: &video},
			"carousel": {Min: 2, Max: 3, Image: &image, Video: &video},
		},
	}}
}

func photo(change func(*core.Media)) core.Media {
	m := core.Media{
		Name:      "a.jpg",
		FileFacts: core.FileFacts{Kind: core.FileImage, Mime: "image/jpeg", Bytes: 1000, Width: 1000, Height: 1000},
	}
	if change != nil {
		change(&m)
	}
	return m
}

func film(change func(*core.Media)) core.Media {
	m := core.Media{
		Name: "a.mp4",
		FileFacts: core.FileFacts{
			Kind: core.FileVideo, Mime: "video/mp4", Bytes: 1000, Width: 540, Height: 960,
			DurationMs: 10_000,
		},
	}
	if change != nil {
		change(&m)
	}
	return m
}

func TestCheckLimitsJudgesByTheTable(t *testing.T) {
	t.Parallel()
	type media = []core.Media
	for name, c := range map[string]struct {
		kind  string
		draft network.Draft
		links []string
		want  []string
		hint  string
	}{
		"a short text": {kind: "text", draft: network.Draft{Text: "ten bytes!"}},
		"eleven bytes": {
			kind: "text", draft: network.Draft{Text: "ten bytes!é"},
			want: []string{"caption_too_long"}, hint: "The limit is 10",
		},
		"a long title": {
			kind: "video", draft: network.Draft{Title: "élèves", Media: media{film(nil)}},
			want: []string{"title_too_long"},
		},
		"too long, and too many": {
			kind: "text", draft: network.Draft{Text: "#a #b #c #d"},
			want: []string{"caption_too_long", "hashtags_too_many"},
		},
		"too long to be counted": {
			kind: "text", draft: network.Draft{Text: "#a #b #c #d #e #f #g #h"},
			want: []string{"caption_too_long"},
		},
		"three hashtags": {
			kind: "text", draft: network.Draft{Text: "#a #b #c"},
			want: []string{"hashtags_too_many"},
		},
		"links beside the text": {
			kind: "text", draft: network.Draft{},
			links: []string{"https://a.example", "https://b.example"}, want: []string{"links_too_many"},
		},
		"text with a file": {
			kind: "text", draft: network.Draft{Media: media{photo(nil)}},
			want: []string{"media_kind_unsupported"},
		},
		"photo without a file": {
			kind: "photo", want: []string{"media_required"}, hint: "Add a file, or choose another kind of post.",
		},
		"four photos": {
			kind:  "photo",
			draft: network.Draft{Media: media{photo(nil), photo(nil), photo(nil), photo(nil)}},
			want:  []string{"media_count_unsupported"}, hint: "Use 1 to 3 files.",
		},
		"a carousel of one": {
			kind: "carousel", draft: network.Draft{Media: media{photo(nil)}},
			want: []string{"media_count_unsupported"},
		},
		"a mixed carousel": {kind: "carousel", draft: network.Draft{Media: media{photo(nil), film(nil)}}},
		"photos and a film": {
			kind: "photo", draft: network.Draft{Media: media{photo(nil), film(nil)}},
			want: []string{"media_mixed_unsupported"},
		},
		"a film as photo": {
			kind: "photo", draft: network.Draft{Media: media{film(nil)}},
			want: []string{"media_kind_unsupported"},
		},
		"an unknown kind of post": {kind: "poem", want: []string{"media_kind_unsupported"}},
		"a WebP": {
			kind:  "photo",
			draft: network.Draft{Media: media{photo(func(m *core.Media) { m.Mime = "image/webp" })}},
			want:  []string{"format_unsupported"}, hint: "It accepts JPEG, PNG; this file is WebP, which Belfry cannot convert: its dimensions (1000 × 1000 pixels) are too large, or its only frame is smaller than the image. Save it as a smaller JPEG.",
		},
		"an animated WebP": {
			kind:  "photo",
			draft: network.Draft{Media: media{photo(func(m *core.Media) { m.Mime, m.Frames = "image/webp", 2 })}},
			want:  []string{"format_unsupported"}, hint: "It accepts JPEG, PNG; this file is an animated WebP, which Belfry does not convert.",
		},
		"an AVI": {
			kind:  "video",
			draft: network.Draft{Media: media{film(func(m *core.Media) { m.Mime = "video/x-msvideo" })}},
			want:  []string{"format_unsupported"}, hint: "MP4, MOV",
		},
		"too many bytes": {
			kind:  "photo",
			draft: network.Draft{Media: media{photo(func(m *core.Media) { m.Bytes = 8_000_001 })}},
			want:  []string{"file_too_large"}, hint: "The limit is 8 MB.",
		},
		"too many bytes of a film": {
			kind:  "video",
			draft: network.Draft{Media: media{film(func(m *core.Media) { m.Bytes = 2_000_000_001 })}},
			want:  []string{"file_too_large"}, hint: "2 GB",
		},
		"too wide a shape": {
			kind:  "photo",
			draft: network.Draft{Media: media{photo(func(m *core.Media) { m.Width, m.Height = 1900, 900 })}},
			want:  []string{"aspect_unsupported"}, hint: "The ratio of width to height must be from 0.5:1 to 2:1.",
		},
		"too upright a shape": {
			kind:  "photo",
			draft: network.Draft{Media: media{photo(func(m *core.Media) { m.Width, m.Height = 400, 900 })}},
			want:  []string{"aspect_unsupported"},
		},
		"too small": {
			kind:  "photo",
			draft: network.Draft{Media: media{photo(func(m *core.Media) { m.Width, m.Height = 99, 99 })}},
			want:  []string{"resolution_unsupported"}, hint: "The file must be at least 100 × 100 pixels and at most 1920 pixels wide.",
		},
		"too wide": {
			kind:  "photo",
			draft: network.Draft{Media: media{photo(func(m *core.Media) { m.Width, m.Height = 1921, 1921 })}},
			want:  []string{"resolution_unsupported"},
		},
		"a photo of unknown size": {
			kind:  "photo",
			draft: network.Draft{Media: media{photo(func(m *core.Media) { m.Width, m.Height = 0, 0 })}},
		},
		"too short a film": {
			kind:  "video",
			draft: network.Draft{Media: media{film(func(m *core.Media) { m.DurationMs = 2999 })}},
			want:  []string{"duration_too_short"}, hint: "The minimum is 3 seconds.",
		},
		"too long a film": {
			kind:  "video",
			draft: network.Draft{Media: media{film(func(m *core.Media) { m.DurationMs = 90_001 })}},
			want:  []string{"duration_too_long"}, hint: "The maximum is 90 seconds.",
		},
		"too many frames": {
			kind:  "video",
			draft: network.Draft{Media: media{film(func(m *core.Media) { m.FPS = 120 })}},
			want:  []string{"format_unsupported"}, hint: "It accepts 23 to 60 frames per second; this file has 120.",
		},
		"too many channels": {
			kind:  "video",
			draft: network.Draft{Media: media{film(func(m *core.Media) { m.AudioChannels = 6 })}},
			want:  []string{"format_unsupported"}, hint: "It accepts at most 2 audio channels; this file has 6.",
		},
		"everything wrong at once": {
			kind: "video",
			draft: network.Draft{
				Text:  strings.Repeat("x", 11),
				Media: media{film(func(m *core.Media) { m.Mime, m.DurationMs = "video/webm", 1 })},
			},
			want: []string{"caption_too_long", "duration_too_short", "format_unsupported"},
		},
	} {
		issues, _ := network.CheckDraftAndFactsWith(limited(), c.draft, func(_ struct{}, f *network.Findings) { f.CheckLimits(limited(), c.kind, c.draft, c.links...) })
		var codes []string
		hints := ""
		for _, i := range issues {
			codes = append(codes, string(i.Code))
			hints += i.Hint + "\n"
			if strings.Contains(i.Message+i.Hint, "%!") {
				t.Errorf("%s: arguments do not fit: %+v", name, i)
			}
		}
		slices.Sort(codes)
		if !slices.Equal(codes, c.want) || !strings.Contains(hints, c.hint) {
			t.Errorf("%s: want %v with %q, got %v with %q", name, c.want, c.hint, codes, hints)
		}
	}
}
