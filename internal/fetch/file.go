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

// File is an answer's body and what the server says of it, none of which is to be believed.
type File struct {
	body
	// Length is how many bytes the body has; -1 when the server does not say.
	Length int64
	// Offset is the place of the body's first byte in the file.
	Offset int64
	// Name is the file's own name, fit to be shown; it may be empty.
	Name string
	// Validator is for GetFrom; it is empty when the server cannot resume.
	Validator string
}

// body holds an answer to its bounds. Only time spent reading counts, since the other side must not
// suffer for a slow disk of ours.
type body struct {
	ctx    context.Context
	r      io.ReadCloser
	stop   func(error)
	left   int64
	read   int64
	spent  time.Duration
	client *Client
}

// Read gives ErrTooLarge when there are more bytes than the caller wants, and otherwise an *Error.
func (b *body) Read(p []byte) (int, error) {
	limits := b.client.bounds
	started := b.client.now()
	silence := time.AfterFunc(limits.idle, func() { b.stop(errSilence) })
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)]) // one more shows that there is more
	silence.Stop()
	b.spent += b.client.now().Sub(started)
	b.read += int64(n)
	switch {
	case int64(n) > b.left:
		return int(b.left), ErrTooLarge
	case err == nil && b.spent > limits.grace && float64(b.read) < b.spent.Seconds()*float64(limits.rate):
		err = errSlow
	}
	b.left -= int64(n)
	if err != nil && err != io.EOF { //nolint:errorlint // bodies return it bare
		err = explain(b.ctx, err)
	}
	return n, err
}

// Close ends the download.
func (b *body) Close() error {
	err := b.r.Close()
	b.stop(nil)
	return err
}

// nameLimit is how many characters of a name are kept.
const nameLimit = 200

// name is what the server calls the file, or else the end of its path.
func name(answer *http.Response) string {
	_, params, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
	if err == nil && clean(params["filename"]) != "" {
		return clean(params["filename"])
	}
	return clean(answer.Request.URL.Path)
}

// clean takes the last part of a path, whatever system's, and of that what can be printed.
func clean(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) { // marks that turn the direction of text are not printed either
			return -1
		}
		return r
	}, name)
	name = strings.Trim(name, " ./")
	if runes := []rune(name); len(runes) > nameLimit {
		name = string(runes[:nameLimit])
	}
	return name
}
