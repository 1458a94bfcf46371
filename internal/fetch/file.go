package fetch

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode"
)

// FileBody is the body of a response, with limits. What the server says about the file cannot be trusted. Only the time
// spent in Read counts toward the limits on idle time and rate, so that a slow disk does not make a download fail.
type FileBody struct {
	// Length is the number of bytes in the body, or -1 if the server does not state it.
	Length int64
	// Offset is the position of the body's first byte in the file.
	Offset int64
	// Name is the file's name, which is safe to show and may be empty.
	Name string
	// Validator is the validator for GetRestOrWhole, or empty if the server cannot resume downloads.
	Validator string

	ctx    context.Context //nolint:containedctx // the context of the request
	body   io.ReadCloser
	stop   func(error) // ends the request
	left   int64       // how many more bytes are allowed
	read   int64
	spent  time.Duration // in Read
	client *Client
}

// Read implements io.Reader. Its error is io.EOF, an *Error, or, if there are more bytes than the caller allowed,
// ErrTooLarge.
func (f *FileBody) Read(p []byte) (int, error) {
	limits := f.client.limits
	started := f.client.now()
	silence := time.AfterFunc(limits.idleTimeout, func() { f.stop(errIdle) })
	n, err := f.body.Read(p[:min(int64(len(p)), f.left+1)]) // one more than allowed, to notice that there are more
	silence.Stop()
	f.spent += f.client.now().Sub(started)
	f.read += int64(n)
	switch {
	case int64(n) > f.left:
		return int(f.left), ErrTooLarge
	case err == nil && f.spent > limits.rateGrace && float64(f.read) < f.spent.Seconds()*float64(limits.minRate):
		err = errSlow
	}
	f.left -= int64(n)
	if err != nil && err != io.EOF { //nolint:errorlint // bodies return io.EOF unwrapped
		err = wrapCauseOrError(f.ctx, err)
	}
	return n, err
}

// Close ends the download.
func (f *FileBody) Close() error {
	err := f.body.Close()
	f.stop(nil)
	return err
}

// maxNameLength is the maximum number of characters in a name.
const maxNameLength = 200

// fileName returns the name of the file in a response: the one that the server states, or the last part of the path.
// The name is safe to show, and may be empty.
func fileName(answer *http.Response) (safeNameOrEmpty string) {
	_, params, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
	if err == nil && sanitizeFileName(params["filename"]) != "" {
		return sanitizeFileName(params["filename"])
	}
	return sanitizeFileName(answer.Request.URL.Path)
}

// sanitizeFileName returns the printable characters of the last part of a path, which may use slashes or backslashes.
func sanitizeFileName(nameOrPath string) (nameOrEmpty string) {
	name := path.Base(strings.ReplaceAll(strings.ToValidUTF8(nameOrPath, ""), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) { // marks that change the direction of text are not printable either
			return -1
		}
		return r
	}, name)
	name = strings.Trim(name, " ./")
	if runes := []rune(name); len(runes) > maxNameLength {
		name = string(runes[:maxNameLength])
	}
	return name
}
