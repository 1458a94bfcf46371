package web

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/posts"
	"belfry/views/ui"
)

const (
	// maxUploadForm is the maximum number of bytes in a form with files. A form does not say how large its files are, so
	// they are first written to disk. Larger files need scripts or the API.
	maxUploadForm = 1 << 30
	// uploadAnswerTime limits the time for the response to a form with files.
	uploadAnswerTime = 60 * time.Second
	// processingPatience is how long the response waits for new files to be processed, and processingPoll the time
	// between two checks.
	processingPatience = 10 * time.Second
	processingPoll     = 100 * time.Millisecond
	// librarySize is the number of files from the library that the composer offers without scripts.
	librarySize = 60
)

// loadAndArrangeExistingFiles returns the form's files that still exist, in the form's order. It applies the button
// that moves or removes one of them.
func (r *request) loadAndArrangeExistingFiles(form url.Values) (ids []string, media []contract.Media, err error) {
	named := slices.DeleteFunc(slices.Clone(form[posts.FieldMedia]), func(id string) bool {
		return id == "" || id == form.Get(posts.FieldRemove)
	})
	found, err := r.web.cfg.App.FindFilesIncludingDeleted(r.context(), r.caller, named)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range named {
		if _, ok := found[id]; ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if i := slices.Index(ids, form.Get(posts.FieldEarlier)); i > 0 {
		ids[i-1], ids[i] = ids[i], ids[i-1]
	}
	if i := slices.Index(ids, form.Get(posts.FieldLater)); i >= 0 && i < len(ids)-1 {
		ids[i], ids[i+1] = ids[i+1], ids[i]
	}
	for _, id := range ids {
		media = append(media, found[id])
	}
	return ids, media, nil
}

// saveAltTexts saves the form's alternative texts that differ from those of the files.
func (r *request) saveAltTexts(ctx context.Context, m posts.ComposeModel) error {
	for _, f := range m.Files {
		alt, ok := m.Values.Alts[f.ID]
		if !ok || alt == f.Alt {
			continue
		}
		in := contract.EditMedia{ID: f.ID, Description: contract.Some(alt)}
		_, err := r.web.cfg.App.EditMedia(ctx, r.caller, in)
		if core.CodeOf(err) == core.CodeNotFound { // the file was deleted in the meantime
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listNewestUnchosenFiles returns the newest files in the library that can be used, except those that are already
// chosen.
func (r *request) listNewestUnchosenFiles(chosenIDs []string) ([]posts.File, error) {
	list, err := r.web.cfg.App.ListMedia(r.context(), r.caller, contract.ListMedia{
		Status: string(core.MediaReady), Limit: librarySize,
	})
	if err != nil {
		return nil, err
	}
	var ids []string
	byID := map[string]contract.Media{}
	for _, m := range list.Media {
		if m.PurgedAt == nil && !slices.Contains(chosenIDs, m.ID) {
			ids = append(ids, m.ID)
			byID[m.ID] = m
		}
	}
	return convertFilesByID(ids, byID), nil
}

// checkNoFileMissing returns an error if the form names a file that its posts would lack. Such a file is not in the
// library, or is on the person's device and was not uploaded. A form sends files only if the person presses the button
// for files.
func checkNoFileMissing(form url.Values, m posts.ComposeModel) (errorOrNil *core.Error) {
	for _, name := range form[posts.FieldUpload] {
		if name != "" {
			return core.Invalid("mediaIds", "%s has not been uploaded yet.", name).WithHint("Select “Add to the post” first.")
		}
	}
	for _, id := range form[posts.FieldMedia] {
		if id != "" && !slices.Contains(m.MediaIDs, id) {
			return core.Invalid("mediaIds", "A file that you chose is no longer in the library.").
				WithHint("Check the remaining files, then try again.")
		}
	}
	return nil
}

// uploadComposerFiles uploads the files of the composer's form, and shows the form again with these and the chosen
// files.
func (r *request) uploadComposerFiles() error {
	if err := r.caller.RequireScope(core.Write); err != nil {
		return err
	}
	sent, refused, err := r.readUploadFormOrRefuseFiles()
	if err != nil {
		return err
	}
	defer sent.RemoveAll() //nolint:errcheck // the operating system removes leftover temporary files
	form := url.Values(sent.Value)
	if err := checkCharactersAndNormalizeLineEnds(form); err != nil {
		return err
	}
	if refused != nil {
		return r.loadPlanAndRenderComposer(httpd.Status(refused.Code), form, refused)
	}
	ids, refused, err := r.uploadFiles(sent.File[posts.FieldUpload], "")
	if err != nil {
		return err
	}
	return httpd.LiftTimeLimits(uploadAnswerTime)(func(echo.Context) error {
		usable, unusable, err := r.awaitFilesProcessedOrGiveUp(ids)
		if err != nil {
			return err
		}
		form[posts.FieldMedia] = append(form[posts.FieldMedia], usable...)
		refused, status := cmp.Or(refused, unusable), http.StatusOK
		if refused != nil {
			status = httpd.Status(refused.Code)
		}
		return r.loadPlanAndRenderComposer(status, form, refused)
	})(r.echo)
}

// readUploadFormOrRefuseFiles reads a form with files, which it writes to disk. The caller must call the form's
// RemoveAll. If the workspace has no room for the files, they are not written, and refusalOrNil says why.
func (r *request) readUploadFormOrRefuseFiles() (form *multipart.Form, refusalOrNil *core.Error, err error) {
	kind, params, err := mime.ParseMediaType(r.echo.Request().Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, nil, core.Fail(core.CodeUnsupportedMediaType, "This address accepts only forms with files.").
			WithHint("Send multipart/form-data.")
	}
	done, err := r.web.uploads.admitForm(r.caller.AttributedUser())
	if err != nil {
		return nil, nil, err
	}
	defer done()
	room, refusalOrNil, err := r.getUploadFormLimit()
	if err != nil {
		return nil, nil, err
	}
	body := io.NopCloser(httpd.MinRateBody(r.echo))
	if size := r.echo.Request().ContentLength; size > room && size <= maxUploadForm {
		body = http.MaxBytesReader(r.echo.Response(), body, size)
		form, err = readFormWithoutFiles(multipart.NewReader(body, params["boundary"]))
	} else {
		body, refusalOrNil = http.MaxBytesReader(r.echo.Response(), body, room), nil
		form, err = multipart.NewReader(body, params["boundary"]).ReadForm(httpd.MaxJSONBytes)
	}
	if err == nil {
		return form, refusalOrNil, nil
	}
	if _, tooBig := errors.AsType[*http.MaxBytesError](err); tooBig {
		return nil, nil, err
	}
	return nil, nil, core.Invalid("", "The files could not be read.").WithCause(err).WithHint("Upload them again.")
}

// getUploadFormLimit returns the maximum size of a form with files, and the error for a larger form. The error is
// nil if the workspace has no limit.
func (r *request) getUploadFormLimit() (maxBytes int64, errorIfLarger *core.Error, err error) {
	who, err := r.loadWhoami()
	storage := who.Usage.Storage
	if err != nil || storage.LimitBytes == nil {
		return maxUploadForm, nil, err
	}
	left := max(0, *storage.LimitBytes-storage.UsedBytes) + httpd.MaxJSONBytes // for the other inputs
	return min(maxUploadForm, left), core.NewStorageExceededError(storage.UsedBytes, *storage.LimitBytes), nil
}

// Limits of readFormWithoutFiles, like those of multipart.Reader.ReadForm.
const (
	maxFormParts  = 1_000
	inputOverhead = 200 // bytes of memory that an input needs besides its name and value
)

// readFormWithoutFiles reads the inputs of a form, and skips its files.
func readFormWithoutFiles(parts *multipart.Reader) (*multipart.Form, error) {
	form := &multipart.Form{Value: map[string][]string{}}
	room := httpd.MaxJSONBytes
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err == nil && n == maxFormParts {
			err = multipart.ErrMessageTooLarge
		}
		if err != nil {
			return nil, err
		}
		if part.FileName() != "" {
			continue
		}
		name := part.FormName()
		text, err := io.ReadAll(io.LimitReader(part, int64(room)+1))
		if room -= len(text) + len(name) + inputOverhead; err != nil || room < 0 {
			return nil, cmp.Or(err, multipart.ErrMessageTooLarge)
		}
		form.Value[name] = append(form.Value[name], string(text))
	}
}

// uploadFiles adds files to a folder of the library, and returns the ids of those that it added. refused names the
// first file that was not added, says why, and counts the others. uploadFiles begins with the last file, because the
// library lists the newest file first.
func (r *request) uploadFiles(
	files []*multipart.FileHeader, folderIDOrEmpty string,
) (ids []string, refused *core.Error, err error) {
	var refusedName string
	for _, file := range slices.Backward(files) {
		id, err := r.uploadFile(file, folderIDOrEmpty)
		switch e, ok := asFormRefusal(convertMissingFolderError(err)); {
		case ok:
			refused, refusedName = e, baseName(file.Filename)
		case err != nil:
			return nil, nil, err
		default:
			ids = append(ids, id)
		}
	}
	slices.Reverse(ids)
	if refused == nil {
		return ids, nil, nil
	}
	told := *refused
	told.Message = refusedName + " was not uploaded. " + refused.Message
	if others := len(files) - len(ids) - 1; others > 0 {
		told.Message += " " + ui.CountNoun(others, "other file was", "other files were") + " not uploaded either."
	}
	return ids, &told, nil
}

// uploadFile adds a file to a folder of the library; "" is the top level.
func (r *request) uploadFile(file *multipart.FileHeader, folderIDOrEmpty string) (id string, err error) {
	content, err := file.Open()
	if err != nil {
		return "", err
	}
	defer content.Close()
	a := r.web.cfg.App
	in := contract.CreateUpload{Filename: baseName(file.Filename), Mime: unknownMime, Size: file.Size}
	if folderIDOrEmpty != "" {
		in.FolderID = &folderIDOrEmpty
	}
	reserved, err := a.ReserveUpload(r.context(), r.caller, in)
	if err != nil {
		return "", err
	}
	_, err = a.Intake().ReceiveUpload(r.context(), path.Base(reserved.UploadURL), file.Size, content)
	return reserved.MediaID, err
}

// unknownMime is the declared type of a file whose type is not known. The file's bytes decide its real type.
const unknownMime = "application/octet-stream"

// baseName returns a file's name without folders, which some browsers send.
func baseName(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// awaitFilesProcessedOrGiveUp waits until files have been processed, but no longer than processingPatience. It
// returns the files that can be used or are still being processed, and the error of the first file that cannot be
// used.
func (r *request) awaitFilesProcessedOrGiveUp(
	ids []string,
) (usableOrPending []string, unusableError *core.Error, err error) {
	patience, cancel := context.WithTimeout(r.context(), processingPatience)
	defer cancel()
	for _, id := range ids {
		err := r.awaitFileProcessedOrGiveUp(id, patience.Done())
		e, refused := asFormRefusal(err)
		switch {
		case refused:
			unusableError = cmp.Or(unusableError, e)
		case err != nil:
			return nil, nil, err
		default:
			usableOrPending = append(usableOrPending, id)
		}
	}
	return usableOrPending, unusableError, nil
}

// awaitFileProcessedOrGiveUp waits until a file has been processed or giveUp is closed. It returns an error if the file
// cannot be used.
func (r *request) awaitFileProcessedOrGiveUp(id string, giveUp <-chan struct{}) error {
	tick := time.NewTicker(processingPoll)
	defer tick.Stop()
	for {
		m, err := r.web.cfg.App.GetMedia(r.context(), r.caller, id)
		switch {
		case err != nil || m.Status == string(core.MediaReady):
			return err
		case m.Status == string(core.MediaFailed) && m.FailReason != nil:
			return core.Invalid("mediaIds", "%s cannot be used. %s", m.OriginalName, *m.FailReason)
		}
		select {
		case <-tick.C:
		case <-giveUp:
			return nil
		}
	}
}
