package app

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"belfry/internal/blob"
	"belfry/internal/store"
)

const (
	// mediaLease is how long a dead upload, or dead work on a file, holds it.
	mediaLease = 30 * time.Second
	// settleTime is how long what has been done may take to be stored.
	settleTime = 10 * time.Second
	// jobPatienceMedia is how long a job may take to begin before the sweep adds another; one too many does
	// no harm, since only one can claim.
	jobPatienceMedia = time.Minute
)

// errClaimLost is why work on a file ends that another has taken over, or that nobody wants any more.
var errClaimLost = errors.New("the claim on the file is lost")

// holding runs f and renews the claim meanwhile. When the claim is lost, f's context ends and the error is
// errClaimLost.
func (a *App) holding(ctx context.Context, t store.Tenant, claim store.MediaClaim, f func(context.Context) error) error {
	ctx, lose := context.WithCancelCause(ctx)
	defer lose(nil) // also after a panic, or a claim that nobody serves would be renewed for ever
	var beating sync.WaitGroup
	beating.Go(func() {
		beat := time.NewTicker(mediaLease / 3)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
			}
			held, err := t.RenewMedia(ctx, claim, mediaLease)
			if err == nil && !held {
				lose(errClaimLost)
				return
			}
			if err != nil && ctx.Err() == nil { // the next beat comes before the lease ends
				a.cfg.Log.Warn("a claim was not renewed", "media", claim.ID, "error", err)
			}
		}
	})
	err := f(ctx)
	lose(nil)
	beating.Wait()
	if err != nil && errors.Is(context.Cause(ctx), errClaimLost) {
		return errors.Join(errClaimLost, err)
	}
	return err
}

// newBlob is a key under which nothing has ever been kept: nobody who lost a claim can touch what another
// brought.
func newBlob() string { return blob.Key("media", strings.ToLower(rand.Text())) }

// witness remembers whether reading failed.
type witness struct {
	reader io.Reader
	err    error
}

// Read reads on.
func (w *witness) Read(b []byte) (int, error) {
	n, err := w.reader.Read(b)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}
