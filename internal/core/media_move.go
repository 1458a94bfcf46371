package core

import (
	"mime"
	"path"
	"strings"
)

// MediaMove is something that changes a file's state.
type MediaMove struct{ From, To MediaStatus }

// The moves of a file (Spec §3, Media). Nothing leads out of ready, and nothing but these changes a state.
var (
	MediaArrive  = MediaMove{MediaUploading, MediaProcessing} // all bytes are there
	MediaAbandon = MediaMove{MediaUploading, MediaFailed}     // they never came
	MediaAccept  = MediaMove{MediaProcessing, MediaReady}     // they are of a kind that is taken
	MediaRefuse  = MediaMove{MediaProcessing, MediaFailed}    // they are not
)

// DeclaredKind is what a file is said to be, by its type or else by its name. It is shown until the bytes
// have been looked at; whoever says nothing of it is taken to send an image.
func DeclaredKind(name, mimeType string) FileKind {
	if mimeType == "" || strings.HasPrefix(mimeType, "application/") {
		mimeType = mime.TypeByExtension(strings.ToLower(path.Ext(name)))
	}
	if strings.HasPrefix(strings.ToLower(mimeType), string(FileVideo)+"/") {
		return FileVideo
	}
	return FileImage
}

// CheckFile refuses a file that is larger than the plan allows of one (decisions.md, Plans).
func (p Plan) CheckFile(size int64) error {
	if p.FileBytes == nil || size <= *p.FileBytes {
		return nil
	}
	e := Fail(CodeQuotaExceeded, "The plan allows files of at most %d bytes; this one has %d.", *p.FileBytes, size)
	e.Quota = &QuotaFacts{Limit: *p.FileBytes, Used: size}
	return e.WithHint("Make the file smaller, or change the plan.")
}

// OverStorage is the 402 of a file for which the workspace's storage has no room.
func OverStorage(used, limit int64) *Error {
	e := Fail(CodeQuotaExceeded, "The plan allows %d bytes of storage; %d are used.", limit, used)
	e.Quota = &QuotaFacts{Limit: limit, Used: used}
	return e.WithHint("Delete files that you no longer need, or change the plan.")
}
