package threads_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
)

func settings(t *testing.T, w *networktest.World, block string) json.RawMessage {
	t.Helper()
	normal, err := w.Net.NormalizeSettings(json.RawMessage(block))
	if err != nil {
		t.Fatal(err)
	}
	return normal
}

func TestTopicAndLinkGoOut(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Bread, again")
	it.Tags = []string{"bakery"} // are not sent here
	it.Settings = settings(t,
		w, `{"topicTag": "Harbour life", "linkAttachment": "https://example.org/bread", "replyControl": "everyone"}`)
	if strings.Contains(string(it.Settings), "replyControl") {
		t.Errorf("what is not used is kept: %s", it.Settings)
	}
	if _, err := w.Net.Publish(t.Context(), it, w.NewHandle(it)); err != nil {
		t.Fatal(err)
	}
	all := w.VisiblePosts()
	if len(all) != 1 || all[0].Text != "Bread, again" || all[0].Link != "https://example.org/bread" ||
		all[0].Extra["topic_tag"] != "Harbour life" {
		t.Errorf("visible: %+v", all)
	}
}

func TestATopicThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	for _, topic := range []string{"a.b", "a & b", " \t"} {
		_, err := w.Net.NormalizeSettings(json.RawMessage(fmt.Sprintf(`{"topicTag": %q}`, topic)))
		if e := core.ErrorOrInternal(err); e.Code != core.CodeInvalidRequest || e.Path != "topicTag" {
			t.Errorf("%q: got %v", topic, err)
		}
	}
}

// The network has been seen to say "not found" right after it said "finished".
func TestTheRaceAfterFinishedCostsNoSecondPost(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	w.AddFault(sim.Fault{Call: "publish", Kind: sim.NotReadyRace, Times: new(3)})
	k := w.NewWorker(w.NewItem("Patience"))
	if do := k.Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	if all := w.VisiblePosts(); len(all) != 1 || all[0].PublishCalls != 4 {
		t.Errorf("visible: %+v", all)
	}
}

func TestAContainerThatIsNeverReadyIsReplaced(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	w.AddFault(sim.Fault{Call: "create", Kind: sim.NeverReady})
	it := w.NewItem("Slow")
	handle, err := w.Net.CreateHandle(t.Context(), it)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(want core.Verdict) {
		t.Helper()
		if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != want {
			t.Errorf("want %s, got %+v, %v", want, st, err)
		}
	}
	ask(core.Pending)
	w.Advance(24 * time.Hour)
	ask(core.Dead)
}

func TestAFullQuotaHoldsThePost(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	if err := w.Kit.SetOption("threads.quota_total", "1"); err != nil {
		t.Fatal(err)
	}
	it := w.NewItem("One")
	if _, err := w.Net.Publish(t.Context(), it, w.NewHandle(it)); err != nil {
		t.Fatal(err)
	}
	it.Text = "Two"
	handle := w.NewHandle(it)
	w.Advance(3 * time.Hour)
	const untilItFrees = 21 * time.Hour // the first post leaves the window of a day
	_, err := w.Net.Publish(t.Context(), it, handle)
	if e := w.RequireError(err, network.RateLimited, it.Token.Access); e.RetryAfter != untilItFrees ||
		e.Scope != network.ScopeAccount {
		t.Errorf("want %v for the account, got %+v", untilItFrees, e)
	}
	// No code is documented for it, so any refusal counts once Threads says that the quota is used up.
	for _, code := range []int{100, 4} {
		w.AddFault(sim.Fault{Call: "publish", Kind: sim.Error, Code: code, Message: "Publishing limit reached"})
		_, err = w.Net.Publish(t.Context(), it, handle)
		if e := w.RequireError(err, network.RateLimited, it.Token.Access); e.Code != strconv.Itoa(code) ||
			e.RetryAfter != untilItFrees || e.Scope != network.ScopeAccount {
			t.Errorf("want code %d and %v, got %+v", code, untilItFrees, e)
		}
	}
	// Where the profile's posts cannot be read, or do not fill the quota, the wait is an hour.
	w.AddFault(sim.Fault{Call: "list", Kind: sim.ServerError})
	_, err = w.Net.Publish(t.Context(), it, handle)
	if e := w.RequireError(err, network.RateLimited, it.Token.Access); e.RetryAfter != time.Hour {
		t.Errorf("want an hour, got %+v", e)
	}
	w.Advance(untilItFrees)
	if _, err = w.Net.Publish(t.Context(), it, w.NewHandle(it)); err != nil {
		t.Errorf("refused when the quota has freed: %v", err)
	}
}

// A throttle that is no used-up quota keeps the wait and the scope that its answer gives.
func TestAThrottleWithQuotaLeftIsNotCalledAFullQuota(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("One")
	handle := w.NewHandle(it)
	w.AddFault(sim.Fault{Call: "publish", Kind: sim.Error, Code: 4, Message: "Application request limit reached"})
	_, err := w.Net.Publish(t.Context(), it, handle)
	if e := w.RequireError(err, network.RateLimited, it.Token.Access); e.RetryAfter != 5*time.Minute ||
		e.Scope != network.ScopeApp {
		t.Errorf("got %+v", e)
	}
}

func TestALinkOfAnotherHostIsNoLink(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Same words")
	for address, want := range map[string]string{
		"https://www.threads.net/@a/post/B": "https://www.threads.net/@a/post/B",
		"https://www.threads.com/@a/post/B": "https://www.threads.com/@a/post/B",
		"https://evil.example/@a/post/B":    "", "https://threads.net.evil.example/B": "", "javascript:alert(1)": "",
		"https://a@threads.net/B": "",
	} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(rw, `{"permalink":%[1]q,"data":[{"id":"1","text":"Same words","media_type":"TEXT_POST","permalink":%[1]q}]}`, address)
		})
		found, err := w.Net.FindPost(t.Context(), it)
		if err != nil || found.Verdict != core.Done || found.URL != want {
			t.Errorf("%s: found %+v, %v", address, found, err)
		}
		link, err := w.Net.FetchLink(t.Context(), it, "1")
		if link != want || (err == nil) != (want != "") {
			t.Errorf("%s: linked %q, %v", address, link, err)
		}
	}
}

// The answer to a call names what the next call goes to.
func TestAContainerIDThatIsAPathIsRefused(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("a")
	for _, id := range []string{"../../me/evil?x=", "17/threads", "17?fields=x", "17#x", ".."} {
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(rw, `{"id":%q}`, id) })
		_, err := w.Net.CreateHandle(t.Context(), it)
		w.CheckError(err, network.Unknown, it.Token.Access)
	}
}

func TestAPublishedContainerTellsWhichPostItBecame(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Twins")
	handle := w.NewHandle(it)
	if _, err := w.Net.Publish(t.Context(), it, handle); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Net.Publish(t.Context(), it, w.NewHandle(it)); err != nil {
		t.Fatal(err)
	}
	st, err := w.Net.AdvanceStatus(t.Context(), it, handle)
	if err != nil || st.Verdict != core.Done || st.ExternalID != "" {
		t.Errorf("two posts look alike: want done without an id, got %+v, %v", st, err)
	}
	w.AddFault(sim.Fault{Call: "list", Kind: sim.ServerError})
	st, err = w.Net.AdvanceStatus(t.Context(), it, handle)
	if err != nil || st.Verdict != core.Done || st.ExternalID != "" {
		t.Errorf("the list is away: want done without an id, got %+v, %v", st, err)
	}
}

// containers responds to a list of posts with posts, and to all other calls with answer.
func containers(answer string, status int, posts string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/threads") {
			_, _ = io.WriteString(rw, `{"data":[`+posts+`]}`)
			return
		}
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, answer)
	}
}

func TestWhatAContainersStateMeans(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	fresh := w.NewItem("State")
	fresh.ArmedAt = time.Time{}
	armed := fresh
	armed.ArmedAt = w.Now()
	long := fresh
	long.ArmedAt = w.Now().Add(-time.Hour)
	stamp := w.Now().Format("2006-01-02T15:04:05-0700")
	post := fmt.Sprintf(`{"id":"18","text":"State","timestamp":%q,"media_type":"TEXT_POST"}`, stamp)
	gone := `{"error":{"code":24,"error_subcode":4279009,"message":"gone"}}`
	for name, c := range map[string]struct {
		it     network.Item
		status int
		answer string
		posts  string
		want   core.Verdict
		id     string
	}{
		"in progress":          {fresh, 200, `{"status":"IN_PROGRESS"}`, ``, core.Pending, ""},
		"a state nobody knows": {fresh, 200, `{"status":"PONDERING"}`, ``, core.Pending, ""},
		"no state":             {fresh, 200, `{"id":"17"}`, ``, core.Pending, ""},
		"finished":             {fresh, 200, `{"status":"FINISHED"}`, ``, core.Ready, ""},
		"expired":              {fresh, 200, `{"status":"EXPIRED"}`, ``, core.Dead, ""},
		"failed to load": {
			fresh, 200, `{"status":"ERROR","error_message":"FAILED_DOWNLOADING_VIDEO"}`, ``,
			core.Broken, "",
		},
		"failed for unknown reasons": {fresh, 200, `{"status":"ERROR","error_message":"UNKNOWN"}`, ``, core.Broken, ""},
		"invalid, after the arm": {
			armed, 200, `{"status":"ERROR","error_message":"INVALID_BIT_RATE"}`, ``,
			core.Broken, "",
		},
		"published":                       {armed, 200, `{"status":"PUBLISHED"}`, post, core.Done, "18"},
		"published, not in the list":      {armed, 200, `{"status":"PUBLISHED"}`, ``, core.Done, ""},
		"missing, never armed":            {fresh, 400, gone, post, core.Dead, ""},
		"missing, armed, in the list":     {armed, 400, gone, post, core.Done, "18"},
		"missing, armed, twice listed":    {armed, 400, gone, post + "," + post, core.Pending, ""},
		"missing long, twice listed":      {long, 400, gone, post + "," + post, core.Ambiguous, ""},
		"missing, armed, not listed":      {armed, 400, gone, ``, core.Pending, ""},
		"missing, armed long, not listed": {long, 400, gone, ``, core.Dead, ""},
		"missing by another code": {
			long, 400, `{"error":{"code":100,"error_subcode":33,"message":"gone"}}`, ``,
			core.Dead, "",
		},
	} {
		w.ReplaceServer(containers(c.answer, c.status, c.posts))
		st, err := w.Net.AdvanceStatus(t.Context(), c.it, "17900000000000001")
		if err != nil || st.Verdict != c.want || st.ExternalID != c.id {
			t.Errorf("%s: want %s %q, got %+v, %v", name, c.want, c.id, st, err)
		}
	}
	w.ReplaceServer(containers(`{"status":"ERROR","error_message":"INVALID_DURATION"}`, 200, ``))
	_, err := w.Net.AdvanceStatus(t.Context(), fresh, "17900000000000001")
	if e := w.RequireError(err, network.Rejected, fresh.Token.Access); e.Code != "INVALID_DURATION" || e.Hint == "" {
		t.Errorf("got %+v", e)
	}
}

func TestASearchForgivesWhiteSpaceOnly(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Two lines\r\nof text  ")
	for listed, want := range map[string]core.Verdict{
		`"Two lines\nof text"`: core.Done, `"Two lines of text"`: core.Absent, `"Two lines\nof text!"`: core.Absent,
	} {
		for kind, verdict := range map[string]core.Verdict{"TEXT_POST": want, "IMAGE": core.Absent, "REPOST_FACADE": core.Absent} {
			w.ReplaceServer(containers("",
				200, fmt.Sprintf(`{"id":"18","text":%s,"timestamp":"2026-10-05T09:00:01+0000","media_type":%q}`, listed, kind)))
			if st, err := w.Net.FindPost(t.Context(), it); err != nil || st.Verdict != verdict {
				t.Errorf("%s %s: want %s, got %+v, %v", kind, listed, verdict, st, err)
			}
		}
	}
}

// The profile's owner may have published another image by phone.
func TestAnImageWithoutTextIsNotFoundByItsTypeAlone(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("")
	it.Files = w.NewFiles(networktest.Image())
	w.ReplaceServer(containers("", 200, `{"id":"18","timestamp":"2026-10-05T09:00:01+0000","media_type":"IMAGE"}`))
	if st, err := w.Net.FindPost(t.Context(), it); err != nil || st.Verdict != core.Ambiguous || st.ExternalID != "" {
		t.Errorf("got %+v, %v", st, err)
	}
}

func TestACarouselGoesOutInOrder(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Two rolls")
	it.ArmedAt = time.Time{}
	it.Settings = settings(t, w, `{"topicTag": "bread", "altText": "A roll"}`)
	it.Files = w.NewFiles(networktest.Image(), networktest.Video(), networktest.Image())
	items, err := w.Net.CreateHandle(t.Context(), it)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := w.Net.AdvanceStatus(t.Context(), it, items); err != nil || st.Verdict == core.Ready && st.Handle == "" {
		t.Fatalf("items alone were called ready: %+v, %v", st, err)
	}
	k := w.NewWorker(it)
	if do := k.Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	all := w.VisiblePosts()
	if len(all) != 1 || len(all[0].Media) != 3 || all[0].Extra["topic_tag"] != "bread" || all[0].Text != "Two rolls" {
		t.Fatalf("visible: %+v", all)
	}
	if m := all[0].Media; m[0].Alt != "A roll" || m[1].Alt != networktest.Description || m[1].Type() != "video/mp4" {
		t.Errorf("media: %+v", m)
	}
	if st, err := w.Net.FindPost(t.Context(), it); err == nil {
		t.Errorf("a search without the time of the arm answered %+v", st)
	}
}

// A network that never gets a file ready is given up after a day, and its handle replaced.
func TestAnItemThatIsNeverReadyIsReplaced(t *testing.T) {
	t.Parallel()
	w := networktest.NewWorld(t, harness())
	it := w.NewItem("Slow")
	it.ArmedAt = time.Time{}
	it.Files = w.NewFiles(networktest.Image(), networktest.Image())
	w.AddFault(sim.Fault{Call: "create", Kind: sim.NeverReady})
	handle, err := w.Net.CreateHandle(t.Context(), it)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []core.Verdict{core.Pending, core.Dead} {
		if err := w.Kit.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != want || st.Handle != "" {
			t.Errorf("want %s, got %+v, %v", want, st, err)
		}
		w.Advance(24 * time.Hour)
	}
}

// A file that another upload would not mend fails the post at once.
func TestAFileThatThreadsCannotUseIsRefused(t *testing.T) {
	t.Parallel()
	for name, files := range map[string][]core.Media{
		"alone":         {networktest.Video(networktest.Duration(301_000))},
		"in a carousel": {networktest.Image(), networktest.Video(networktest.Duration(301_000))},
	} {
		w := networktest.NewWorld(t, harness())
		it := w.NewItem("Long")
		it.ArmedAt = time.Time{}
		it.Files = w.NewFiles(files...)
		handle, err := w.Net.CreateHandle(t.Context(), it)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Kit.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err = w.Net.AdvanceStatus(t.Context(), it, handle)
		if e := w.RequireError(err, network.Rejected, it.Token.Access); e.Code != "INVALID_DURATION" || e.Hint == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
