package app_test

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/secret"
)

func keyID(pair string) string {
	id, _, _ := strings.Cut(pair, ":")
	return id
}

// A retired key could never be removed, because nothing was ever encrypted again.
func TestAfterARotationTheOldKeyCanBeRemoved(t *testing.T) {
	b := newBench(t)
	old, fresh := secret.NewSecretKey(), secret.NewSecretKey()
	use := func(keys ...string) {
		b.Config.Ring = ring(t, keys...)
		b.App = b.Replica()
	}
	use(old)
	account, other := b.ws.Account("threads"), b.ws.Account("facebook")
	b.Fault(fault("status", "never_ready"))
	begun := b.ws.Now("begun", account)
	b.ws.Work(begun) // its handle is sealed
	_, err := b.App.AddMediaForDownload(b.Context(), b.ws.Owner, contract.MediaFromURL{URL: "https://example.com/a.jpg"})
	must(t, err)

	use(fresh, old)
	counts, err := b.App.CountSealedBySecretKeyAndUpdateMetric(b.Context())
	must(t, err)
	if counts[keyID(old)] < 3 || counts[keyID(fresh)] != 0 {
		t.Errorf("before: %v", counts)
	}
	total := counts[keyID(old)]
	r, err := b.App.ReencryptSecretsWithNewestKey(b.Context())
	must(t, err)
	if int64(r.Resealed) != total || r.Busy != 0 || r.Unreadable != 0 {
		t.Errorf("the rotation did %+v of %d", r, total)
	}
	if again, err := b.App.ReencryptSecretsWithNewestKey(b.Context()); err != nil || again != (app.Rotation{}) {
		t.Errorf("a second rotation did %+v, %v", again, err)
	}
	counts, err = b.App.CountSealedBySecretKeyAndUpdateMetric(b.Context())
	must(t, err)
	if n, shown := counts[keyID(old)]; n != 0 || !shown || counts[keyID(fresh)] != total {
		t.Errorf("after: %v", counts)
	}

	use(fresh)
	must(t, b.App.CheckSecretKeys(b.Context()))
	if p := b.ws.Work(b.ws.Now("after", other)); p.Status != string(core.PostLive) {
		t.Errorf("with the new key alone a post is %s: %+v", p.Status, p.Error)
	}
}

// A token that a worker is renewing at the network must be the one it finds afterwards: the new one would be lost.
func TestARotationLeavesATokenThatIsBeingRenewed(t *testing.T) {
	b := newBench(t)
	old, fresh := secret.NewSecretKey(), secret.NewSecretKey()
	b.Config.Ring = ring(t, old)
	b.App = b.Replica()
	b.ws.Account("threads")
	b.Config.Ring = ring(t, fresh, old)
	b.App = b.Replica()
	if _, err := b.Pool.Exec(b.Context(), "UPDATE accounts SET token_refresh_at = clock() + interval '4 minutes'"); err != nil {
		t.Fatal(err)
	}
	r, err := b.App.ReencryptSecretsWithNewestKey(b.Context())
	must(t, err)
	if r.Resealed != 0 || r.Busy != 1 {
		t.Errorf("while the token is renewed: %+v", r)
	}
	b.Clock.Advance(4 * time.Minute) // nobody has finished: whoever claims it now reads the token anew
	if r, err = b.App.ReencryptSecretsWithNewestKey(b.Context()); err != nil || r.Resealed != 1 || r.Busy != 0 {
		t.Errorf("afterwards: %+v, %v", r, err)
	}
}

func TestARotationCountsWhatNoKeyOpens(t *testing.T) {
	b := newBench(t)
	b.Config.Ring = ring(t, secret.NewSecretKey())
	b.App = b.Replica()
	b.ws.Account("threads")
	b.Config.Ring = ring(t, secret.NewSecretKey())
	b.App = b.Replica()
	r, err := b.App.ReencryptSecretsWithNewestKey(b.Context())
	must(t, err)
	if r.Unreadable != 1 || r.Resealed != 0 {
		t.Errorf("%+v", r)
	}
}
