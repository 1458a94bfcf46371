package core

import "time"

// MediaStatus is one of the four states of a file (Spec §3, Media).
type MediaStatus string

// Media states.
const (
	MediaUploading  MediaStatus = "uploading"
	MediaProcessing MediaStatus = "processing"
	MediaReady      MediaStatus = "ready"
	MediaFailed     MediaStatus = "failed"
)

// FileKind tells an image from a video.
type FileKind string

// Kinds of file.
const (
	FileImage FileKind = "image"
	FileVideo FileKind = "video"
)

// Codec is how the pictures or the sound of a video are written. One without a constant keeps the code
// under which its file names it.
type Codec string

// Codecs that networks name.
const (
	CodecH264 Codec = "h264"
	CodecH265 Codec = "h265"
	CodecVP8  Codec = "vp8"
	CodecVP9  Codec = "vp9"
	CodecAV1  Codec = "av1"
	CodecAAC  Codec = "aac"
)

// FileFacts are what the bytes of a file say of it, whatever was declared. Zero means unknown.
type FileFacts struct {
	Kind          FileKind
	Mime          string
	Bytes         int64
	Width, Height int // as it is shown: rotation is applied
	DurationMs    int64
	FPS           float64
	VideoCodec    Codec
	AudioCodec    Codec // "" without sound
	AudioRate     int   // samples a second
	AudioChannels int
	BitRate       int64 // bits per second, of all tracks together
	Frames        int   // of an image; more than one when it moves
}

// Media is a file as a post and the checks of networks see it.
type Media struct {
	ID       MediaID
	Name     string
	Status   MediaStatus
	PurgedAt time.Time // when the bytes were removed; zero while they are there
	FileFacts
}

// Proved is the file without what was only declared of it: until its bytes have been looked at no more than its
// kind is taken for granted.
func (m Media) Proved() Media {
	if m.Status != MediaReady {
		m.FileFacts = FileFacts{Kind: m.Kind}
	}
	return m
}

// Issue says why the file cannot go out with a post, nil when it can.
func (m Media) Issue() *Issue {
	switch {
	case !m.PurgedAt.IsZero():
		return new(IssueMediaPurged.With(m.Name))
	case m.Status == MediaFailed:
		return new(IssueMediaFailed.With(m.Name))
	case m.Status != MediaReady:
		return new(IssueMediaNotReady.With(m.Name))
	}
	return nil
}
