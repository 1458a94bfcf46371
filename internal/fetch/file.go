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

// File is the body of a response, with its limits, and what the server says about it, which cannot be trusted. Only
// time spent reading counts toward the time limits, so that a slow disk here does not fail the download.
type File struct {
	// Length is the number of bytes in the body; -1 if the server does not say.
	Length int64
	// Offset is the position of the body's first byte in the file.
	Offset int64
	// Name is the file's name, safe to show; it may be empty.
	Name string
	// Validator is for GetFrom; empty if the server cannot resume.
	Validator string

	ctx    context.Context //nolint:containedctx // that of the request, for which the body is open
	body   io.ReadCloser
	stop   func(error) // ends the request
	left   int64       // bytes that may still come
	read   int64
	spent  time.Duration // in Read
	client *Client
}

// Read returns ErrTooLarge if there are more bytes than the caller accepts, and otherwise an *Error.
func (f *File) Read(p []byte) (int, error) {
	limits := f.client.limits
	started := f.client.now()
	silence := time.AfterFunc(limits.idleTimeout, func() { f.stop(errIdle) })
	n, err := f.body.Read(p[:min(int64(len(p)), f.left+1)]) // one more shows that there is more
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
	if err != nil && err != io.EOF { //nolint:errorlint // bodies return it bare
		err = wrapError(f.ctx, err)
	}
	return n, err
}

// Close ends the download.
func (f *File) Close() error {
	err := f.body.Close()
	f.stop(nil)
	return err
}

// maxNameLength is the maximum number of characters in a name.
const maxNameLength = 200

// fileName returns the file's name from the server, or the last part of its path.
func fileName(answer *http.Response) string {
	_, params, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
	if err == nil && cleanName(params["filename"]) != "" {
		return cleanName(params["filename"])
	}
	return cleanName(answer.Request.URL.Path)
}

// cleanName returns the printable characters of a path's last part, whatever system the path is from.
func cleanName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) { // marks that turn the direction of text are not printed either
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
