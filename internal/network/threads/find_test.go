package threads_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/threads"
)

// That a post is not there is evidence on which it is sent again, so nothing that might be it is passed over.
func TestAPostWhoseTimeCannotBeReadIsNotTakenForAnOldOne(t *testing.T) {
	t.Parallel()
	armed := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for stamp, want := range map[string]core.Verdict{
		"2026-11-21T12:00:05+0000": core.Done, "2026-11-21T11:00:00+0000": core.Absent, "21.11.2026": core.Done,
		"": core.Done,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"data":[{"id":"1","text":"Bread","media_type":"TEXT_POST","timestamp":"` + stamp + `"}]}`))
		}))
		defer s.Close()
		at, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		n, err := threads.New(network.Environment{
			Client: network.NewClient(network.ClientConfig{NetworksURL: at}), Now: func() time.Time { return armed },
			Get: func(name string) string {
				return map[string]string{
					"THREADS_CONSENT_URL": "https://threads.com/oauth/authorize",
					"THREADS_SETTLE":      "60s",
				}[name]
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := n.FindPost(t.Context(), network.Item{Profile: "7", Text: "Bread", ArmedAt: armed})
		if err != nil || got.Verdict != want {
			t.Errorf("%q: %s (%v), want %s", stamp, got.Verdict, err, want)
		}
	}
}
