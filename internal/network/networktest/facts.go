package networktest

import (
	"net/http"
	"reflect"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

func testFacts(t *testing.T, h Harness) {
	if _, tells := NewWorld(t, h).Net.(network.Informer); tells != (len(h.Facts) > 0) {
		t.Fatalf("the network reports facts: %v; the harness has %d cases", tells, len(h.Facts))
	}
	for _, c := range h.Facts {
		w := NewWorld(t, h)
		p := w.Connect()
		if c.Option != "" {
			if err := w.Kit.SetOption(c.Option, c.Value); err != nil {
				t.Fatal(err)
			}
		}
		if c.Fault.Kind != "" {
			w.AddFault(c.Fault)
		}
		got, err := w.readFacts(p)
		if err != nil || !reflect.DeepEqual(got, c.Want) {
			t.Errorf("%s=%s %s: want %+v, got %+v, %v", c.Option, c.Value, c.Fault.Reason, c.Want, got, err)
		}
		if all := w.VisiblePosts(); len(all) > 0 {
			t.Errorf("visible: %+v", all)
		}
		for _, r := range w.Kit.Calls.ListLast(0) {
			if r.Call == "create" || r.Call == "publish" {
				t.Errorf("%s was called", r.Call)
			}
		}
	}
}

func (w *World) readFacts(p network.Profile) (core.Facts, error) {
	w.t.Helper()
	informer, ok := w.Net.(network.Informer)
	if !ok {
		w.t.Fatal("the network reports no facts")
	}
	return informer.ReadAccountFacts(w.t.Context(), p.ExternalID, p.Token)
}

func testPublishedCount(t *testing.T, h Harness) {
	if len(h.Facts) == 0 || h.Facts[0].Want.Quota == nil {
		return
	}
	w := NewWorld(t, h)
	p := w.Connect()
	if k := w.NewWorker(w.newItemFor(p, text)); k.Run() != core.DoLive {
		t.Fatal("the post is not live")
	}
	before := h.Facts[0].Want.Quota
	if got, err := w.readFacts(p); err != nil || got.Quota == nil || got.Quota.Used != before.Used+1 || got.Quota.Limit != before.Limit {
		t.Errorf("after a post: %+v, %v", got, err)
	}
	w.Advance(before.Window + 1)
	if got, err := w.readFacts(p); err != nil || got.Quota == nil || got.Quota.Used != before.Used {
		t.Errorf("after the window: %+v, %v", got, err)
	}
}

// testHostileFacts tests that an incomplete response yields no facts, but an error without secrets.
func testHostileFacts(t *testing.T, h Harness) {
	if len(h.Facts) == 0 {
		return
	}
	w := NewWorld(t, h)
	p := w.Connect()
	for name, answer := range map[string]http.HandlerFunc{
		"an empty object":   newResponseHandler(http.StatusOK, `{}`),
		"a list":            newResponseHandler(http.StatusOK, `[]`),
		"nothing":           newResponseHandler(http.StatusOK, ``),
		"half of a list":    newResponseHandler(http.StatusOK, `{"data": [{"quota_usa`),
		"an empty list":     newResponseHandler(http.StatusOK, `{"data": [], "items": []}`),
		"a web page":        newResponseHandler(http.StatusOK, `<html><body>Welcome</body></html>`),
		"a gateway's page":  newResponseHandler(http.StatusBadGateway, `<html>Bad gateway</html>`),
		"a lost connection": closeConnection,
		"an echoed header":  func(rw http.ResponseWriter, r *http.Request) { _, _ = rw.Write([]byte(r.Header.Get("Authorization"))) },
		"a redirect":        newRedirectHandler(http.StatusFound, `{"data": [{"quota_usage": 1}]}`),
		"another's channel": newResponseHandler(http.StatusOK, `{"items": [{"id": "UC00"}]}`),
	} {
		w.ReplaceServer(answer)
		facts, err := w.readFacts(p)
		if !reflect.DeepEqual(facts, core.Facts{}) {
			t.Errorf("%s: %+v", name, facts)
		}
		w.CheckError(err, network.Unknown, p.Token.Access, p.Token.Refresh)
	}
	w.ReplaceServer(nil)
	for _, kind := range []string{sim.TokenExpired, sim.TokenRevoked} {
		w.AddFault(sim.Fault{Kind: kind})
		if facts, err := w.readFacts(p); err == nil || !reflect.DeepEqual(facts, core.Facts{}) {
			t.Errorf("%s: %+v, %v", kind, facts, err)
		}
	}
}
