package meta

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// uploadTime is how long one call sends bytes. The network keeps the bytes that have arrived, and the next call sends
// the rest. The limit leaves time to query how many have arrived.
const uploadTime = 20 * time.Second

// uploadHandle is the prefix of the handle of an object until all its bytes are sent. The upload's address follows
// it.
const uploadHandle = "upload:"

// NewUploadHandle returns the handle of an object whose bytes must be sent to an address. It returns an error if the
// address is not for this object at the network's upload host.
func NewUploadHandle(id ID, address, uploadHost string) (handle string, err error) {
	u, err := url.Parse(address)
	if err != nil || id == "" || u.Scheme != "https" || u.Host != uploadHost || !strings.HasSuffix(u.Path, "/"+string(id)) {
		return "", &network.Error{Kind: network.Unknown, Message: "The network did not return an upload address."}
	}
	return uploadHandle + address, nil
}

// ParseUploadHandle returns the address of an upload and the id of its object. ok is false for a handle that
// NewUploadHandle did not create.
func ParseUploadHandle(handle string) (address, id string, ok bool) {
	address, ok = strings.CutPrefix(handle, uploadHandle)
	if u, err := url.Parse(address); err == nil {
		id = path.Base(u.Path)
	}
	return address, id, ok
}

// SendFileURL sends the network the address from which it fetches a file.
func (a API) SendFileURL(ctx context.Context, token network.Secret, uploadURL string, f network.File) error {
	return a.postToUploadURL(ctx, token, uploadURL, http.Header{"file_url": {f.URL}}, nil)
}

func (a API) postToUploadURL(
	ctx context.Context, token network.Secret, uploadURL string, header http.Header, body *network.Body,
) error {
	header.Set("Authorization", "OAuth "+token.Reveal())
	var out struct {
		Success bool `json:"success"`
	}
	err := a.callAndDecode(ctx, network.Request{
		Method: http.MethodPost, URL: uploadURL, Secrets: []network.Secret{token}, Header: header, Body: body,
	}, &out)
	if err == nil && !out.Success {
		err = &network.Error{Kind: network.Unknown, Message: "The network did not confirm the upload."}
	}
	return err
}

// UploadProgress is how much of an upload has arrived.
type UploadProgress struct {
	Bytes int64
	All   bool
}

// SendRemaining sends the bytes of a file that have not arrived yet. It returns Pending with the id as handle if all
// have arrived, and Progress if only some have. A lost or slow call is not an error, because fetchProgress returns how
// many bytes have arrived.
func (a API) SendRemaining(
	ctx context.Context, token network.Secret, handle string, f network.File,
	fetchProgress func(ctx context.Context, id string) (UploadProgress, error),
) (network.Status, error) {
	uploadURL, id, _ := ParseUploadHandle(handle)
	before, err := fetchProgress(ctx, id)
	if err != nil {
		return network.Status{}, err
	}
	if before.All || before.Bytes >= f.Bytes {
		return network.Status{Verdict: core.Pending, Handle: id}, nil
	}
	sendErr := a.sendFromOffsetWithTimeout(ctx, token, uploadURL, f, before.Bytes)
	var e *network.Error
	switch {
	case sendErr == nil:
		return network.Status{Verdict: core.Pending, Handle: id}, nil
	case !errors.As(sendErr, &e) || e.Kind != network.Unknown && e.Kind != network.Transient:
		return network.Status{}, sendErr
	}
	after, err := fetchProgress(ctx, id)
	switch {
	case err != nil:
		return network.Status{}, err
	case after.All:
		return network.Status{Verdict: core.Pending, Handle: id}, nil
	case after.Bytes > before.Bytes:
		return network.Status{Verdict: core.Progress}, nil
	}
	return network.Status{Verdict: core.Pending, Message: e.Message}, nil
}

func (a API) sendFromOffsetWithTimeout(
	ctx context.Context,
	token network.Secret,
	uploadURL string,
	f network.File,
	offset int64,
) error {
	ctx, cancel := context.WithTimeout(ctx, uploadTime)
	defer cancel()
	rest := f.PartBody(offset, f.Bytes-offset)
	rest.Type = "application/octet-stream"
	return a.postToUploadURL(ctx, token, uploadURL, http.Header{
		"offset": {strconv.FormatInt(offset, 10)}, "file_size": {strconv.FormatInt(f.Bytes, 10)},
	}, rest)
}

// FilePart is a part of a file, sent as a field of a form.
type FilePart struct {
	Field      string
	File       network.File
	From, Size int64
}

// PostFilePart sends a form with a part of a file to path and decodes the response into the value.
func (a API) PostFilePart(
	ctx context.Context, path string, token network.Secret, form url.Values, part FilePart, into any,
) error {
	form = a.withProofIfNeeded(token, form)
	body, err := newMultipartBody(form, part)
	if err != nil {
		return err
	}
	return a.callAndDecode(ctx, network.Request{
		Method: http.MethodPost, URL: a.Base + path, Token: token, Body: body,
		Secrets: []network.Secret{network.Secret(form.Get("appsecret_proof"))},
	}, into)
}

// newMultipartBody returns the body of a form whose last field is a part of a file.
func newMultipartBody(form url.Values, part FilePart) (*network.Body, error) {
	var head bytes.Buffer
	w := multipart.NewWriter(&head)
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if err := w.WriteField(name, form.Get(name)); err != nil {
			return nil, err
		}
	}
	_, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name=%q; filename="file"`, part.Field)},
		"Content-Type":        {part.File.Mime},
	})
	if err != nil {
		return nil, err
	}
	tail := "\r\n--" + w.Boundary() + "--\r\n"
	return &network.Body{
		Size: int64(head.Len()) + part.Size + int64(len(tail)), Type: w.FormDataContentType(),
		Open: func(ctx context.Context) (io.ReadCloser, error) {
			file, err := part.File.PartBody(part.From, part.Size).Open(ctx)
			if err != nil {
				return nil, err
			}
			all := io.MultiReader(bytes.NewReader(head.Bytes()), file, strings.NewReader(tail))
			return multipartBody{all, file}, nil
		},
	}, nil
}

// multipartBody reads a form and closes its file.
type multipartBody struct {
	io.Reader
	io.Closer
}
