package intake

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"mime"
	"strings"
	"time"
	"unicode"

	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// maxNameLength is the maximum length of a file's name in characters, and of a media type in bytes.
const maxNameLength = 255

// ReserveUpload adds a file, reserves its storage, and returns the address to upload it to (Spec §4, Media). It calls
// inTx in the same transaction. Its errors are, in this order: invalid_request, not_found for the folder, and
// quota_exceeded.
func (s *Service) ReserveUpload(
	ctx context.Context, t store.Tenant, request contract.CreateUpload, inTx func(store.Tenant, contract.Upload) error,
) (contract.Upload, error) {
	m, err := s.checkAndBuildMediaRow(request.Filename, request.Mime)
	if err != nil {
		return contract.Upload{}, err
	}
	switch {
	case request.Size < 1:
		return contract.Upload{}, core.Invalid("size", "The file is empty.")
	case request.Size > blob.MaxSize:
		return contract.Upload{}, core.Invalid("size", "The file is larger than %s.", core.FormatBytes(blob.MaxSize))
	}
	m.Bytes, m.Charged = request.Size, request.Size
	plan, err := s.setFolderAndLoadPlan(ctx, t, &m, request.FolderID)
	if err != nil {
		return contract.Upload{}, err
	}
	if err := plan.CheckFileSize(m.Bytes); err != nil {
		return contract.Upload{}, err
	}
	token := s.signToken(purposeUpload, t.WorkspaceID(), m.ID, "", m.ExpiresAt)
	out := contract.Upload{
		MediaID: m.ID.String(), UploadURL: s.cfg.PublicURL + contract.UploadPath + token,
		ExpiresAt: contract.Time{Time: m.ExpiresAt},
	}
	return out, s.reserveFreeingExpiredUploadsIfFull(ctx, t, func(t store.Tenant) error {
		if err := chargeStorage(ctx, t, plan, m.Bytes); err != nil {
			return err
		}
		if err := t.AddMediaWithReservedStorage(ctx, m, m.ExpiresAt); err != nil {
			return err
		}
		return inTx(t, out)
	})
}

// checkAndBuildMediaRow returns the row of a new file without bytes, or invalid_request if the name or the type is not
// valid. It stores nothing.
func (s *Service) checkAndBuildMediaRow(name, mimeType string) (store.Media, error) {
	name = strings.Map(dropInvisible, name)
	if err := core.CheckRequiredLine("filename", "The file's name", name, maxNameLength); err != nil {
		return store.Media{}, err
	}
	kind, _, err := mime.ParseMediaType(mimeType)
	if err != nil || !strings.Contains(kind, "/") || len(mimeType) > maxNameLength {
		return store.Media{}, core.Invalid("mime", "The type must be a media type, such as image/jpeg.").WithCause(err)
	}
	now := s.cfg.Now().UTC().Truncate(time.Microsecond)
	m := store.Media{CreatedAt: now, ExpiresAt: now.Add(s.cfg.UploadTTL).Truncate(time.Second)}
	m.ID, m.Name, m.Mime, m.Kind = core.NewID[core.MediaKind](), name, kind, core.DeclaredKindOrImage(name, kind)
	return m, nil
}

// dropInvisible is a mapping for strings.Map that drops invisible characters and those that change the direction of
// text, which can make "gpj.exe" look like "exe.jpg". It keeps the characters that join letters and emoji.
func dropInvisible(r rune) rune {
	const nonJoiner, joiner = '\u200c', '\u200d'
	if r != nonJoiner && r != joiner && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
		return -1
	}
	return r
}

// setFolderAndLoadPlan sets the folder of a new file, and returns the workspace's subscription plan. It returns
// not_found for a folder that does not exist.
func (s *Service) setFolderAndLoadPlan(
	ctx context.Context, t store.Tenant, m *store.Media, folderIDOrNil *string,
) (core.Plan, error) {
	if folderIDOrNil != nil {
		id, err := core.ParseID[core.FolderKind](*folderIDOrNil)
		if err != nil {
			return core.Plan{}, core.WithNotFoundPath("folderId", err)
		}
		if _, err := t.Folder(ctx, id); err != nil {
			return core.Plan{}, core.WithNotFoundPath("folderId", err)
		}
		m.Folder = id
	}
	return s.loadPlan(ctx, t)
}

// reserveFreeingExpiredUploadsIfFull calls reserve in a transaction. If reserve returns quota_exceeded, it frees the
// storage of expired uploads and calls reserve once more.
func (s *Service) reserveFreeingExpiredUploadsIfFull(
	ctx context.Context, t store.Tenant, reserve func(store.Tenant) error,
) error {
	err := t.Tx(ctx, reserve)
	if core.CodeOf(err) != core.CodeQuotaExceeded {
		return err
	}
	expired, listErr := t.ExpiredUploadIDs(ctx)
	if listErr != nil || len(expired) == 0 {
		return errors.Join(err, listErr)
	}
	for _, id := range expired {
		if err := s.expireUploadIfUnclaimed(ctx, t, id); err != nil {
			return err
		}
	}
	return t.Tx(ctx, reserve)
}

// chargeStorage charges bytes to the workspace, or returns quota_exceeded.
func chargeStorage(ctx context.Context, t store.Tenant, plan core.Plan, bytes int64) error {
	used, ok, err := t.ReserveStorage(ctx, bytes, plan.StorageBytes)
	if err == nil && !ok {
		return core.NewStorageExceededError(used, *plan.StorageBytes)
	}
	return err
}

// reasonExpired is the reason shown for a file that was not uploaded in time.
const reasonExpired = "The file was not uploaded in time."

// expireUploadIfUnclaimed marks a file as failed because it was not uploaded in time, and frees its reserved storage.
// The caller checks the time. expireUploadIfUnclaimed does nothing if an upload is in progress or has succeeded.
func (s *Service) expireUploadIfUnclaimed(ctx context.Context, t store.Tenant, id core.MediaID) error {
	return lockAndUpdateMediaIfExists(ctx, t, id, func(t store.Tenant, m store.Media) error {
		_, err := t.ChangeMediaStateAndEndClaim(ctx, m, 0, store.MediaChange{
			MediaMove: core.MediaAbandon, FailReason: reasonExpired, Facts: m.FileFacts,
		})
		return err
	})
}

// ReceiveUpload stores the bytes sent to an upload address, of which token is the last part. contentLength is their
// number, or -1 if the sender did not state it; it must be the size of the reservation. An interrupted upload can be
// repeated. Of two concurrent uploads, one is refused with upload_in_progress. After a successful upload, the error is
// already_uploaded, even once the address has expired. The body is not read before the upload is accepted, and is
// streamed to the storage.
func (s *Service) ReceiveUpload(
	ctx context.Context, token string, contentLength int64, body io.Reader,
) (contract.Uploaded, error) {
	t, id, _, err := s.verifyToken(purposeUpload, token)
	expired := errors.Is(err, secret.ErrExpired)
	switch {
	case expired: // a repeated upload is still told that the file has arrived
	case errors.Is(err, secret.ErrSigned):
		return contract.Uploaded{}, core.Fail(core.CodeNotFound, "This is not a valid upload address.").
			WithHint("Use the complete `uploadUrl` from POST /media/uploads.")
	case err != nil:
		return contract.Uploaded{}, err
	}
	m, err := t.Media(ctx, id)
	if err == nil {
		err = checkAwaitingUpload(m)
	}
	if err == nil && expired {
		err = newUploadExpiredError()
	}
	if err != nil {
		return contract.Uploaded{}, err
	}
	if contentLength != m.Bytes {
		return contract.Uploaded{}, newSizeMismatchError(m.Bytes, contentLength)
	}
	claim, ok, err := t.ClaimMedia(ctx, id, core.MediaUploading, leaseTime)
	if err != nil {
		return contract.Uploaded{}, err
	}
	if !ok {
		return contract.Uploaded{}, s.explainUploadConflict(ctx, t, id)
	}
	return s.storeUploadAndEnqueueProcessing(ctx, t, m, claim, body)
}

// storeUploadAndEnqueueProcessing streams the body to the storage under the claim, marks the file as uploaded, and
// enqueues its processing. If the body cannot be stored, it ends the claim.
func (s *Service) storeUploadAndEnqueueProcessing(
	ctx context.Context, t store.Tenant, m store.Media, claim store.MediaClaim, body io.Reader,
) (contract.Uploaded, error) {
	key, source := newBlobKey(), &trackingReader{reader: body}
	err := s.renewLeaseWhile(ctx, t, claim, func(ctx context.Context) error {
		return s.cfg.Blobs.Put(ctx, key, source, m.Bytes)
	})
	// The result is saved even if the sender has disconnected.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	if err != nil {
		return contract.Uploaded{}, s.releaseClaimAndExplainFailure(ctx, t, claim, source, err)
	}
	kept, err := s.markUploadedAndEnqueueProcessing(ctx, t, claim, key, m.Bytes)
	if err != nil {
		return contract.Uploaded{}, err
	}
	if !kept {
		return contract.Uploaded{}, s.explainUploadConflict(ctx, t, m.ID)
	}
	return contract.Uploaded{MediaID: m.ID.String(), Status: string(core.MediaProcessing)}, nil
}

// markUploadedAndEnqueueProcessing records that a file's bytes are stored under key, and enqueues a job that examines
// them. It returns false, and deletes the bytes, if the claim was lost or the file was deleted.
func (s *Service) markUploadedAndEnqueueProcessing(
	ctx context.Context, t store.Tenant, claim store.MediaClaim, key string, size int64,
) (kept bool, err error) {
	err = lockAndUpdateMediaIfExists(ctx, t, claim.ID, func(t store.Tenant, m store.Media) (err error) {
		m.Bytes = size
		kept, err = t.ChangeMediaStateAndEndClaim(ctx, m, claim.Epoch, store.MediaChange{
			MediaMove: core.MediaArrive, Facts: m.FileFacts, Charged: size, Blob: key, Next: s.cfg.Now().Add(startPatience),
		})
		if err != nil || !kept {
			return err
		}
		return t.Enqueue(ctx, queue.Process{Workspace: t.WorkspaceID(), Media: m.ID}, time.Time{})
	})
	if err != nil {
		// The commit may have succeeded, so the bytes stay. If it did not, DeleteUnreferencedBlobsIfDue deletes them.
		return false, err
	}
	if !kept {
		s.tryDeleteBlobs(ctx, key)
	}
	return kept, nil
}

// releaseClaimAndExplainFailure releases the claim of an upload that failed with err, and returns the error for the
// sender.
func (s *Service) releaseClaimAndExplainFailure(
	ctx context.Context, t store.Tenant, claim store.MediaClaim, source *trackingReader, err error,
) (senderErr error) {
	if releaseErr := t.ReleaseMediaClaimIfHeld(ctx, claim, 0, false); releaseErr != nil {
		s.cfg.Log.Warn("could not release the claim of an upload; the claim will expire by itself", "media", claim.ID, "error", releaseErr)
	}
	switch {
	case errors.Is(err, errLeaseLost):
		return s.explainUploadConflict(ctx, t, claim.ID)
	case source.err != nil, errors.Is(err, io.ErrUnexpectedEOF):
		return core.Invalid("", "The upload was interrupted.").
			WithHint("Send the whole file again to the same address, at a rate of at least 16 KiB per second.").WithCause(err)
	}
	return err
}

// explainUploadConflict returns the error for an upload that lost its file to another request: upload_in_progress, or
// already_uploaded or upload_expired if the file no longer awaits an upload.
func (s *Service) explainUploadConflict(ctx context.Context, t store.Tenant, id core.MediaID) (senderErr error) {
	m, err := t.Media(ctx, id)
	if err != nil {
		return err
	}
	if err := checkAwaitingUpload(m); err != nil {
		return err
	}
	e := core.Fail(core.CodeUploadInProgress, "Another request is uploading this file.").
		WithHint("Wait until that upload finishes. If it was interrupted, try again in 30 seconds.")
	e.RetryAfter = int(leaseTime / time.Second)
	return e
}

// checkAwaitingUpload returns already_uploaded or upload_expired unless the file still awaits its upload.
func checkAwaitingUpload(m store.Media) error {
	switch {
	case m.Status == core.MediaUploading && m.Source == nil:
		return nil
	case m.Status == core.MediaFailed && m.Blob == "" && m.FailReason == reasonExpired:
		return newUploadExpiredError()
	}
	return core.Fail(core.CodeAlreadyUploaded, "The file has already been uploaded.").
		WithHint("Poll the file's record until its status is ready or failed.")
}

func newUploadExpiredError() error {
	return core.Fail(core.CodeUploadExpired, "This upload address has expired.").
		WithHint("Reserve a new one with POST /media/uploads.")
}

// newSizeMismatchError returns the error for an upload with another size than was reserved. contentLength is -1 if the
// request does not state its length.
func newSizeMismatchError(reservedSize, contentLength int64) error {
	if contentLength < 0 {
		return core.Fail(core.CodeSizeMismatch, "The request has no Content-Length header.").
			WithHint("Send Content-Length: %d.", reservedSize)
	}
	return core.Fail(core.CodeSizeMismatch, "The request body has %d bytes, but %d were reserved.", contentLength, reservedSize).
		WithHint("Send only the raw bytes of the whole file, not a form. " +
			"To send a different file, reserve a new upload.")
}

// newBlobKey returns an unused key. Every attempt uses a new one, so a worker that has lost its lease cannot change the
// bytes of another.
func newBlobKey() string { return blob.ShardedKey("media", strings.ToLower(rand.Text())) }

// trackingReader counts the bytes that it reads and remembers read errors, to distinguish the sender's errors from
// those of the storage.
type trackingReader struct {
	reader io.Reader
	n      int64
	err    error // the last error, except io.EOF
}

// Read implements io.Reader.
func (r *trackingReader) Read(b []byte) (int, error) {
	n, err := r.reader.Read(b)
	r.n += int64(n)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
