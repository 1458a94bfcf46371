package lantern_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"belfry/internal/network/lantern"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/sandbox"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	networktest.Run(t, networktest.Harness{
		Driver: lantern.NewDriver(), Settings: lantern.Settings{}, Consent: url.Values{"username": {"nightowl.cycles"}},
		Sandbox: func(t *testing.T, now func() time.Time, client, secret string) (http.Handler, *sim.Kit) {
			t.Helper()
			s, err := sandbox.New(sandbox.Config{Now: now, ClientID: client, ClientSecret: secret})
			if err != nil {
				t.Fatal(err)
			}
			return s, s.Kit()
		},
	})
}
