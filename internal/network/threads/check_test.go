package threads_test

import (
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/threads"
)

// The rows of networks/threads.md, parts 3a and 4.
func TestWhatThreadsTakes(t *testing.T) {
	t.Parallel()
	a := strings.Repeat
	text := func(s string, tags ...string) network.Draft { return network.Draft{Text: s, Tags: tags} }
	files := func(media ...core.Media) network.Draft { return network.Draft{Media: media} }
	image := func(c ...nt.Change) network.Draft { return files(nt.Image(c...)) }
	video := func(c ...nt.Change) network.Draft { return files(nt.Video(c...)) }
	const links = "https://a.example https://b.example https://c.example https://d.example https://e.example"
	nt.RunVerdicts(t, threads.Rules{}, []nt.Verdict{
		{"500 bytes", text(a("é", 250)), "", ""},
		{"501 bytes", text(a("é", 250) + "a"), "", "caption_too_long"},
		{"498 characters in 504 bytes", text(a("a", 495) + "’’’"), "", "caption_too_long"},
		{"tags are not sent", text(a("a", 500), "bread"), "", ""},
		{"a title is not sent", network.Draft{Text: "a", Title: a("a", 5000)}, "", ""},
		{"tags alone are no text", text("", "bread"), "", "text_required"},
		{"nothing at all", text(" "), "", "text_required"},
		{"five links", text(links), "", ""},
		{"a sixth in the text", text(links + " https://f.example"), "", "links_too_many"},
		{"a sixth beside the text", text(links), `{"linkAttachment":"https://f.example"}`, "links_too_many"},
		{"a sixth without https", text(links + " www.f.example"), "", "links_too_many"},
		{"a sixth that differs by a slash", text(links + " https://a.example/"), "", "links_too_many"},
		{"the same beside the text", text(links), `{"linkAttachment":"https://e.example"}`, ""},
		{"a preview under a photo", image(), `{"linkAttachment":"https://f.example"}`, "setting_conflict"},
		{"a described image", image(), `{"altText":"A bridge"}`, ""},
		{"a description of nothing", text("a"), `{"altText":"A bridge"}`, "setting_conflict"},
		{"who may reply is not used", text("a"), `{"replyControl":"nobody"}`, ""},

		{"a video alone", video(), "", ""},
		{"a mixed carousel of two", files(nt.Image(), nt.Video()), "", ""},
		{"a carousel of 20", files(nt.RepeatFile(20, nt.Image())...), "", ""},
		{"a carousel of 21", files(nt.RepeatFile(21, nt.Image())...), "", "media_count_unsupported"},

		{"PNG", image(nt.Mime("image/png")), "", ""},
		{"WebP", image(nt.Mime("image/webp")), "", "format_unsupported"},
		{"WebP that can be converted", image(nt.Mime("image/webp"), nt.Convertible()), "", "images_converted"},
		{"GIF", image(nt.Mime("image/gif")), "", "format_unsupported"},
		{"8 MB", image(nt.Bytes(8_000_000)), "", ""},
		{"over 8 MB", image(nt.Bytes(8_000_001)), "", "file_too_large"},
		{"10:1", image(nt.Size(1000, 100)), "", ""},
		{"wider than 10:1", image(nt.Size(1001, 100)), "", "aspect_unsupported"},
		{"1:10", image(nt.Size(100, 1000)), "", ""},
		{"higher than 1:10", image(nt.Size(100, 1001)), "", "aspect_unsupported"},

		{"MOV in H.265", video(nt.Mime("video/quicktime"), nt.Codecs(core.CodecH265, core.CodecAAC)), "", ""},
		{"WebM", video(nt.Mime("video/webm")), "", "format_unsupported"},
		{"AV1", video(nt.Codecs(core.CodecAV1, core.CodecAAC)), "", "format_unsupported"},
		{"MP3", video(nt.Codecs(core.CodecH264, "mp3")), "", "format_unsupported"},
		{"48 kHz", video(nt.Sound(48_000, 1)), "", ""},
		{"more", video(nt.Sound(48_001, 2)), "", "format_unsupported"},
		{"5.1", video(nt.Sound(48_000, 6)), "", "format_unsupported"},
		{"23 pictures", video(nt.FPS(23)), "", ""},
		{"22.9 pictures", video(nt.FPS(22.9)), "", "format_unsupported"},
		{"60 pictures", video(nt.FPS(60)), "", ""},
		{"60.1 pictures", video(nt.FPS(60.1)), "", "format_unsupported"},
		{"100 Mbit", video(nt.BitRate(100_000_000)), "", ""},
		{"over 100 Mbit", video(nt.BitRate(100_000_001)), "", "format_unsupported"},
		{"a blink", video(nt.Duration(1)), "", ""},
		{"300 s", video(nt.Duration(300_000)), "", ""},
		{"over 300 s", video(nt.Duration(300_001)), "", "duration_too_long"},
		{"1 GB", video(nt.Bytes(1_000_000_000)), "", ""},
		{"over 1 GB", video(nt.Bytes(1_000_000_001)), "", "file_too_large"},
		{"1920 wide", video(nt.Size(1920, 1080)), "", ""},
		{"1921 wide", video(nt.Size(1921, 1080)), "", "resolution_unsupported"},
		{"1:100", video(nt.Size(10, 1000)), "", ""},
		{"higher than 1:100", video(nt.Size(10, 1001)), "", "aspect_unsupported"},
	})
}
