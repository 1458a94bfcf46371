package core

import (
	"mime"
	"path"
	"strings"
)

// MediaMove is a change of a file's state.
type MediaMove struct{ From, To MediaStatus }

// The moves of a file (Spec §3, Media). Nothing leads out of ready, and nothing but these changes a state.
var (
	MediaArrive  = MediaMove{MediaUploading, MediaProcessing} // all bytes are there
	MediaAbandon = MediaMove{MediaUploading, MediaFailed}     // they never came
	MediaAccept  = MediaMove{MediaProcessing, MediaReady}     // they are of a kind that is taken
	MediaRefuse  = MediaMove{MediaProcessing, MediaFailed}    // they are not
)

// DeclaredKind returns the kind of a file by its declared type, or otherwise by its name. It is used until the bytes
// have been examined. The default is an image.
func DeclaredKind(name, mimeType string) FileKind {
	if mimeType == "" || strings.HasPrefix(mimeType, "application/") {
		mimeType = mime.TypeByExtension(strings.ToLower(path.Ext(name)))
	}
	if strings.HasPrefix(strings.ToLower(mimeType), string(FileVideo)+"/") {
		return FileVideo
	}
	return FileImage
}

// CheckFile returns quota_exceeded for a file that is larger than the plan allows (decisions.md, Plans).
func (p Plan) CheckFile(size int64) error {
	if p.FileBytes == nil || size <= *p.FileBytes {
		return nil
	}
	e := Fail(CodeQuotaExceeded, "The plan allows files of at most %d bytes; this one has %d.", *p.FileBytes, size)
	e.Quota = &QuotaFacts{Limit: *p.FileBytes, Used: size}
	return e.WithHint("Make the file smaller, or change the plan.")
}

// OverStorage returns the 402 for a file that exceeds the workspace's storage.
func OverStorage(used, limit int64) *Error {
	e := Fail(CodeQuotaExceeded, "The plan allows %d bytes of storage; %d are used.", limit, used)
	e.Quota = &QuotaFacts{Limit: limit, Used: used}
	return e.WithHint("Delete files that you no longer need, or change the plan.")
}
