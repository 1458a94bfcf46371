package instagram_test

import (
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/instagram"
	nt "belfry/internal/network/networktest"
)

func TestRules(t *testing.T) {
	t.Parallel()
	nt.Rules(t, instagram.Rules{}, instagram.Settings{})
}

const (
	feed  = `{"contentType":"feed"}`
	reel  = `{"contentType":"reels"}`
	story = `{"contentType":"stories"}`
)

func files(media ...core.Media) network.Draft { return network.Draft{Media: media} }

func text(s string, tags ...string) network.Draft {
	return network.Draft{Text: s, Tags: tags, Media: []core.Media{nt.Image()}}
}

// The rows of networks/instagram.md, parts 3a and 4: words and settings.
func TestWhatInstagramTakes(t *testing.T) {
	t.Parallel()
	a := strings.Repeat
	image, video := nt.Image(), nt.Video()
	nt.RunVerdicts(t, instagram.Rules{}, []nt.Verdict{
		{"2,200 characters", text(a("🌉", 2200)), "", ""},
		{"2,201 characters", text(a("é", 2201)), "", "caption_too_long"},
		{"tags count in the text", text(a("a", 2193), "bread"), "", "caption_too_long"},
		{"tags just fit", text(a("a", 2192), "bread"), "", ""},
		{"five hashtags", text(a("#a ", 5)), "", ""},
		{"six hashtags", text(a("#a ", 6)), "", "hashtags_many"},
		{"a tag is a hashtag", text(a("#a ", 5), "b"), "", "hashtags_many"},
		{"30 hashtags", text(a("#a ", 30)), "", "hashtags_many"},
		{"31 hashtags", text(a("#a ", 31)), "", "hashtags_too_many"},
		{"20 mentions", text(a("@ann ", 20)), "", ""},
		{"21 mentions", text(a("@ann ", 21)), "", "mentions_too_many"},
		{"addresses are no mentions", text(a("a@example.org ", 21)), "", ""},
		{"a title is not used", network.Draft{Title: a("a", 5000), Media: nt.RepeatFile(1, image)}, "", ""},

		{"without a file", network.Draft{Text: "Text"}, "", "media_required"},
		{"a Reel without a file", network.Draft{Text: "Text"}, reel, "media_required"},
		{"an image", files(image), "", ""},
		{"a video is a Reel", files(video), `{"shareToFeed":false}`, ""},
		{"a video as feed post", files(video), feed, "media_kind_unsupported"},
		{"an image as Reel", files(image), reel, "media_kind_unsupported"},
		{"two files as Reel", files(video, video), reel, "media_count_unsupported"},
		{"two files as Story", files(video, image), story, "media_count_unsupported"},
		{"a carousel of two", files(image, image), "", ""},
		{"a mixed carousel", files(image, video), feed, ""},
		{"a carousel of ten", network.Draft{Media: nt.RepeatFile(10, image)}, "", ""},
		{"a carousel of eleven", network.Draft{Media: nt.RepeatFile(11, image)}, "", "media_count_unsupported"},
		{"a Story", files(image), story, ""},
		{"a Story with a text", text("Text"), story, "text_not_allowed"},
		{"a Story with a tag", text("", "tag"), story, "text_not_allowed"},

		{"a described image", files(image), `{"altText":"A bridge"}`, ""},
		{"a described carousel", files(image, image), `{"altText":"A bridge"}`, "setting_ignored"},
		{"a described Reel", files(video), `{"altText":"A bridge"}`, "setting_conflict"},
		{"a described Story", files(image), `{"contentType":"stories","altText":"A bridge"}`, "setting_conflict"},
		{"a cover on a Reel", files(video), `{"coverMs":29999}`, ""},
		{"the first frame", files(video), `{"coverMs":0}`, ""},
		{"a cover after the end", files(video), `{"coverMs":30000}`, "setting_conflict"},
		{"a cover on an image", files(image), `{"coverMs":0}`, "setting_conflict"},
		{"an image shared to the feed", files(image), `{"shareToFeed":true}`, "setting_conflict"},
		{"three collaborators", files(image, image), `{"collaborators":["a","b.c","d_e"]}`, ""},
		{"a Story with a collaborator", files(image), `{"contentType":"stories","collaborators":["a"]}`, "setting_conflict"},
	})
}

// The rows of networks/instagram.md, part 4: files.
func TestFilesThatInstagramTakes(t *testing.T) {
	t.Parallel()
	image := func(c ...nt.Change) network.Draft { return files(nt.Image(c...)) }
	video := func(c ...nt.Change) network.Draft { return files(nt.Video(c...)) }
	nt.RunVerdicts(t, instagram.Rules{}, []nt.Verdict{
		{"a PNG", image(nt.Mime("image/png")), "", "format_unsupported"},
		{"a WebP", image(nt.Mime("image/webp")), "", "format_unsupported"},
		{"a PNG that can be converted", image(nt.Mime("image/png"), nt.Convertible()), "", "images_converted"},
		{"a heavy one", image(nt.Mime("image/png"), nt.Convertible(), nt.Bytes(50_000_000)), "", "images_converted"},
		{
			"a wide one", image(nt.Mime("image/png"), nt.Convertible(), nt.Size(2000, 1000)), "",
			"images_converted aspect_unsupported",
		},
		{"8 MB", image(nt.Bytes(8_000_000)), "", ""},
		{"a byte above 8 MB", image(nt.Bytes(8_000_001)), "", "file_too_large"},
		{"4:5", image(nt.Size(1080, 1350)), "", ""},
		{"higher than 4:5", image(nt.Size(1080, 1351)), "", "aspect_unsupported"},
		{"1.91:1", image(nt.Size(1910, 1000)), "", ""},
		{"wider than 1.91:1", image(nt.Size(1911, 1000)), "", "aspect_unsupported"},
		{"a large image is scaled", image(nt.Size(9000, 9000)), "", ""},
		{"a small image is scaled", image(nt.Size(10, 10)), "", ""},
		{"of unknown size", image(nt.Size(0, 0)), "", ""},
		{"a Story of any shape", image(nt.Size(1080, 1920)), story, ""},
		{"a Story as PNG", image(nt.Mime("image/png")), story, "format_unsupported"},
		{"a Story as PNG that can be converted", image(nt.Mime("image/png"), nt.Convertible()), story, "images_converted"},
		{"a carousel with a high image", files(nt.Image(), nt.Image(nt.Size(1000, 2000))), "", "aspect_unsupported"},

		{"a MOV", video(nt.Mime("video/quicktime")), "", ""},
		{"a WebM", video(nt.Mime("video/webm")), "", "format_unsupported"},
		{"H.265", video(nt.Codecs(core.CodecH265, core.CodecAAC)), "", ""},
		{"VP9", video(nt.Codecs(core.CodecVP9, core.CodecAAC)), "", "format_unsupported"},
		{"MP3", video(nt.Codecs(core.CodecH264, "mp3")), "", "format_unsupported"},
		{"silent", video(nt.Codecs(core.CodecH264, "")), "", ""},
		{"48 kHz", video(nt.Sound(48_000, 1)), "", ""},
		{"more", video(nt.Sound(48_001, 2)), "", "format_unsupported"},
		{"5.1", video(nt.Sound(48_000, 6)), "", "format_unsupported"},
		{"23 pictures", video(nt.FPS(23)), "", ""},
		{"22.9 pictures", video(nt.FPS(22.9)), "", "format_unsupported"},
		{"60 pictures by a clock", video(nt.FPS(60.003)), "", ""},
		{"60.1 pictures", video(nt.FPS(60.1)), "", "format_unsupported"},
		{"25 Mbit", video(nt.BitRate(25_000_000)), "", ""},
		{"a bit more", video(nt.BitRate(25_000_001)), "", "format_unsupported"},
		{"3 s", video(nt.Duration(3_000)), "", ""},
		{"under 3 s", video(nt.Duration(2_999)), "", "duration_too_short"},
		{"15 min", video(nt.Duration(900_000)), "", ""},
		{"over 15 min", video(nt.Duration(900_001)), "", "duration_too_long"},
		{"300 MB", video(nt.Bytes(300_000_000)), "", ""},
		{"over 300 MB", video(nt.Bytes(300_000_001)), "", "file_too_large"},
		{"1920 wide", video(nt.Size(1920, 1080)), "", ""},
		{"1921 wide", video(nt.Size(1921, 1080)), "", "resolution_unsupported"},
		{"10:1", video(nt.Size(1900, 190)), "", ""},
		{"wider than 10:1", video(nt.Size(1901, 190)), "", "aspect_unsupported"},
		{"1:100", video(nt.Size(50, 5000)), "", ""},
		{"higher than 1:100", video(nt.Size(50, 5001)), "", "aspect_unsupported"},
		{"a Story of 60 s", video(nt.Duration(60_000)), story, ""},
		{"a Story of more", video(nt.Duration(60_001)), story, "duration_too_long"},
		{"a Story of under 3 s", video(nt.Duration(2_999)), story, "duration_too_short"},
		{"a Story of 100 MB", video(nt.Bytes(100_000_000)), story, ""},
		{"a Story over 100 MB", video(nt.Bytes(100_000_001)), story, "file_too_large"},
		{"a Story of 1:10", video(nt.Size(100, 1000)), story, ""},
		{"a Story higher than 1:10", video(nt.Size(100, 1001)), story, "aspect_unsupported"},
	})
}

func TestSettingsOfInstagram(t *testing.T) {
	t.Parallel()
	if got, err := (instagram.Rules{}).NormalizeSettings([]byte(`{"shareToFeed":false,"coverMs":0,"collaborators":[]}`)); err != nil || string(got) != `{"shareToFeed":false,"coverMs":0}` {
		t.Errorf("got %s, %v", got, err)
	}
	for _, block := range []string{`{"contentType":"carousel"}`, `{"collaborators":["a","b","c","d"]}`, `{"collaborators":["a b"]}`, `{"collaborators":[""]}`} {
		if _, err := (instagram.Rules{}).NormalizeSettings([]byte(block)); core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: %v", block, err)
		}
	}
}
