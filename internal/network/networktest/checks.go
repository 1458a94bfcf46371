package networktest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Verdict is a draft and the result that the network's check must have. It is an alias to keep tables short.
type Verdict = struct {
	Name  string
	Draft network.Draft
	Block string // the settings
	Want  string // the codes of issues and warnings, in any order
}

// RunVerdicts tests the network's check with the rows of a table.
func RunVerdicts(t *testing.T, r network.Rules, rows []Verdict) {
	t.Helper()
	for _, v := range rows {
		block, err := r.NormalizeSettings(json.RawMessage(v.Block))
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		v.Draft.Settings = block
		issues, warnings := r.CheckDraft(v.Draft)
		want, got := strings.Fields(v.Want), []string{}
		for _, i := range append(issues, warnings...) {
			got = append(got, string(i.Code))
			if strings.Contains(i.Message+i.Hint, "%!") {
				t.Errorf("%s: the arguments do not match the format: %+v", v.Name, i)
			}
		}
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(want, got) {
			t.Errorf("%s: want %v, got %v", v.Name, want, got)
		}
	}
}

// Change changes a property of a file.
type Change func(*core.Media)

// Image returns an image that every network accepts, with the changes.
func Image(changes ...Change) core.Media {
	return applyChanges(core.Media{Name: "a.jpg", Status: core.MediaReady, FileFacts: core.FileFacts{
		Kind: core.FileImage, Mime: "image/jpeg", Bytes: 1_000_000, Width: 1080, Height: 1080, Frames: 1,
	}}, changes)
}

// Video returns a video that every network accepts, with the changes.
func Video(changes ...Change) core.Media {
	return applyChanges(core.Media{Name: "a.mp4", Status: core.MediaReady, FileFacts: core.FileFacts{
		Kind: core.FileVideo, Mime: "video/mp4", Bytes: 10_000_000, Width: 1080, Height: 1920, DurationMs: 30_000, FPS: 30,
		VideoCodec: core.CodecH264, AudioCodec: core.CodecAAC, AudioRate: 48_000, AudioChannels: 2, BitRate: 2_700_000,
	}}, changes)
}

func applyChanges(m core.Media, changes []Change) core.Media {
	for _, change := range changes {
		change(&m)
	}
	return m
}

// RepeatFile returns n copies of a file.
func RepeatFile(n int, m core.Media) []core.Media { return slices.Repeat([]core.Media{m}, n) }

// Mime sets the MIME type.
func Mime(mime string) Change { return func(m *core.Media) { m.Mime = mime } }

// Frames sets the number of frames of an image.
func Frames(n int) Change { return func(m *core.Media) { m.Frames = n } }

// Convertible makes an image convertible to JPEG.
func Convertible() Change { return func(m *core.Media) { m.Convertible = true } }

// Bytes sets the size of the file in bytes.
func Bytes(n int64) Change { return func(m *core.Media) { m.Bytes = n } }

// Size sets the width and height.
func Size(width, height int) Change {
	return func(m *core.Media) { m.Width, m.Height = width, height }
}

// Duration sets the length of the video in milliseconds.
func Duration(ms int64) Change { return func(m *core.Media) { m.DurationMs = ms } }

// FPS sets the frame rate of the video.
func FPS(n float64) Change { return func(m *core.Media) { m.FPS = n } }

// Codecs sets the codecs of the video.
func Codecs(video, audio core.Codec) Change {
	return func(m *core.Media) { m.VideoCodec, m.AudioCodec = video, audio }
}

// BitRate sets the bit rate of the video in bits per second.
func BitRate(n int64) Change { return func(m *core.Media) { m.BitRate = n } }

// Sound sets the sample rate and the number of channels of the video's audio.
func Sound(rate, channels int) Change {
	return func(m *core.Media) { m.AudioRate, m.AudioChannels = rate, channels }
}
