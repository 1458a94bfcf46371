package tiktok_test

import (
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/tiktok"
)

func TestRules(t *testing.T) {
	t.Parallel()
	nt.Rules(t, tiktok.Rules{}, tiktok.Settings{})
}

// The rows of networks/tiktok.md, part 4.
func TestWhatTikTokTakes(t *testing.T) {
	t.Parallel()
	a := strings.Repeat
	video := func(c ...nt.Change) network.Draft { return network.Draft{Media: nt.RepeatFile(1, nt.Video(c...))} }
	photos := func(c ...nt.Change) network.Draft { return network.Draft{Media: nt.RepeatFile(2, nt.Image(c...))} }
	with := func(d network.Draft, text, title string, tags ...string) network.Draft {
		d.Text, d.Title, d.Tags = text, title, tags
		return d
	}
	nt.RunVerdicts(t, tiktok.Rules{}, []nt.Verdict{
		{"a video alone", video(), "", ""},
		{"2,200 of caption", with(video(), a("é", 2200), ""), "", ""},
		{"2,201 of caption", with(video(), a("é", 2201), ""), "", "caption_too_long"},
		{"1,100 emoji", with(video(), a("🌉", 1100), ""), "", ""},
		{"1,101 emoji", with(video(), a("🌉", 1101), ""), "", "caption_too_long"},
		{"tags count in the caption", with(video(), a("a", 2193), "", "bread"), "", "caption_too_long"},
		{"tags just fit", with(video(), a("a", 2192), "", "bread"), "", ""},
		{"a video's title is not used", with(video(), "", a("a", 91)), "", "title_not_published"},
		{"4,000 of description", with(photos(), a("a", 4000), ""), "", ""},
		{"4,001 of description", with(photos(), a("a", 4001), ""), "", "caption_too_long"},
		{"90 of title", with(photos(), "", a("a", 90)), "", ""},
		{"91 of title", with(photos(), "", a("a", 91)), "", "title_too_long"},
		{"46 emoji of title", with(photos(), "", a("🌉", 46)), "", "title_too_long"},

		{"without a file", network.Draft{Text: "Text"}, "", "media_required"},
		{"two videos", network.Draft{Media: nt.RepeatFile(2, nt.Video())}, "", "media_count_unsupported"},
		{"one photo", network.Draft{Media: nt.RepeatFile(1, nt.Image())}, "", "media_count_unsupported"},
		{"35 photos", network.Draft{Media: nt.RepeatFile(35, nt.Image())}, "", ""},
		{"36 photos", network.Draft{Media: nt.RepeatFile(36, nt.Image())}, "", "media_count_unsupported"},
		{"photo and video", network.Draft{Media: []core.Media{nt.Video(), nt.Image()}}, "", "media_mixed_unsupported"},

		{"WebP", photos(nt.Mime("image/webp")), "", ""},
		{"animated WebP", photos(nt.Mime("image/webp"), nt.Frames(2)), "", "format_unsupported format_unsupported"},
		{"PNG", photos(nt.Mime("image/png")), "", "format_unsupported format_unsupported"},
		{"large PNG that can be converted", photos(nt.Mime("image/png"), nt.Convertible(), nt.Size(4000, 3000)), "", "images_converted"},
		{"GIF", photos(nt.Mime("image/gif")), "", "format_unsupported format_unsupported"},
		{"20 MB", photos(nt.Bytes(20_000_000)), "", ""},
		{"over 20 MB", photos(nt.Bytes(20_000_001)), "", "file_too_large file_too_large"},
		{"1080 by 1920", photos(nt.Size(1080, 1920)), "", ""},
		{"1920 by 1080", photos(nt.Size(1920, 1080)), "", ""},
		{"1921 by 1080", photos(nt.Size(1921, 1080)), "", "resolution_unsupported resolution_unsupported"},
		{"1081 by 1920", photos(nt.Size(1081, 1920)), "", "resolution_unsupported resolution_unsupported"},

		{"VP8", video(nt.Codecs(core.CodecVP8, "opus")), "", ""},
		{"MOV in H.265", video(nt.Mime("video/quicktime"), nt.Codecs(core.CodecH265, core.CodecAAC)), "", ""},
		{"AV1", video(nt.Codecs(core.CodecAV1, core.CodecAAC)), "", "format_unsupported"},
		{"AVI", video(nt.Mime("video/x-msvideo")), "", "format_unsupported"},
		{"23 pictures", video(nt.FPS(23)), "", ""},
		{"22.9 pictures", video(nt.FPS(22.9)), "", "format_unsupported"},
		{"60 pictures", video(nt.FPS(60)), "", ""},
		{"60.1 pictures", video(nt.FPS(60.1)), "", "format_unsupported"},
		{"360 pixels", video(nt.Size(360, 360)), "", ""},
		{"359 pixels", video(nt.Size(360, 359)), "", "resolution_unsupported"},
		{"4096 pixels", video(nt.Size(4096, 4096)), "", ""},
		{"4097 pixels", video(nt.Size(4097, 4096)), "", "resolution_unsupported"},
		{"10 min", video(nt.Duration(600_000)), "", ""},
		{"over 10 min", video(nt.Duration(600_001)), "", "duration_too_long"},
		{"4 GB", video(nt.Bytes(4_000_000_000)), "", ""},
		{"over 4 GB", video(nt.Bytes(4_000_000_001)), "", "file_too_large"},

		{
			"settings of a video",
			video(), `{"disableDuet":true,"disableStitch":true,"disableComment":true,"coverMs":5,"aiGenerated":true}`, "",
		},
		{"settings of photos", photos(), `{"autoAddMusic":true,"photoCoverIndex":1,"disableComment":true}`, ""},
		{"a duet of photos", photos(), `{"disableDuet":true}`, "setting_conflict"},
		{"a stitch of photos", photos(), `{"disableStitch":true}`, "setting_conflict"},
		{"a frame of photos", photos(), `{"coverMs":0}`, "setting_conflict"},
		{"music for a video", video(), `{"autoAddMusic":true}`, "setting_conflict"},
		{"a cover photo of a video", video(), `{"photoCoverIndex":0}`, "setting_conflict"},
		{"a third cover of two photos", photos(), `{"photoCoverIndex":2}`, "setting_conflict"},
		{"what is off goes with all", photos(), `{"disableDuet":false,"disableStitch":false}`, ""},
		{"a partnership for oneself", video(), `{"brandContent":true,"privacyLevel":"SELF_ONLY"}`, "setting_conflict"},
		{"a partnership for friends", video(), `{"brandContent":true,"privacyLevel":"MUTUAL_FOLLOW_FRIENDS"}`, ""},
	})
}
