package app_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// Spec §1.5.
var networks = []string{"facebook", "instagram", "threads", "tiktok", "youtube"}

func TestLimitsNameEveryNetwork(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	got, err := h.App.GetNetworkLimits(t.Context(), h.Workspace("one").Owner)
	must(t, err)
	if names := slices.Sorted(maps.Keys(got.Limits)); !slices.Equal(names, networks) {
		t.Errorf("want %v, got %v", networks, names)
	}
}

func TestSettingsOfEveryNetworkAreReadStrictly(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	for network, c := range map[string]struct{ good, bad, near string }{
		"youtube":   {`{"visibility":"private","category":"22"}`, `{"visability":"private"}`, "visibility"},
		"instagram": {`{"contentType":"stories"}`, `{"collaborater":[]}`, "collaborators"},
		"tiktok":    {`{}`, `{"disableDuets":true}`, "disableDuet"},
	} {
		in := request("Text", draft(), account)
		in.PerPlatform = map[string]json.RawMessage{network: json.RawMessage(c.good)}
		_, err := b.App.PlanPosts(b.Context(), b.ws.Owner, in.PlanPosts)
		must(t, err)
		in.PerPlatform[network] = json.RawMessage(c.bad)
		_, err = b.App.PlanPosts(b.Context(), b.ws.Owner, in.PlanPosts)
		want(t, core.CodeInvalidRequest, err)
		if e := core.ErrorOrInternal(err); !strings.HasPrefix(e.Path, "perPlatform."+network) ||
			!strings.Contains(e.Hint, "Did you mean "+c.near) {
			t.Errorf("%s: path %q, hint %q", network, e.Path, e.Hint)
		}
	}
}

func TestANetworkThatIsNotKnownIsNeitherConnectedNorOverridden(t *testing.T) {
	b := newBench(t)
	in := request("Text", draft(), b.ws.Account("threads"))
	in.Overrides = map[string]contract.Override{"fedbook": {}}
	_, err := b.App.PlanPosts(b.Context(), b.ws.Owner, in.PlanPosts)
	refusedByName(t, err, "overrides.fedbook")
	_, err = b.App.StartConnect(t.Context(), b.ws.Owner, contract.Connect{Platform: "fedbook"})
	refusedByName(t, err, "platform")
}

// refusedByName tells whether the error names the place, and the networks that can.
func refusedByName(t *testing.T, err error, path string) {
	t.Helper()
	want(t, core.CodeInvalidRequest, err)
	e := core.ErrorOrInternal(err)
	if e.Path != path || !strings.Contains(e.Hint, "instagram") || !strings.Contains(e.Message, "fedbook") {
		t.Errorf("%s: %q, hint %q", path, e.Message, e.Hint)
	}
}
