package youtube_test

import (
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/youtube"
)

func TestRules(t *testing.T) {
	t.Parallel()
	nt.Rules(t, youtube.Rules{}, youtube.Settings{})
}

func draft(text, title string, tags []string, media ...core.Media) network.Draft {
	return network.Draft{Text: text, Title: title, Tags: tags, Media: media}
}

// The rows of networks/youtube.md, parts 3.7, 3.9 and 4.
func TestWhatYouTubeTakes(t *testing.T) {
	t.Parallel()
	a := strings.Repeat
	of := func(changes ...nt.Change) network.Draft { return draft("Text", "Title", nil, nt.Video(changes...)) }
	cover := func(changes ...nt.Change) network.Draft {
		return draft("", "Title", nil, nt.Video(), nt.Image(changes...))
	}
	const on, wide, tall = `{"useCoverAsThumbnail":true}`, 1920, 1080
	nt.RunVerdicts(t, youtube.Rules{}, []nt.Verdict{
		{"a Short", of(), "", ""},
		{"without a text", draft("", "Title", nil, nt.Video()), "", ""},
		{"without a title", draft("Text", "", nil, nt.Video()), "", "youtube_title_required"},
		{"a blank title", draft("Text", " \n", nil, nt.Video()), "", "youtube_title_required"},
		{"100 of title", draft("", a("é", 100), nil, nt.Video()), "", ""},
		{"101 of title", draft("", a("é", 101), nil, nt.Video()), "", "title_too_long"},
		{"50 emoji of title", draft("", a("🌉", 50), nil, nt.Video()), "", ""},
		{"51 emoji of title", draft("", a("🌉", 51), nil, nt.Video()), "", "title_too_long"},
		{"a title with <", draft("", "a < b", nil, nt.Video()), "", "characters_unsupported"},
		{"a text with >", draft("a > b", "Title", nil, nt.Video()), "", "characters_unsupported"},
		{"5,000 bytes of text", draft(a("é", 2500), "Title", nil, nt.Video()), "", ""},
		{"5,001 bytes of text", draft(a("é", 2500)+"a", "Title", nil, nt.Video()), "", "caption_too_long"},
		{"a tag of 500", draft("", "Title", []string{a("a", 500)}, nt.Video()), "", ""},
		{"a tag of 501", draft("", "Title", []string{a("a", 501)}, nt.Video()), "", "tags_too_long"},
		{"a comma counts", draft("", "Title", []string{a("a", 250), a("b", 249)}, nt.Video()), "", ""},
		{"a comma too much", draft("", "Title", []string{a("a", 250), a("b", 250)}, nt.Video()), "", "tags_too_long"},
		{"a space counts as quotes", draft("", "Title", []string{"b " + a("a", 496)}, nt.Video()), "", ""},
		{"a space too much", draft("", "Title", []string{"b " + a("a", 497)}, nt.Video()), "", "tags_too_long"},
		{"tags are not in the text", draft(a("a", 5000), "Title", []string{"tag"}, nt.Video()), "", ""},

		{"without a file", draft("Text", "Title", nil), "", "media_required"},
		{"two videos", draft("", "Title", nil, nt.Video(), nt.Video()), "", "media_count_unsupported"},
		{"an image alone", draft("", "Title", nil, nt.Image()), "", "media_kind_unsupported"},
		{"an image alone as thumbnail", draft("", "Title", nil, nt.Image()), on, "media_kind_unsupported"},
		{"video and image", cover(), "", "media_mixed_unsupported"},
		{"video and thumbnail", cover(), on, ""},
		{"a thumbnail without image", of(), on, "setting_conflict"},
		{
			"two thumbnails", draft("", "Title", nil, nt.Image(), nt.Image(), nt.Video()), on,
			"media_mixed_unsupported",
		},
		{
			"several videos and images", draft("", "Title", nil, nt.Image(), nt.Video(), nt.Image(), nt.Video()), "",
			"media_mixed_unsupported",
		},
		{"two images alone", draft("", "Title", nil, nt.Image(), nt.Image()), "", "media_kind_unsupported"},
		{"a PNG as thumbnail", cover(nt.Mime("image/png")), on, ""},
		{"a WebP as thumbnail", cover(nt.Mime("image/webp")), on, "format_unsupported"},
		{"a WebP that can be converted", cover(nt.Mime("image/webp"), nt.Convertible()), on, "images_converted"},
		{"50 MiB of thumbnail", cover(nt.Bytes(52_428_800)), on, ""},
		{"a byte more", cover(nt.Bytes(52_428_801)), on, "file_too_large"},
		{"640 of thumbnail", cover(nt.Size(640, 360)), on, ""},
		{"639 of thumbnail", cover(nt.Size(639, 360)), on, "resolution_unsupported"},

		{"256 GiB", of(nt.Bytes(274_877_906_944)), "", ""},
		{"a byte above", of(nt.Bytes(274_877_906_945)), "", "file_too_large"},
		{"AV1", of(nt.Codecs(core.CodecAV1, "opus")), "", ""},
		{"a format of its own", of(nt.Mime("video/x-own")), "", "format_unsupported"},
		{"12 hours", of(nt.Duration(43_200_000), nt.Size(wide, tall)), "", ""},
		{"a millisecond above", of(nt.Duration(43_200_001), nt.Size(wide, tall)), "", "duration_too_long"},
		{"any shape", of(nt.Size(7680, 100), nt.Duration(600_000)), "", ""},

		{"a square of three minutes", of(nt.Size(1080, 1080), nt.Duration(180_000)), "", ""},
		{"upright for longer", of(nt.Duration(180_001)), "", "not_a_short"},
		{"short and wide", of(nt.Size(1081, 1080)), "", "not_a_short"},
		{"long and wide", of(nt.Size(wide, tall), nt.Duration(600_000)), "", ""},
		{
			"long, wide and called a Short", draft("#Shorts", "Title", nil, nt.Video(nt.Size(wide, tall), nt.Duration(600_000))),
			"", "not_a_short",
		},
		{"of unknown length", of(nt.Size(wide, tall), nt.Duration(0)), "", ""},
	})
}

func TestSettingsOfYouTube(t *testing.T) {
	t.Parallel()
	for block, want := range map[string]string{
		`{"notifySubscribers":false,"embeddable":true,"madeForKids":false}`: `{"embeddable":true,"notifySubscribers":false}`,
		`{"visibility":"unlisted","category":"10","language":"pt-BR"}`:      `{"visibility":"unlisted","category":"10","language":"pt-BR"}`,
		`{"category":"18"}`: `{"category":"18"}`,
	} {
		if got, err := (youtube.Rules{}).NormalizeSettings([]byte(block)); err != nil || string(got) != want {
			t.Errorf("%s: want %s, got %s, %v", block, want, got, err)
		}
	}
	for _, block := range []string{
		`{"category":"People"}`, `{"language":"pt_BR"}`, `{"recordingDate":"2026-02-30"}`, `{"visibility":"hidden"}`,
		`{"license":"none"}`, `{"playlistId":"a b"}`,
	} {
		if _, err := (youtube.Rules{}).NormalizeSettings([]byte(block)); core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: %v", block, err)
		}
	}
}
