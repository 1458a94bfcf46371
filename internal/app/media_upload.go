package app

import (
	"context"
	"errors"
	"io"
	"mime"
	"strings"
	"time"

	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// CreateUpload reserves room for a file and answers where its bytes go (Spec §4, Media). Refusals, in this
// order: invalid_request, not_found, quota_exceeded.
func (a *App) CreateUpload(ctx context.Context, c core.Caller, in contract.CreateUpload) (contract.Upload, error) {
	t, err := a.enter(c, core.Write)
	if err != nil {
		return contract.Upload{}, err
	}
	m, err := a.newMedia(in.Filename, in.Mime)
	if err != nil {
		return contract.Upload{}, err
	}
	if in.Size < 1 || in.Size > blob.Largest {
		return contract.Upload{}, core.Invalid("size", "A file has from 1 to %d bytes.", int64(blob.Largest))
	}
	m.Bytes, m.Charged = in.Size, in.Size
	plan, err := a.settle(ctx, t, &m, in.FolderID)
	if err != nil {
		return contract.Upload{}, err
	}
	if err := plan.CheckFile(m.Bytes); err != nil {
		return contract.Upload{}, err
	}
	token := sign(a.cfg.Ring, purposeUpload, t.WorkspaceID(), m.ID, m.ExpiresAt)
	out := contract.Upload{MediaID: m.ID.String(), UploadURL: a.cfg.PublicURL + "/upload/" + token, ExpiresAt: contract.Time{Time: m.ExpiresAt}}
	return out, a.withRoom(ctx, t, func(t store.Tenant) error {
		if err := takeStorage(ctx, t, plan, m.Bytes); err != nil {
			return err
		}
		if err := t.AddMedia(ctx, m, m.ExpiresAt); err != nil {
			return err
		}
		return keep(ctx, t, in.Replay, out)
	})
}

// newMedia is a file of which nothing has come yet.
func (a *App) newMedia(name, mimeType string) (store.Media, error) {
	if err := checkLine("filename", "The file's name", name, maxFilename); err != nil {
		return store.Media{}, err
	}
	kind, _, err := mime.ParseMediaType(mimeType)
	if err != nil || !strings.Contains(kind, "/") || len(mimeType) > maxFilename {
		return store.Media{}, core.Invalid("mime", "This is not a media type such as image/jpeg.").Because(err)
	}
	now := a.cfg.Now().UTC().Truncate(time.Microsecond)
	m := store.Media{CreatedAt: now, ExpiresAt: now.Add(a.cfg.UploadTTL).Truncate(time.Second)}
	m.ID, m.Name, m.Mime, m.Kind = core.NewID[core.MediaKind](), name, kind, core.DeclaredKind(name, kind)
	return m, nil
}

// settle finds the folder of a new file and the plan that bounds it.
func (a *App) settle(ctx context.Context, t store.Tenant, m *store.Media, folder *string) (core.Plan, error) {
	if folder != nil {
		id, err := core.ParseID[core.FolderKind](*folder)
		if err != nil {
			return core.Plan{}, core.At("folderId", err)
		}
		if _, err := t.Folder(ctx, id); err != nil {
			return core.Plan{}, core.At("folderId", err)
		}
		m.Folder = id
	}
	_, plan, err := a.plan(ctx, t)
	return plan, err
}

// withRoom runs f in a transaction. When there is no room it looks for reservations whose time is over,
// which count no more, and tries once again.
func (a *App) withRoom(ctx context.Context, t store.Tenant, f func(store.Tenant) error) error {
	err := t.Tx(ctx, f)
	if core.CodeOf(err) != core.CodeQuotaExceeded {
		return err
	}
	expired, lookErr := t.ExpiredUploads(ctx)
	if lookErr != nil || len(expired) == 0 {
		return errors.Join(err, lookErr)
	}
	for _, id := range expired {
		if err := a.abandon(ctx, t, id, reasonExpired); err != nil {
			return err
		}
	}
	return t.Tx(ctx, f)
}

func takeStorage(ctx context.Context, t store.Tenant, plan core.Plan, bytes int64) error {
	used, ok, err := t.TakeStorage(ctx, bytes, plan.StorageBytes)
	if err == nil && !ok {
		return core.OverStorage(used, *plan.StorageBytes)
	}
	return err
}

// reasonExpired is why a file failed whose bytes never came.
const reasonExpired = "The file was not uploaded in time."

// abandon makes an upload that will not come any more fail; its bytes stop counting.
func (a *App) abandon(ctx context.Context, t store.Tenant, id core.MediaID, reason string) error {
	return unlessGone(ctx, t, id, func(t store.Tenant, m store.Media) error {
		_, err := t.MoveMedia(ctx, m, 0, store.MediaChange{MediaMove: core.MediaAbandon, FailReason: reason, Facts: m.FileFacts})
		return err
	})
}

// ReceiveUpload takes the bytes that are sent to an upload address: length of them, -1 when the sender did
// not say. One that breaks off may be repeated; of two at once one is refused; the second is already_uploaded.
// The body is read from as it is stored, and not at all before the upload is known to be wanted.
func (a *App) ReceiveUpload(ctx context.Context, token string, length int64, body io.Reader) (contract.Uploaded, error) {
	t, id, err := a.ofSigned(purposeUpload, token)
	switch {
	case errors.Is(err, secret.ErrExpired):
		return contract.Uploaded{}, uploadExpired()
	case errors.Is(err, secret.ErrSigned):
		return contract.Uploaded{}, core.Fail(core.CodeNotFound, "This is no upload address, or not the whole of one.").
			WithHint("Take `uploadUrl` as POST /media/uploads answers it.")
	case err != nil:
		return contract.Uploaded{}, err
	}
	m, err := t.Media(ctx, id)
	if err == nil {
		err = wanted(m)
	}
	if err != nil {
		return contract.Uploaded{}, err
	}
	if length != m.Bytes {
		return contract.Uploaded{}, sizeMismatch(m.Bytes, length)
	}
	claim, ok, err := t.ClaimMedia(ctx, id, core.MediaUploading, mediaLease)
	if err != nil {
		return contract.Uploaded{}, err
	}
	if !ok {
		return contract.Uploaded{}, a.uploadTaken(ctx, t, id)
	}
	return a.receive(ctx, t, m, claim, body)
}

func (a *App) receive(ctx context.Context, t store.Tenant, m store.Media, claim store.MediaClaim, body io.Reader) (contract.Uploaded, error) {
	key, source := newBlob(), &witness{reader: body}
	err := a.holding(ctx, t, claim, func(ctx context.Context) error { return a.cfg.Blobs.Put(ctx, key, source, m.Bytes) })
	// What has come is kept, and what has not is given back, even if the sender has gone by now.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err != nil {
		return contract.Uploaded{}, a.brokenOff(ctx, t, claim, source, err)
	}
	kept, err := a.brought(ctx, t, claim, key, m.Bytes)
	if err != nil {
		return contract.Uploaded{}, err
	}
	if !kept {
		return contract.Uploaded{}, a.uploadTaken(ctx, t, m.ID)
	}
	return contract.Uploaded{MediaID: m.ID.String(), Status: string(core.MediaProcessing)}, nil
}

// brought notes that a file's bytes are all there, and how many they are, and has them looked at. False: the
// claim is lost, or the file is gone; the bytes are deleted.
func (a *App) brought(ctx context.Context, t store.Tenant, claim store.MediaClaim, key string, size int64) (kept bool, err error) {
	err = unlessGone(ctx, t, claim.ID, func(t store.Tenant, m store.Media) (err error) {
		m.Bytes = size
		kept, err = t.MoveMedia(ctx, m, claim.Epoch, store.MediaChange{
			MediaMove: core.MediaArrive, Facts: m.FileFacts, Charged: size, Blob: key, Next: a.cfg.Now().Add(jobPatienceMedia),
		})
		if err != nil || !kept {
			return err
		}
		return t.Enqueue(ctx, queue.Process{Workspace: t.WorkspaceID(), Media: m.ID}, time.Time{})
	})
	if err == nil && !kept {
		a.drop(ctx, key)
	}
	return kept && err == nil, err // after an error the bytes may be the file's: they stay, and are swept if they are not
}

// brokenOff gives up a claim whose bytes did not all come, and says whose fault it was.
func (a *App) brokenOff(ctx context.Context, t store.Tenant, claim store.MediaClaim, source *witness, err error) error {
	if released := t.ReleaseMedia(ctx, claim, 0, false); released != nil {
		a.cfg.Log.Warn("an upload's claim ends by itself", "media", claim.ID, "error", released)
	}
	switch {
	case errors.Is(err, errClaimLost):
		return a.uploadTaken(ctx, t, claim.ID)
	case source.err != nil, errors.Is(err, io.ErrUnexpectedEOF):
		return core.Invalid("", "The upload broke off.").WithHint("Send the whole file again to the same address, at 16 KiB a second or more.").Because(err)
	}
	return err
}

// uploadTaken says why an upload that nobody else seemed to bring cannot be brought.
func (a *App) uploadTaken(ctx context.Context, t store.Tenant, id core.MediaID) error {
	m, err := t.Media(ctx, id)
	if err != nil {
		return err
	}
	if err := wanted(m); err != nil {
		return err
	}
	e := core.Fail(core.CodeUploadInProgress, "Another request is bringing this file right now.").
		WithHint("Wait for it; one that broke off makes way within half a minute.")
	e.RetryAfter = int(mediaLease / time.Second)
	return e
}

// wanted returns the error of an upload that is not waited for any more.
func wanted(m store.Media) error {
	switch {
	case m.Status == core.MediaUploading && m.Source == nil:
		return nil
	case m.Status == core.MediaFailed && m.Blob == "" && m.FailReason == reasonExpired:
		return uploadExpired()
	}
	return core.Fail(core.CodeAlreadyUploaded, "The file is here already.").WithHint("Read its record until it is ready or failed.")
}

func uploadExpired() error {
	return core.Fail(core.CodeUploadExpired, "The time of this upload address is over.").WithHint("Reserve a new one with POST /media/uploads.")
}

func sizeMismatch(reserved, length int64) error {
	if length < 0 {
		return core.Fail(core.CodeSizeMismatch, "The request does not say how long the file is.").
			WithHint("Send Content-Length: %d.", reserved)
	}
	return core.Fail(core.CodeSizeMismatch, "The file has %d bytes and %d were reserved.", length, reserved).
		WithHint("Send the whole file and nothing else, as raw bytes and not as a form. Reserve a new upload for another file.")
}
