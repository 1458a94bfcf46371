package facebook_test

import (
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/facebook"
	nt "belfry/internal/network/networktest"
)

// The rows of networks/facebook.md, part 4.
func TestWhatFacebookTakes(t *testing.T) {
	t.Parallel()
	a := strings.Repeat
	files := func(media ...core.Media) network.Draft { return network.Draft{Media: media} }
	photo := func(c ...nt.Change) network.Draft { return files(nt.Image(c...)) }
	video := func(c ...nt.Change) network.Draft { return files(nt.Video(c...)) }
	with := func(d network.Draft, text, title string, tags ...string) network.Draft {
		d.Text, d.Title, d.Tags = text, title, tags
		return d
	}
	const photos, reel, story = `{"contentType":"photo"}`, `{"contentType":"reels"}`, `{"contentType":"stories"}`
	nt.RunVerdicts(t, facebook.Rules{}, []nt.Verdict{
		{"63,206 of text", with(files(), a("é", 63_206), ""), "", ""},
		{"63,207 of text", with(files(), a("é", 63_207), ""), "", "caption_too_long"},
		{"31,604 emoji", with(files(), a("🌉", 31_604), ""), "", "caption_too_long"},
		{"tags count", with(files(), a("a", 63_206), "", "a"), "", "caption_too_long"},
		{"tags alone are a text", with(files(), "", "", "a"), "", ""},
		{"nothing at all", with(files(), " \n", ""), "", "text_required"},
		{"a link is enough", files(), `{"link":"https://a.example"}`, ""},
		{"a link to a page of Facebook", files(), `{"link":"https://WWW.Facebook.com/a"}`, "setting_conflict"},
		{"its short form", files(), `{"link":"https://fb.me/a"}`, "setting_conflict"},
		{"another that ends like it", files(), `{"link":"https://notfacebook.com/a"}`, ""},
		{"a link under a photo", photo(), `{"link":"https://a.example"}`, "setting_conflict"},
		{"255 of title", with(video(), "", a("a", 255)), "", ""},
		{"256 of title", with(video(), "", a("a", 256)), "", "title_too_long"},
		{"256 of title on a Reel", with(video(), "", a("a", 256)), reel, "title_too_long"},
		{"the title of a text is not used", with(files(), "a", a("a", 256)), "", "title_not_published"},
		{"the title of a photo is not used", with(photo(), "", a("a", 256)), "", "title_not_published"},

		{"a text with a photo", with(photo(), "a", ""), `{"contentType":"text"}`, "media_kind_unsupported"},
		{"photos without one", with(files(), "a", ""), photos, "media_required"},
		{"ten photos", files(nt.RepeatFile(10, nt.Image())...), "", ""},
		{"eleven photos", files(nt.RepeatFile(11, nt.Image())...), "", "media_count_unsupported"},
		{"photo and video", files(nt.Image(), nt.Video()), "", "media_mixed_unsupported"},
		{"two videos", files(nt.Video(), nt.Video()), "", "media_count_unsupported"},
		{"a video as photo", video(), photos, "media_kind_unsupported"},
		{"two Stories in one", files(nt.Image(), nt.Image()), story, "media_count_unsupported"},
		{"a Story", photo(), story, ""},
		{"a Story with a text", with(photo(), "a", ""), story, "text_not_allowed"},

		{"PNG", photo(nt.Mime("image/png")), "", ""},
		{"GIF", photo(nt.Mime("image/gif")), "", ""},
		{"WebP", photo(nt.Mime("image/webp")), "", "format_unsupported"},
		{"WebP that can be converted", photo(nt.Mime("image/webp"), nt.Convertible()), "", "images_converted"},
		{"10 MB", photo(nt.Bytes(10_000_000)), "", ""},
		{"over 10 MB", photo(nt.Bytes(10_000_001)), "", "file_too_large"},

		{"a wide video", video(nt.Size(1920, 1080), nt.Duration(7_200_000), nt.Bytes(9_000_000_000)), "", ""},
		{"a WebM", video(nt.Mime("video/webm")), "", "format_unsupported"},
		{"a Reel", video(), reel, ""},
		{"a wide Reel", video(nt.Size(1920, 1080)), reel, "aspect_unsupported"},
		{"a Reel of 540 by 960", video(nt.Size(540, 960)), reel, ""},
		{"a Reel of 539 by 960", video(nt.Size(539, 960)), reel, "resolution_unsupported"},
		{"a Reel of 540 by 959", video(nt.Size(540, 959)), reel, "resolution_unsupported"},
		{"a hundredth too narrow", video(nt.Size(1070, 1920)), reel, ""},
		{"narrower", video(nt.Size(1069, 1920)), reel, "aspect_unsupported"},
		{"a hundredth too wide", video(nt.Size(1090, 1920)), reel, ""},
		{"wider", video(nt.Size(1091, 1920)), reel, "aspect_unsupported"},
		{"a Reel of 3 s", video(nt.Duration(3_000)), reel, ""},
		{"a Reel of less", video(nt.Duration(2_999)), reel, "duration_too_short"},
		{"a Reel of 90 s", video(nt.Duration(90_000)), reel, ""},
		{"a Reel of more", video(nt.Duration(90_001)), reel, "duration_too_long"},
		{"a Reel of 24 pictures, as films count", video(nt.FPS(23.976)), reel, ""},
		{"a Reel of 23", video(nt.FPS(23)), reel, "format_unsupported"},
		{"a Reel of 60", video(nt.FPS(60)), reel, ""},
		{"a Reel of 61", video(nt.FPS(61)), reel, "format_unsupported"},
		{"a Reel in AV1", video(nt.Codecs(core.CodecAV1, core.CodecAAC)), reel, ""},
		{"a Reel in VP9", video(nt.Codecs(core.CodecVP9, core.CodecAAC)), reel, ""},
		{"a Reel in VP8", video(nt.Codecs(core.CodecVP8, core.CodecAAC)), reel, "format_unsupported"},
		{"a Reel with Opus", video(nt.Codecs(core.CodecH264, "opus")), reel, "format_unsupported"},
		{"a Story of 60 s", video(nt.Duration(60_000)), story, ""},
		{"a Story of more", video(nt.Duration(60_001)), story, "duration_too_long"},
	})
}

func TestAnEmptyPostIsToldThatALinkIsEnough(t *testing.T) {
	t.Parallel()
	issues, _ := facebook.Rules{}.CheckDraft(network.Draft{})
	if len(issues) != 1 || !strings.Contains(issues[0].Message, "link") || !strings.Contains(issues[0].Hint, "link") {
		t.Errorf("got %+v", issues)
	}
}
