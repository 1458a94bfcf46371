package facebook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
)

func settings(t *testing.T, w *networktest.World, block string) json.RawMessage {
	t.Helper()
	normal, err := w.Net.Settings(json.RawMessage(block))
	if err != nil {
		t.Fatal(err)
	}
	return normal
}

func TestTagsAndLinkGoOut(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.Item("Bread, #again")
	it.Tags = []string{"again", "bakery"}
	it.Settings = settings(t, w, `{"link": "https://example.org/bread", "contentType": "text"}`)
	k := w.Publish(it)
	w.Fault(sim.Fault{Call: "publish", Kind: sim.DropAfterAccept})
	if do := k.Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	all := w.Visible()
	if len(all) != 1 || all[0].Text != "Bread, #again\n\n#bakery" || all[0].Link != "https://example.org/bread" || all[0].ID != k.ID {
		t.Errorf("found %s, visible: %+v", k.ID, all)
	}
}

func TestALinkAloneIsAPost(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.Item("")
	it.Settings = settings(t, w, `{"link": "https://example.org/bread"}`)
	if issues, _ := w.Net.Check(network.Draft{Settings: it.Settings}); len(issues) != 0 {
		t.Errorf("issues: %+v", issues)
	}
	id, err := w.Net.Publish(t.Context(), it, "")
	if err != nil {
		t.Fatal(err)
	}
	if st, err := w.Net.Find(t.Context(), it); err != nil || st.ExternalID != id {
		t.Errorf("got %+v, %v", st, err)
	}
}

// The search binds only what this app made, and says so when it cannot tell.
func TestWhatASearchTakesForThePost(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.Item("Same words")
	linked := it
	linked.Settings = settings(t, w, `{"link": "https://example.org/bread"}`)
	row := func(message, app, at, attachments string) string {
		return fmt.Sprintf(`{"id":"1_2","message":%q,"created_time":%q%s%s}`, message, at, app, attachments)
	}
	const (
		ours    = `,"application":{"id":"1234567890123456"}`
		others  = `,"application":{"id":"99"}`
		now     = "2026-10-05T09:00:00+0000"
		before  = "2026-10-05T08:58:00+0000"
		plain   = `,"attachments":{"data":[{"unshimmed_url":"https://example.org/bread/"}]}`
		shim    = `,"attachments":{"data":[{"url":"https://l.facebook.com/l.php?u=https%3A%2F%2Fexample.org%2Fbread&h=x"}]}`
		another = `,"attachments":{"data":[{"unshimmed_url":"https://example.org/cake"}]}`
	)
	for name, c := range map[string]struct {
		it   network.Item
		rows string
		want core.Verdict
	}{
		"ours":                           {it, row("Same words", ours, now, ""), core.Done},
		"ours with a card of its own":    {it, row("Same words", ours, now, another), core.Done},
		"another app's":                  {it, row("Same words", others, now, ""), core.Absent},
		"made by hand":                   {it, row("Same words", "", now, ""), core.Ambiguous},
		"ours and one made by hand":      {it, row("Same words", ours, now, "") + "," + row("Same words", "", now, ""), core.Ambiguous},
		"older than the arm":             {it, row("Same words", ours, before, ""), core.Absent},
		"other words":                    {it, row("Same words!", ours, now, ""), core.Absent},
		"our link":                       {linked, row("Same words", ours, now, plain), core.Done},
		"our link behind Facebook's own": {linked, row("Same words", ours, now, shim), core.Done},
		"another link":                   {linked, row("Same words", ours, now, another), core.Absent},
		"a link that is not shown":       {linked, row("Same words", ours, now, ""), core.Ambiguous},
		"two of ours":                    {it, row("Same words", ours, now, "") + "," + row("Same words", ours, now, ""), core.Ambiguous},
		"nothing":                        {it, "", core.Absent},
	} {
		w.Instead(func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, `{"data":[`+c.rows+`]}`) })
		st, err := w.Net.Find(t.Context(), c.it)
		if err != nil || st.Verdict != c.want || (st.ExternalID == "1_2") != (c.want == core.Done) {
			t.Errorf("%s: want %s, got %+v, %v", name, c.want, st, err)
		}
	}
}

// Facebook answers a repeated text with an error; that is no proof of anything, and the search decides.
func TestADuplicateIsSearchedFor(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.Item("Said before")
	if _, err := w.Net.Publish(t.Context(), it, ""); err != nil {
		t.Fatal(err)
	}
	_, err := w.Net.Publish(t.Context(), it, "")
	if e := w.Failure(err, network.Rejected, it.Token.Access); e.Code != "506/1455006" || !strings.Contains(e.Hint, "already") {
		t.Errorf("got %+v", e)
	}
	k := w.Publish(it)
	if do := k.Run(); do != core.DoLive {
		t.Errorf("ended with %s after %v", do, k)
	}
	if all := w.Visible(); len(all) != 1 {
		t.Errorf("visible: %+v", all)
	}
}

func TestARelativeAddressGetsItsSite(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.Item("a")
	for permalink, want := range map[string]string{
		"/reel/123/": "https://www.facebook.com/reel/123/", "https://www.facebook.com/1/posts/2": "https://www.facebook.com/1/posts/2",
	} {
		w.Instead(func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(rw, `{"id":"1","permalink_url":%q}`, permalink)
		})
		if got, err := w.Net.Link(t.Context(), it, "1_2"); err != nil || got != want {
			t.Errorf("want %s, got %s, %v", want, got, err)
		}
	}
	w.Instead(func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, `{"id":"1"}`) })
	_, err := w.Net.Link(t.Context(), it, "1_2")
	w.Failed(err, network.Unknown, it.Token.Access)
}
