package core

import (
	"mime"
	"path"
	"strings"
	"time"
)

// MediaStatus is one of the four states of a file (Spec §3, Media).
type MediaStatus string

// States of a file.
const (
	MediaUploading  MediaStatus = "uploading"
	MediaProcessing MediaStatus = "processing"
	MediaReady      MediaStatus = "ready"
	MediaFailed     MediaStatus = "failed"
)

// FileKind says whether a file is an image or a video.
type FileKind string

// Kinds of file.
const (
	FileImage FileKind = "image"
	FileVideo FileKind = "video"
)

// Codec is the format of a video's pictures or sound. A codec without a constant has the code that the file contains.
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

// FileFacts are what the bytes of a file show, regardless of what was declared. Zero means unknown.
type FileFacts struct {
	Kind          FileKind
	Mime          string
	Bytes         int64
	Width, Height int // as displayed, after rotation
	DurationMs    int64
	FPS           float64
	VideoCodec    Codec
	AudioCodec    Codec // "" without sound
	AudioRate     int   // samples a second
	AudioChannels int
	BitRate       int64 // bits per second, all tracks together
	Frames        int   // of an image; more than one if it is animated
	Convertible   bool  // a still image that can be sent as a JPEG instead
}

// Media is a file as posts and the networks' checks see it.
type Media struct {
	ID       MediaID
	Name     string
	Status   MediaStatus
	PurgedAt time.Time // when the bytes were deleted; zero while they exist
	FileFacts
}

// WithoutUnverifiedFacts returns the file without the facts that are not verified yet: only its kind remains until
// the bytes have been examined.
func (m Media) WithoutUnverifiedFacts() Media {
	if m.Status != MediaReady {
		m.FileFacts = FileFacts{Kind: m.Kind}
	}
	return m
}

// Issue returns the reason why the file cannot be published, or nil if there is none.
func (m Media) Issue() (issueOrNil *Issue) {
	switch {
	case !m.PurgedAt.IsZero():
		return new(IssueMediaPurged.WithoutNetwork(m.Name))
	case m.Status == MediaFailed:
		return new(IssueMediaFailed.WithoutNetwork(m.Name))
	case m.Status == MediaUploading:
		return new(IssueMediaUploading.WithoutNetwork(m.Name))
	case m.Status != MediaReady:
		return new(IssueMediaNotReady.WithoutNetwork(m.Name))
	}
	return nil
}

// MediaMove is a change of a file's state.
type MediaMove struct{ From, To MediaStatus }

// The moves of a file (Spec §3, Media). The state of a file changes only by these moves.
var (
	MediaArrive  = MediaMove{MediaUploading, MediaProcessing} // all bytes have arrived
	MediaAbandon = MediaMove{MediaUploading, MediaFailed}     // the bytes never arrived
	MediaAccept  = MediaMove{MediaProcessing, MediaReady}     // the file can be published
	MediaRefuse  = MediaMove{MediaProcessing, MediaFailed}    // the file cannot be published
)

// DeclaredKindOrImage returns the kind of a file by its declared type or, if that is empty or generic, by its name. If
// neither says that the file is a video, it is an image. The declared kind is used until the bytes have been examined.
func DeclaredKindOrImage(fileName, declaredType string) FileKind {
	mimeType := declaredType
	if mimeType == "" || strings.HasPrefix(mimeType, "application/") {
		mimeType = mime.TypeByExtension(strings.ToLower(path.Ext(fileName)))
	}
	if strings.HasPrefix(strings.ToLower(mimeType), string(FileVideo)+"/") {
		return FileVideo
	}
	return FileImage
}

// CheckFileSize returns quota_exceeded for a file that is larger than the plan allows (decisions.md, Plans).
func (p Plan) CheckFileSize(bytes int64) error {
	if p.FileBytes == nil || bytes <= *p.FileBytes {
		return nil
	}
	e := Fail(CodeQuotaExceeded, "The subscription plan allows files of at most %s; this file is larger.", FormatBytes(*p.FileBytes))
	e.Quota = &QuotaFacts{Limit: *p.FileBytes, Used: bytes}
	return e.WithHint("Make the file smaller, or change the subscription plan.")
}

// NewStorageExceededError returns quota_exceeded for a file that exceeds the workspace's storage.
func NewStorageExceededError(usedBytes, limitBytes int64) *Error {
	e := Fail(CodeQuotaExceeded, "There is not enough storage for the file: the workspace uses %s of its %s.",
		FormatBytes(usedBytes), FormatBytes(limitBytes))
	e.Quota = &QuotaFacts{Limit: limitBytes, Used: usedBytes}
	return e.WithHint("Delete files that you no longer need, or change the subscription plan.")
}
