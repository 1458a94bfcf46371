package app_test

import (
	"strings"
	"testing"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/secret"
)

func ring(t *testing.T, pairs ...string) *secret.Ring {
	t.Helper()
	r, err := secret.ParseRing(pairs...)
	must(t, err)
	return r
}

// A worker with the wrong keys would claim every post and send none.
func TestKeysThatDoNotOpenTheTokensAreFoundBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	own, other := secret.NewKey(), secret.NewKey()
	id, _, _ := strings.Cut(own, ":")
	_, bytes, _ := strings.Cut(other, ":")
	h := apptest.New(t, func(c *app.Config) { c.Ring = ring(t, own) })
	must(t, h.App.ReviewKeys(t.Context()))
	h.Workspace("one").Account("threads", "maren.writes")
	for name, c := range map[string]struct {
		ring *secret.Ring
		says string
	}{
		"the same":                 {ring(t, own), ""},
		"a new one first":          {ring(t, other, own), ""},
		"another":                  {ring(t, other), `"` + id + `"`},
		"another of the same name": {ring(t, id+":"+bytes), `"` + id + `"`},
	} {
		err := h.Replica(func(cfg *app.Config) { cfg.Ring = c.ring }).ReviewKeys(t.Context())
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "BELFRY_SECRET_KEYS")):
			t.Errorf("%s: got %v, want it to name %s and the variable", name, err, c.says)
		}
	}
}

func TestADisconnectedAccountNeedsNoKey(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	must(t, h.App.Disconnect(t.Context(), ws.Owner, ws.Account("threads", "maren.writes").ID))
	other := h.Replica(func(c *app.Config) { c.Ring = ring(t, secret.NewKey()) })
	must(t, other.ReviewKeys(t.Context()))
}
