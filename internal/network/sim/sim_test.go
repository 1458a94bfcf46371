package sim_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"belfry/internal/network/sim"
)

func open(t *testing.T, path string) *sim.Kit {
	t.Helper()
	kit, err := sim.New(sim.Config{JournalPath: path, Prefix: "/box"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kit.Close() })
	return kit
}

func register(t *testing.T, kit *sim.Kit, about sim.About) {
	t.Helper()
	if err := kit.Register(about, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func words(kit *sim.Kit) []string {
	return slices.Collect(sim.OpenTable[string](kit, "net", "word").All())
}

func TestJournalSurvivesATornLastLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	kit := open(t, path)
	table := sim.OpenTable[string](kit, "net", "word")
	for _, word := range []string{"one", "two"} {
		if err := table.Put(word, word); err != nil {
			t.Fatal(err)
		}
	}
	if err := kit.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(`{"n":"net","t":"word","i":"two","v":"two"}`); cut += 5 {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		torn := open(t, path)
		table := sim.OpenTable[string](torn, "net", "word")
		if got := slices.Collect(table.All()); !slices.Equal(got, []string{"one"}) {
			t.Errorf("cut by %d: %q", cut, got)
		}
		if err := table.Put("three", "three"); err != nil {
			t.Fatal(err)
		}
		if err := torn.Close(); err != nil {
			t.Fatal(err)
		}
		if got := words(open(t, path)); !slices.Equal(got, []string{"one", "three"}) {
			t.Errorf("cut by %d and written on: %q", cut, got)
		}
	}
}

func TestJournalSaysWhereItIsDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	if err := os.WriteFile(path, []byte("{\"t\":\"clock\",\"v\":1}\nrubbish\n{\"t\":\"clock\",\"v\":2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sim.New(sim.Config{JournalPath: path}); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v, want line 2 named", err)
	}
}

func TestJournalIsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sub", "j.jsonl")
	open(t, path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	if _, err := sim.New(sim.Config{JournalPath: filepath.Join(path, "below-a-file")}); err == nil ||
		errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a journal below a file: error %v", err)
	}
}

func TestTablesForgetWhatIsDeleted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	kit := open(t, path)
	table := sim.OpenTable[string](kit, "net", "word")
	for _, err := range []error{
		table.Put("a", "gone"), table.Clear(), table.Put("b", "one"), table.Put("c", "two"), table.Put("b", "three"),
		table.Put("d", "four"), table.Delete("c"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := slices.Collect(table.All())
	_ = kit.Close()
	if after := words(open(t, path)); !slices.Equal(before, []string{"three", "four"}) || !slices.Equal(after, before) {
		t.Errorf("before %q, after a restart %q", before, after)
	}
}

func TestANetworkDoesNotForgetSilently(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	kit := open(t, path)
	if err := sim.OpenTable[string](kit, "net", "word").Put("a", "text"); err != nil {
		t.Fatal(err)
	}
	_ = kit.Close()
	reset := func() error { return nil }
	if err := open(t, path).Register(sim.About{ID: "net"}, reset); err == nil || !strings.Contains(err.Error(), "word") {
		t.Errorf("a table that nobody opened: %v", err)
	}
	other := open(t, path)
	sim.OpenTable[int](other, "net", "word")
	if err := other.Register(sim.About{ID: "net"}, reset); err == nil || !strings.Contains(err.Error(), "restore word a") {
		t.Errorf("a table of another type: %v", err)
	}
}

func TestDraftsAndDeletedPostsAreNotVisible(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	kit := open(t, path)
	at := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	put := func(p sim.Post) {
		t.Helper()
		p.Network, p.Account = "net", "shop"
		if err := kit.Posts.Put(p); err != nil {
			t.Fatal(err)
		}
	}
	put(sim.Post{ID: "1", CreatedAt: at, Draft: true})
	put(sim.Post{ID: "2", CreatedAt: at.Add(time.Minute)})
	put(sim.Post{ID: "3", CreatedAt: at.Add(time.Minute), DeletedAt: at.Add(time.Hour)})
	kit.Posts.CountPublishCall("net", "2")
	put(sim.Post{ID: "1", CreatedAt: at.Add(time.Hour)})
	read := func(posts []sim.Post) string {
		var ids []string
		for _, p := range posts {
			ids = append(ids, p.ID+strings.Repeat("+", p.PublishCalls))
		}
		return strings.Join(ids, " ")
	}
	_, found := kit.Posts.Get("net", "3")
	for after, want := range map[time.Time]int{at: 3, at.Add(time.Minute): 1, at.Add(time.Hour): 0} {
		if got := kit.Posts.CountSince("net", "shop", after); got != want {
			t.Errorf("%d posts since %v, want %d", got, after, want)
		}
	}
	if got := read(slices.Collect(kit.Posts.Newest("net", "shop"))); got != "1 3 2+" || read(kit.Posts.All()) != "2+ 1" || found {
		t.Errorf("posts %q, visible %q, deleted one found: %v", got, read(kit.Posts.All()), found)
	}
	_ = kit.Close()
	if got := read(slices.Collect(open(t, path).Posts.Newest("net", "shop"))); got != "1 3 2+" {
		t.Errorf("after a restart %q", got)
	}
}

func TestABackdatedPostIsAmongThePostsOfItsTime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	kit := open(t, path)
	at := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for i, id := range []string{"1", "2", "3"} {
		post := sim.Post{Network: "net", Account: "shop", ID: id, CreatedAt: at.Add(time.Duration(i) * time.Minute)}
		if err := kit.Posts.Put(post); err != nil {
			t.Fatal(err)
		}
	}
	if err := kit.Posts.Backdate("net", "2", at.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := kit.Posts.Backdate("net", "4", at); err == nil {
		t.Error("a post that does not exist was backdated")
	}
	if got := kit.Posts.CountSince("net", "shop", at.Add(-time.Second)); got != 2 {
		t.Errorf("%d posts since then, want 2", got)
	}
	read := func(kit *sim.Kit) (ids string) {
		for p := range kit.Posts.Newest("net", "shop") {
			ids += p.ID
		}
		return ids
	}
	before, all := read(kit), kit.Posts.All()
	_ = kit.Close()
	if after := read(open(t, path)); before != "312" || after != "312" || all[0].ID != "2" {
		t.Errorf("the posts are %s, and %s after a restart; the oldest is %s", before, after, all[0].ID)
	}
}

func TestClockAndOptionsAreKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	about := sim.About{ID: "net", Options: []sim.Option{
		{Name: "net.count", Default: "5"}, {Name: "net.mode", Default: "a", Choices: []string{"a", "b"}},
	}}
	kit := open(t, path)
	register(t, kit, about)
	if kit.NumberOption("net.count") != 5 || kit.Option("net.mode") != "a" {
		t.Errorf("defaults %v", kit.ListOptions())
	}
	for _, bad := range [][2]string{{"net.count", "-1"}, {"net.count", "5x"}, {"net.count", ""}, {"net.mode", "c"}, {"net.other", "1"}} {
		if err := kit.SetOption(bad[0], bad[1]); err == nil {
			t.Errorf("option %v was taken", bad)
		}
	}
	for _, err := range []error{kit.SetOption("net.count", "7"), kit.SetOption("net.mode", "b"), kit.AdvanceClock(time.Hour)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := kit.AdvanceClock(-time.Hour); err == nil {
		t.Error("the clock went back")
	}
	_ = kit.Close()
	again := open(t, path)
	register(t, again, about)
	if again.NumberOption("net.count") != 7 || again.Option("net.mode") != "b" || again.ClockOffset() != time.Hour {
		t.Errorf("after a restart: %v, %s", again.ListOptions(), again.ClockOffset())
	}
}

func TestATableOfErrorsIsReadStrictly(t *testing.T) {
	t.Parallel()
	all, err := sim.ParseDocumented("# from the documents\n\n4/7 | 400 | * | rejected | again | (#4) A | B\nword | 429 | a b | x | | C\n")
	want := []sim.Documented{
		{Code: 4, Subcode: 7, Status: 400, Class: "rejected", Advice: "again", Message: "(#4) A | B"},
		{Reason: "word", Status: 429, Calls: []string{"a", "b"}, Class: "x", Message: "C"},
	}
	if err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("got %+v, %v", all, err)
	}
	for _, bad := range []string{
		"4 | 400 | * | rejected | again", "4 | 4 | * | a | b | c", "4 | 400 | * | | b | c",
		"4 | 400 | * | a | b | ",
	} {
		if _, err := sim.ParseDocumented(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestFaultsAreCheckedBeforeTheyAreTaken(t *testing.T) {
	t.Parallel()
	kit := open(t, "")
	register(t, kit, sim.About{ID: "two", Calls: []string{"create", "publish"}, Containers: true})
	register(t, kit, sim.About{ID: "one", Calls: []string{"publish", "feed"}, Errors: []sim.Documented{{Code: 4, Subcode: 7}}})
	bad := map[string]sim.Fault{
		"code 4 is":           {Kind: sim.Error, Code: 4},
		"code 4/7 is":         {Kind: sim.Error, Network: "two", Code: 4, Subcode: 7},
		"code no is":          {Kind: sim.Error, Reason: "no"},
		"is unknown":          {Kind: "explode"},
		"requires delayMs":    {Kind: sim.Slow},
		"requires a code":     {Kind: sim.Error},
		"not simulated":       {Network: "three", Kind: sim.Reject},
		"has no call":         {Network: "one", Call: "create", Kind: sim.Reject},
		"no network has":      {Call: "explode", Kind: sim.Reject},
		"two steps":           {Network: "one", Kind: sim.NeverReady},
		"status 200":          {Kind: sim.Reject, Status: 200},
		"times -1":            {Kind: sim.Reject, Times: new(-1)},
		"delayMs -1":          {Kind: sim.Slow, DelayMs: -1},
		"delayMs 86400000":    {Kind: sim.Slow, DelayMs: 86_400_000},
		"retryAfter":          {Kind: sim.RateLimited, RetryAfter: -1},
		"requires afterBytes": {Kind: sim.BreakOff},
	}
	for words, f := range bad {
		if _, err := kit.Faults.Add(sim.Fault{Kind: sim.Reject}, f); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%+v: error %v, want %q", f, err, words)
		}
	}
	if got := kit.Faults.ListActive(); len(got) != 0 {
		t.Errorf("half of a bad script was taken: %v", got)
	}
	added, err := kit.Faults.Add(sim.Fault{Kind: sim.Reject}, sim.Fault{Network: "one", Call: "feed", Kind: sim.Reject, Times: new(0)})
	if err != nil || added[0].Call != "any" || *added[0].Times != 1 || *added[1].Times != 0 {
		t.Errorf("added %+v, %v", added, err)
	}
	if !kit.Faults.Delete(added[0].ID) || kit.Faults.Delete(added[0].ID) || len(kit.Faults.ListActive()) != 1 {
		t.Errorf("after deletion: %v", kit.Faults.ListActive())
	}
}

func TestParamsComeOnceFromOnePlace(t *testing.T) {
	t.Parallel()
	read := func(query, kind, body string, takeJSON bool) (string, error) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "https://x/y"+query, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		v, err := sim.ReadParams(httptest.NewRecorder(), r, takeJSON)
		return v.Encode(), err
	}
	const form = "application/x-www-form-urlencoded"
	good := map[string][4]string{
		"form and query": {"?a=1", form, "b=2", "a=1&b=2"},
		"multipart": {
			"", "multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n", "a=1",
		},
		"JSON": {
			"?b=2", "application/json", `{"a":"1","c":true,"d":[{"e":5}]}`,
			"a=1&b=2&c=true&d=%5B%7B%22e%22%3A5%7D%5D",
		},
	}
	for name, c := range good {
		if got, err := read(c[0], c[1], c[2], true); err != nil || got != c[3] {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	bad := map[string][3]string{
		"twice in the query": {"?a=1&a=1", form, ""},
		"query and body":     {"?a=1", form, "a=1"},
		"broken escape":      {"?a=%zz", form, ""},
		"JSON unasked":       {"", "application/json", `{"a":1}`},
		"a huge body":        {"", form, "a=" + strings.Repeat("x", 1<<21)},
	}
	for name, c := range bad {
		if got, err := read(c[0], c[1], c[2], false); err == nil {
			t.Errorf("%s was read as %s", name, got)
		}
	}
}

func TestLinksOfPagesAreMapped(t *testing.T) {
	t.Parallel()
	kit := open(t, "")
	for address, want := range map[string]string{
		"https://www.example.org/a?b=c": "/box/www.example.org/a?b=c", "http://localhost/x": "http://localhost/x", "/y": "/y",
	} {
		if got := kit.SandboxURL(address); got != want {
			t.Errorf("%s is mapped to %s, want %s", address, got, want)
		}
	}
}

func TestOnlyLoopbackAndThePublicNetAreFetched(t *testing.T) {
	t.Parallel()
	kit, err := sim.New(sim.Config{MediaPrefixes: []string{"http://127.0.0.1:1/media/"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kit.Close() })
	if _, err := kit.FetchFile(t.Context(), "net", "1", "http://127.0.0.1:1/other"); err == nil ||
		!strings.Contains(err.Error(), "does not fetch files from") {
		t.Errorf("an address outside the prefixes: %v", err)
	}
	for _, address := range []string{"http://10.0.0.1/a", "http://169.254.169.254/latest", "http://[fd00::1]/a", "http://0.0.0.0:1/a"} {
		if _, err := open(t, "").FetchFile(t.Context(), "net", "1", address); err == nil ||
			!strings.Contains(err.Error(), "neither public nor loopback") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestUploadsGoOnWhereTheyBrokeOff(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	kit := open(t, path)
	broken := io.MultiReader(strings.NewReader("one "), iotest.ErrReader(io.ErrUnexpectedEOF))
	if size, err := kit.AppendUpload("a", 0, broken); size != 4 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a part that broke off: %d, %v", size, err)
	}
	_ = kit.Close()
	kit = open(t, path)
	if size, err := kit.AppendUpload("a", 3, strings.NewReader("x")); size != 4 || !errors.Is(err, sim.ErrOffset) {
		t.Errorf("a part at the wrong place: %d, %v", size, err)
	}
	if size, err := kit.AppendUpload("a", 4, strings.NewReader("two")); size != 7 || err != nil || kit.UploadSize("b") != 0 {
		t.Errorf("the next part: %d, %v", size, err)
	}
	m, err := kit.FinishUpload("a")
	if sum := sha256.Sum256([]byte("one two")); err != nil || m.SHA256 != hex.EncodeToString(sum[:]) || m.Bytes != 7 ||
		kit.UploadSize("a") != 0 {
		t.Errorf("the file: %+v, %v", m, err)
	}
}

func TestFiguresGrowAndNeverShrink(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	kit, err := sim.New(sim.Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kit.Close() })
	p := sim.Post{Network: "net", ID: "1", CreatedAt: now}
	if f := kit.PostFigures(p); f != (sim.Figures{}) {
		t.Errorf("a new post has %+v", f)
	}
	last, followers := 0, kit.CountFollowers("shop", now)
	for range 10 {
		now = now.Add(12 * time.Hour)
		f := kit.PostFigures(p)
		if f.Views <= last || f != kit.PostFigures(p) || f.Reach > f.Views {
			t.Errorf("after %v: %+v, before %d", now.Sub(p.CreatedAt), f, last)
		}
		last = f.Views
	}
	if more := kit.CountFollowers("shop", now); more <= followers {
		t.Errorf("followers %d, before %d", more, followers)
	}
	sum := 0
	for _, n := range sim.SplitByCountry(followers) {
		sum += n
	}
	if sum != followers {
		t.Errorf("%d followers in all countries, want %d", sum, followers)
	}
}

func TestAnAnswerTrickles(t *testing.T) {
	t.Parallel()
	kit := open(t, "")
	register(t, kit, sim.About{ID: "net", Calls: []string{"publish"}})
	effects := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kit.RunCall(w, r, sim.Call{Network: "net", Names: []string{"publish"}}, func(bool) sim.Answer {
			effects++
			return sim.OK(map[string]string{"id": "1"})
		})
	}))
	t.Cleanup(server.Close)
	if _, err := kit.Faults.Add(sim.Fault{Call: "publish", Kind: sim.Trickle, DelayMs: 600_000}); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	some := make([]byte, 16)
	if n, err := resp.Body.Read(some); n != 1 || err != nil || effects != 1 {
		t.Errorf("first %q, %v, %d effects", some[:n], err, effects)
	}
	kit.Faults.Clear()
	if rest, err := io.ReadAll(resp.Body); string(rest) != `"id":"1"}` || err != nil {
		t.Errorf("rest %q, %v", rest, err)
	}
}

// A connection breaks exactly where a fault says, over any number of calls, and what has arrived stays.
func TestAnUploadBreaksOffAtExactlyTheGivenBytes(t *testing.T) {
	t.Parallel()
	kit := open(t, "")
	register(t, kit, sim.About{ID: "net", Calls: []string{"upload"}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kit.RunCall(w, r, sim.Call{Network: "net", Names: []string{"upload"}}, func(bool) sim.Answer {
			if _, err := kit.AppendUpload("a", kit.UploadSize("a"), r.Body); err != nil {
				return sim.InternalError(err)
			}
			return sim.OK(nil)
		})
	}))
	t.Cleanup(server.Close)
	if _, err := kit.Faults.Add(
		sim.Fault{Kind: sim.BreakOff, AfterBytes: 100_000, Times: new(2)}, sim.Fault{Kind: sim.BreakOff, AfterBytes: 30_001},
		sim.Fault{Kind: sim.BreakOff, Network: "net", Match: "another", AfterBytes: 1},
	); err != nil {
		t.Fatal(err)
	}
	send := func(size int) bool {
		body := strings.NewReader(strings.Repeat("x", size))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL, body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	}
	for i, part := range []struct {
		size, arrived int
		whole         bool
	}{
		{20_000, 20_000, true},    // no fault yet
		{90_000, 30_001, false},   // the second fault, in the midst
		{69_999, 100_000, false},  // the first fault, at the very end
		{150_000, 200_000, false}, // and once more
		{50_000, 250_000, true},
	} {
		if whole := send(part.size); whole != part.whole || kit.UploadSize("a") != int64(part.arrived) {
			t.Errorf("part %d: whole %v, %d bytes have arrived, want %d", i+1, whole, kit.UploadSize("a"), part.arrived)
		}
	}
	if got := kit.Calls.UploadedBytes()["net"]; got != 250_000 {
		t.Errorf("%d bytes were counted", got)
	}
	if left := kit.Faults.ListActive(); len(left) != 1 || left[0].Match != "another" {
		t.Errorf("left: %+v", left)
	}
}

// answered returns the responses to ordinary calls with faults; "" for a connection that breaks.
func answered(t *testing.T, calls int, faults ...sim.Fault) []string {
	t.Helper()
	kit := open(t, "")
	register(t, kit, sim.About{ID: "net", Calls: []string{"publish"}, Errors: []sim.Documented{{Code: 4}}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := sim.Call{Network: "net", Names: []string{"publish"}, Fault: func(f sim.Fault) sim.Answer {
			return sim.Answer{Status: http.StatusBadRequest, Body: map[string]int{"code": f.Code}}
		}}
		kit.RunCall(w, kit.BeginRequest(r, "net", "host", "/", ""), c, func(bool) sim.Answer { return sim.OK("done") })
	}))
	t.Cleanup(server.Close)
	if _, err := kit.Faults.Add(faults...); err != nil {
		t.Fatal(err)
	}
	var answers []string
	for range calls {
		resp, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		answers = append(answers, strconv.Itoa(resp.StatusCode)+" "+string(body))
	}
	return answers
}

func TestAFaultLetsCallsPass(t *testing.T) {
	t.Parallel()
	got := answered(t, 4, sim.Fault{Network: "net", Call: "publish", Kind: sim.Error, Code: 4, Skip: 2})
	if want := []string{`200 "done"`, `200 "done"`, `400 {"code":4}`, `200 "done"`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestAnErrorMayArriveByHalfOrAsAPage(t *testing.T) {
	t.Parallel()
	got := answered(t, 2, sim.Fault{Kind: sim.TruncatedJSON, Code: 4}, sim.Fault{Kind: sim.BadGateway})
	if got[0] != `400 {"cod` || !strings.HasPrefix(got[1], "502 <html>") {
		t.Errorf("got %q", got)
	}
}
