package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/media"
)

// reserveUpload reserves a file for static/js/upload.js, which then sends its bytes to the signed address in the
// response. Submitting the form again returns the same reservation.
func (r *request) reserveUpload(form url.Values) error {
	size, err := strconv.ParseInt(form.Get("size"), 10, 64)
	if err != nil {
		return r.writeErrorJSONUnlessInternal(
			core.Invalid("size", "The size of the file is missing or is not a whole number.").WithCause(err))
	}
	in := contract.CreateUpload{Filename: baseName(form.Get("filename")), Mime: form.Get("mime"), Size: size}
	if in.Mime == "" {
		in.Mime = unknownMime
	}
	if folder := form.Get(media.FieldFolder); folder != "" {
		in.FolderID = &folder
	}
	operation, ok := app.FindOperation("media_create_upload")
	if !ok {
		return errors.New("there is no operation that reserves an upload")
	}
	answer, err := r.web.cfg.App.RunOperation(r.context(), operation, app.Request{
		Caller: r.caller, Decode: app.NewFixedInputDecoder(in), ReplayKey: newFormReplayKeyOrNil(form),
	})
	if err != nil {
		return r.writeErrorJSONUnlessInternal(err)
	}
	return r.writeJSON(http.StatusCreated, json.RawMessage(answer.Body))
}

// writeUploadedFilesJSON returns the files with the ids in the query as JSON, for the script that has uploaded them.
func (r *request) writeUploadedFilesJSON() error {
	found, err := r.web.cfg.App.FindFilesIncludingDeleted(r.context(), r.caller, r.echo.QueryParams()["id"])
	if err != nil {
		return r.writeErrorJSONUnlessInternal(err)
	}
	list := contract.MediaList{Media: []contract.Media{}}
	for _, one := range found {
		list.Media = append(list.Media, one)
	}
	return r.writeJSON(http.StatusOK, list)
}

// deleteUploadEvenIfComplete deletes a reserved file that the script will not upload. It does not check that the bytes
// are missing.
func (r *request) deleteUploadEvenIfComplete() error {
	if err := r.web.cfg.App.DeleteMedia(r.context(), r.caller, r.pathID()); err != nil {
		return r.writeErrorJSONUnlessInternal(err)
	}
	return r.writeJSON(http.StatusOK, struct{}{})
}

// writeJSON saves the session and responds with JSON.
func (r *request) writeJSON(status int, v any) error {
	body, err := contract.EncodeJSON(v)
	if err != nil {
		return err
	}
	if err := r.saveSessionIfChanged(); err != nil {
		return err
	}
	return r.echo.Blob(status, "application/json", body)
}

// writeErrorJSONUnlessInternal responds with an error as JSON, in words for people. It returns an internal or
// unavailable error unchanged.
func (r *request) writeErrorJSONUnlessInternal(err error) error {
	e := core.ErrorOrInternal(err)
	if e.Code == core.CodeInternal || e.Code == core.CodeUnavailable {
		return err
	}
	r.setRetryAfterHeader(e)
	told := r.web.errorForPeople(e)
	if e.Code == core.CodeNotFound { // errorForPeople leaves the texts for not_found to pages
		told.Message, told.Hint = "The folder or the file no longer exists.", "Reload the page."
	}
	return r.writeJSON(httpd.Status(e.Code), told)
}

// maxUploadForms is how many forms with files a person may send at the same time. Each is written to disk first.
const maxUploadForms = 2

// uploadForms counts the forms with files that are being sent, by person. Its zero value is ready to use.
type uploadForms struct {
	mu   sync.Mutex
	sent map[core.UserID]int
}

// admitForm counts a form as being sent until done is called. It returns rate_limited if the person is already sending
// the maximum number of forms.
func (u *uploadForms) admitForm(person core.UserID) (done func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.sent[person] >= maxUploadForms {
		e := core.Fail(core.CodeRateLimited, "You are already sending %d forms with files.", maxUploadForms).
			WithHint("Wait until one of them has been sent.")
		e.RetryAfter = 10
		return nil, e
	}
	if u.sent == nil {
		u.sent = map[core.UserID]int{}
	}
	u.sent[person]++
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.sent[person]--; u.sent[person] == 0 {
			delete(u.sent, person)
		}
	}, nil
}
