package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The loop of docs/api/polling.md waits over a failure that the worker mends by itself, and ends at one that stays.
func TestDocumentedPollingLoopWaitsForTheFinalStatus(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/api/polling.md")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(
		fence.FindAllStringSubmatch(string(text), -1), func(b []string) bool { return strings.Contains(b[2], "settled") },
	)
	block := fence.FindAllStringSubmatch(string(text), -1)[at][2]
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	for text, want := range map[string]struct{ kind, call, status string }{
		"Not reached at first": {"server_error", "create", "live"}, "Refused for good": {"reject", "publish", "failed"},
	} {
		s.addFault(map[string]any{"kind": want.kind, "network": "threads", "call": want.call, "match": text})
		p := c.createPost(text, "now", seed.Accounts["threads"])
		eventually(
			t, 20*time.Second, "the post has failed", func() bool { return slices.Contains(c.eventKinds(p.ID), "failed") },
		)
		r := newDocsReader(
			t,
			map[string]string{
				docsAddress: s.url, docsKey: seed.Key, "post_01m7zd55p1e1bvd0w8f2vx64ek": p.ID, "sleep 60": "sleep 0.1",
			},
		)
		r.runBlock("export BELFRY=" + docsAddress + "/v1 KEY=" + docsKey)
		r.runBlock(block)
		if now := c.getPost(p.ID); now.Status != want.status {
			t.Errorf("%s: the loop ends while the post is %s", text, now.Status)
		}
	}
}
