package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/store"
)

const (
	// processTime bounds the work on one file.
	processTime = 10 * time.Minute
	// mediaTries is how often a file is fetched or looked at before it fails.
	mediaTries = 5
)

// triedAgain is how long work on a file waits after its first failure; each further one waits four times as
// long.
const triedAgain = 15 * time.Second

// reasonOurs is why a file failed for which nothing that its sender could mend is to blame.
const reasonOurs = "The file could not be worked on. Upload it again."

// processed is what came of looking at a file. An empty blob means that the bytes stay as they came.
type processed struct {
	facts     core.FileFacts
	blob      string
	thumbnail string
}

// ProcessMedia looks at a file's bytes: what it is, whether it is taken, its thumbnail, and a copy without
// what tells where and by whom it was made (Spec §3, Media). It may run twice, or be killed at any point:
// only whoever holds the claim says what became of the file.
func (a *App) ProcessMedia(ctx context.Context, ws core.WorkspaceID, id core.MediaID) error {
	t, err := a.ofMedia(ws)
	if err != nil {
		return err
	}
	claim, ok, err := t.ClaimMedia(ctx, id, core.MediaProcessing, mediaLease)
	if err != nil || !ok {
		return err
	}
	m, err := t.Media(ctx, id)
	if core.CodeOf(err) == core.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	var done processed
	err = a.holding(ctx, t, claim, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, processTime)
		defer cancel()
		return a.examine(ctx, m, &done)
	})
	stopping := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err == nil {
		return a.accept(ctx, t, claim, done)
	}
	defer a.drop(ctx, done.blob, done.thumbnail)
	refusal, refused := errors.AsType[*media.Refusal](err)
	switch {
	case refused:
		return a.refuse(ctx, t, claim, refusal.Reason)
	case errors.Is(err, errClaimLost):
		return nil
	case stopping:
		return t.ReleaseMedia(ctx, claim, 0, false)
	case m.Tries+1 >= mediaTries:
		a.cfg.Log.Error("a file could not be worked on", "media", id, "error", err)
		return a.refuse(ctx, t, claim, reasonOurs)
	}
	return errors.Join(fmt.Errorf("process media %s: %w", id, err), t.ReleaseMedia(ctx, claim, waitAfter(m.Tries), true))
}

// waitAfter is how long to wait after so many failures before this one.
func waitAfter(tries int) time.Duration { return triedAgain << (2 * min(tries, mediaTries)) }

// examine reads the file and stores what is made of it.
func (a *App) examine(ctx context.Context, m store.Media, done *processed) error {
	object, err := a.cfg.Blobs.Open(ctx, m.Blob)
	if err != nil {
		return err
	}
	defer object.Close()
	facts, err := media.Read(ctx, object, object.Size(), media.Claim{Name: m.Name, Mime: m.Mime})
	if err != nil {
		return err
	}
	picture, err := a.thumbnail(ctx, object, facts)
	if err != nil {
		return err
	}
	key := newBlob()
	if err := a.cfg.Blobs.Put(ctx, key, bytes.NewReader(picture), int64(len(picture))); err != nil {
		return err
	}
	done.thumbnail, done.facts = key, facts.FileFacts
	if !facts.Private {
		return nil
	}
	key = newBlob()
	if done.facts.Bytes, err = a.putClean(ctx, key, object, facts); err == nil {
		done.blob = key
	}
	return err
}

// thumbnail makes a file's small picture: one at a time, since a large picture takes much memory.
func (a *App) thumbnail(ctx context.Context, object blob.Object, facts media.Facts) ([]byte, error) {
	if facts.Kind == core.FileVideo {
		return media.Poster(ctx, object, facts)
	}
	select {
	case a.decoding <- struct{}{}:
		defer func() { <-a.decoding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return media.Thumbnail(ctx, object, facts)
}

// putClean stores the copy of a file that tells nothing of its maker, and answers its size. The copy is made
// twice: the store wants to know its size first, and it need not fit into memory.
func (a *App) putClean(ctx context.Context, key string, object blob.Object, facts media.Facts) (int64, error) {
	var size counter
	if err := media.Clean(ctx, &size, object, facts); err != nil {
		return 0, err
	}
	reader, writer := io.Pipe()
	cleaned := make(chan error, 1)
	go func() {
		err := media.Clean(ctx, writer, object, facts)
		writer.CloseWithError(err) // nil ends the copy
		cleaned <- err
	}()
	err := a.cfg.Blobs.Put(ctx, key, reader, int64(size))
	_ = reader.CloseWithError(io.ErrClosedPipe) // it never fails; ends a copy that nobody reads any more
	if cleanErr := <-cleaned; err != nil && cleanErr != nil {
		err = errors.Join(err, cleanErr)
	}
	return int64(size), err
}

type counter int64

// Write counts.
func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// accept makes the file ready; what counts from now on is what is kept.
func (a *App) accept(ctx context.Context, t store.Tenant, claim store.MediaClaim, done processed) error {
	moved, err := a.finish(ctx, t, claim, func(m store.Media) store.MediaChange {
		change := store.MediaChange{MediaMove: core.MediaAccept, Facts: done.facts, Charged: done.facts.Bytes, Blob: m.Blob, Thumbnail: done.thumbnail}
		if done.blob != "" {
			change.Blob = done.blob
		}
		return change
	})
	if err == nil && !moved {
		a.drop(ctx, done.blob, done.thumbnail)
	}
	return err // after which the new bytes may be the file's: they stay, and are swept if they are not
}

// refuse makes the file fail; its bytes go and stop counting.
func (a *App) refuse(ctx context.Context, t store.Tenant, claim store.MediaClaim, reason string) error {
	_, err := a.finish(ctx, t, claim, func(m store.Media) store.MediaChange {
		move := core.MediaRefuse
		if m.Status == core.MediaUploading {
			move = core.MediaAbandon
		}
		return store.MediaChange{MediaMove: move, FailReason: reason, Facts: m.FileFacts}
	})
	return err
}

// finish carries out the move that ends a claim, and has the bytes deleted that it leaves behind. False: the
// claim was lost, or the file is gone.
func (a *App) finish(ctx context.Context, t store.Tenant, claim store.MediaClaim, change func(store.Media) store.MediaChange) (moved bool, err error) {
	err = unlessGone(ctx, t, claim.ID, func(t store.Tenant, m store.Media) (err error) {
		c := change(m)
		if moved, err = t.MoveMedia(ctx, m, claim.Epoch, c); err != nil || !moved || c.Blob == m.Blob {
			return err
		}
		return discard(ctx, t, m.Blob)
	})
	return moved && err == nil, err
}

// drop deletes bytes that no row names. What stays is swept later.
func (a *App) drop(ctx context.Context, keys ...string) {
	for _, key := range keys {
		if key == "" {
			continue
		}
		if err := a.cfg.Blobs.Delete(ctx, key); err != nil {
			a.cfg.Log.Warn("bytes that no file names stay until they are swept", "key", key, "error", err)
		}
	}
}
