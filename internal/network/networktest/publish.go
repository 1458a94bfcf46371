package networktest

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

const text = "A quiet morning by the harbor.\nThe bread is out at six: café, brød, хлеб 🥐"

func testPublish(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	k := w.NewWorker(it)
	if do := k.Run(); do != core.DoLive {
		t.Fatalf("ended with %s after %v", do, k.calls)
	}
	one := w.requireOnePost(text)
	if k.ID != one.ID || one.Account != it.Profile {
		t.Errorf("published %s for %s, but the visible post is %+v", k.ID, it.Profile, one)
	}
	link, err := w.Net.FetchLink(t.Context(), k.it, k.ID)
	if err != nil || link != one.URL {
		t.Fatalf("want the link %s, got %s, %v", one.URL, link, err)
	}
	if status := w.fetchStatus(w.Client.BrowserURL(link)); status != http.StatusOK {
		t.Errorf("the post's page has status %d", status)
	}
	_, err = w.Net.FetchLink(t.Context(), k.it, "1789999999999999")
	w.CheckError(err, network.Rejected, it.Token.Access)
}

// requireOnePost returns the only visible post, which must have this text.
func (w *World) requireOnePost(text string) sim.Post {
	w.t.Helper()
	all := w.VisiblePosts()
	if len(all) != 1 || all[0].Text != text {
		w.t.Fatalf("want one visible post with the text %q, got %+v", text, all)
	}
	return all[0]
}

// testAccountPage tests that the page of an account shows its posts, with figures that grow.
func testAccountPage(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	if do := w.NewWorker(it).Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	address := strings.NewReplacer("{id}", it.Profile, "{username}", it.Username).Replace(w.Net.Describe().ProfileURL)
	pages := map[string]string{}
	for _, when := range []string{"at once", "a day later"} {
		pages[when] = w.fetchPage(address)
		for _, want := range []string{"A quiet morning by the harbor.", " followers", " views", "Country", "New followers"} {
			if !strings.Contains(pages[when], want) {
				t.Errorf("%s, the page lacks %q", when, want)
			}
		}
		w.Advance(24 * time.Hour)
	}
	for _, figure := range []string{" followers", " views", " likes"} {
		first, later := findFigure(t, pages["at once"], figure), findFigure(t, pages["a day later"], figure)
		if later <= first {
			t.Errorf("%d%s at once, %d a day later", first, figure, later)
		}
	}
}

// fetchPage returns the page at an address of the network, as a visitor sees it.
func (w *World) fetchPage(address string) string {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.Client.BrowserURL(address), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := w.visitor.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%s has status %d, %v", address, resp.StatusCode, err)
	}
	return string(body)
}

// findFigure returns the number before a word on a page.
func findFigure(t *testing.T, page, word string) int {
	t.Helper()
	before, _, found := strings.Cut(page, word)
	digits := before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsDigit(r) })+1:]
	n, err := strconv.Atoi(digits)
	if !found || err != nil {
		t.Fatalf("no figure of%s", word)
	}
	return n
}

func testLongestText(t *testing.T, h Harness) {
	limit := NewWorld(t, h).Net.Describe().Limits.Text
	for name, letter := range map[string]string{"in ASCII": "a", "in croissants": "🥐"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			longest := strings.Repeat(letter, limit.Max/limit.Unit.Length(letter))
			if do := w.NewWorker(w.NewItem(longest)).Run(); do != core.DoLive {
				t.Fatalf("ended with %s", do)
			}
			w.requireOnePost(longest)
		})
	}
}

func testLostResponse(t *testing.T, h Harness) {
	for _, fault := range []sim.Fault{
		{Call: "publish", Kind: sim.DropAfterAccept},
		{Call: "publish", Kind: sim.TruncatedJSON},
		{Call: "publish", Kind: sim.ServerError, Accept: true},
		{Call: "publish", Kind: sim.Reject, Accept: true},
		{Call: "publish", Kind: sim.RateLimited, Accept: true},
	} {
		t.Run(fault.Kind, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			w.AddFault(fault)
			k := w.NewWorker(w.NewItem(text))
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v", do, k.calls)
			}
			if one := w.requireOnePost(text); one.ID != k.ID || one.PublishCalls != 1 {
				t.Errorf("the worker has the id %q for the post %+v", k.ID, one)
			}
		})
	}
}

// testLostRequest tests that a call that never arrived is repeated if a handle makes that safe. Otherwise, the outcome
// must be unknown.
func testLostRequest(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	w.AddFault(sim.Fault{Call: "publish", Kind: sim.DropBeforeAccept})
	k := w.NewWorker(w.NewItem(text))
	do := k.Run()
	if !k.pub.Flow.CanRepeatCall() {
		if do != core.DoOutcomeUnknown || len(w.VisiblePosts()) != 0 {
			t.Fatalf("want unknown and nothing visible, got %s and %v", do, w.VisiblePosts())
		}
		return
	}
	if do != core.DoLive {
		t.Fatalf("ended with %s after %v", do, k.calls)
	}
	w.requireOnePost(text)
}

func testThrottledPost(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	w.AddFault(sim.Fault{Call: "publish", Kind: sim.RateLimited, RetryAfter: 600})
	k := w.NewWorker(w.NewItem(text))
	if do := k.Run(); do != core.DoLive || !slices.Contains(k.waited, core.DoHold) {
		t.Fatalf("ended with %s after waiting for %v", do, k.waited)
	}
	w.requireOnePost(text)
}

func testRepeatedPublish(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	handle := w.NewHandle(it)
	first, err := w.Net.Publish(t.Context(), it, handle)
	if err != nil {
		t.Fatal(err)
	}
	second, err := w.Net.Publish(t.Context(), it, handle)
	if err == nil && second.ExternalID != first.ExternalID {
		t.Errorf("the second call returned a different post: %s after %s", second.ExternalID, first.ExternalID)
	}
	one := w.requireOnePost(text)
	st, err := w.AskOutcome(it, handle)
	if err != nil || st.Verdict != core.Done || st.ExternalID != one.ID || first.Verdict == core.Done && first.ExternalID != one.ID {
		t.Errorf("want done with %s after %+v, got %+v, %v", one.ID, first, st, err)
	}
}

func testDropAfterAccept(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	handle := w.NewHandle(it)
	w.AddFault(sim.Fault{Call: "publish", Kind: sim.DropAfterAccept})
	_, err := w.Net.Publish(t.Context(), it, handle)
	w.CheckError(err, network.Unknown, it.Token.Access)
	one := w.requireOnePost(text)
	st, err := w.AskOutcome(it, handle)
	if err != nil || st.Verdict != core.Done || st.ExternalID != one.ID {
		t.Errorf("want done with %s, got %+v, %v", one.ID, st, err)
	}
}

func testDropBeforeAccept(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	handle := w.NewHandle(it)
	w.AddFault(sim.Fault{Call: "publish", Kind: sim.DropBeforeAccept})
	_, err := w.Net.Publish(t.Context(), it, handle)
	w.CheckError(err, network.Unknown, it.Token.Access)
	want := core.Ready
	if !w.Net.DeliveryFor(it.DraftWithoutAccount()).Flow.CanRepeatCall() {
		want = core.Absent
	}
	if st, err := w.AskOutcome(it, handle); err != nil || st.Verdict != want {
		t.Errorf("want %s, got %+v, %v", want, st, err)
	}
	if all := w.VisiblePosts(); len(all) != 0 {
		t.Errorf("visible: %+v", all)
	}
}

func testNotSent(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	handle := w.NewHandle(it)
	live := w.Net
	for _, nowhere := range []string{"http://127.0.0.1:1", "http://127.0.0.1:1/sub/folder"} {
		w.Net = w.setClientAndCreateNetwork(nowhere)
		_, err := w.Net.Publish(t.Context(), it, handle)
		w.CheckError(err, network.NotSent, it.Token.Access)
		_, err = w.AskOutcome(it, handle)
		w.CheckError(err, network.NotSent, it.Token.Access)
	}
	ctx, cancel := network.WithMonotonicAndWallDeadline(t.Context(), time.Now(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := live.Publish(ctx, it, handle)
	w.CheckError(err, network.NotSent, it.Token.Access)
	if all := w.VisiblePosts(); len(all) != 0 {
		t.Errorf("visible: %+v", all)
	}
}

func testSearch(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	if st, err := w.Net.FindPost(t.Context(), it); err == nil && st.Verdict == core.Ambiguous &&
		w.Net.DeliveryFor(it.DraftWithoutAccount()).Flow.CanRepeatCall() {
		return // the network cannot be searched, and its handles show what happened
	}
	find := func(it network.Item, want core.Verdict, id string) {
		t.Helper()
		st, err := w.Net.FindPost(t.Context(), it)
		if err != nil || st.Verdict != want || st.ExternalID != id {
			t.Errorf("want %s %q, got %+v, %v", want, id, st, err)
		}
	}
	post := func(text string) string {
		t.Helper()
		it := it
		it.Text = text
		st, err := w.Net.Publish(t.Context(), it, w.NewHandle(it))
		if err != nil {
			t.Fatal(err)
		}
		return st.ExternalID
	}
	find(it, core.Absent, "")
	post(text + " And more.")
	post(strings.ToUpper(text))
	find(it, core.Absent, "")
	id := post(text)
	find(it, core.Done, id)
	later := it
	later.ArmedAt = w.Now().Add(time.Hour)
	find(later, core.Absent, "")
	post("Something in between.")
	w.Advance(time.Minute)
	second := post(text)
	find(it, core.Ambiguous, "")
	other := it
	other.Known = []string{id}
	find(other, core.Done, second)
	if _, err := w.Net.FindPost(t.Context(), network.Item{Text: text, Profile: it.Profile, Token: it.Token}); err == nil {
		t.Error("a search ran without the time when the post was armed")
	}
}
