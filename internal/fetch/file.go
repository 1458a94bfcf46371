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

// File is an answer's body, held to its limits, and what the server says of it, none of which is to be believed. Only
// time spent reading counts: the other side must not suffer for a slow disk of ours.
type File struct {
	// Length is how many bytes the body has; -1 when the server does not say.
	Length int64
	// Offset is the place of the body's first byte in the file.
	Offset int64
	// Name is the file's own name, fit to be shown; it may be empty.
	Name string
	// Validator is for GetFrom; it is empty when the server cannot resume.
	Validator string

	ctx    context.Context //nolint:containedctx // that of the request, for which the body is open
	body   io.ReadCloser
	stop   func(error) // ends the request
	left   int64       // bytes that may still come
	read   int64
	spent  time.Duration // in Read
	client *Client
}

// Read returns ErrTooLarge when there are more bytes than the caller wants, and otherwise an *Error.
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

// maxNameLength is how many characters of a name are kept.
const maxNameLength = 200

// fileName is what the server calls the file, or else the end of its path.
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
