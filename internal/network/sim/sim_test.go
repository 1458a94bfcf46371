package sim_test

import (
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
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

func records(t *testing.T, kit *sim.Kit, network string) []string {
	t.Helper()
	var all []string
	if err := kit.Replay(network, func(kind string, data []byte) error {
		all = append(all, kind+" "+string(data))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestJournalSurvivesATornLastLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	kit := open(t, path)
	for _, word := range []string{"one", "two"} {
		if err := kit.Record("net", "word", word); err != nil {
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
	for cut := 1; cut < len(`{"n":"net","k":"word","v":"two"}`); cut += 5 {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		torn := open(t, path)
		if got := records(t, torn, "net"); !reflect.DeepEqual(got, []string{`word "one"`}) {
			t.Errorf("cut by %d: %q", cut, got)
		}
		if err := torn.Record("net", "word", "three"); err != nil {
			t.Fatal(err)
		}
		if err := torn.Close(); err != nil {
			t.Fatal(err)
		}
		if got := records(t, open(t, path), "net"); !reflect.DeepEqual(got, []string{`word "one"`, `word "three"`}) {
			t.Errorf("cut by %d and written on: %q", cut, got)
		}
	}
}

func TestJournalSaysWhereItIsDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	if err := os.WriteFile(path, []byte("{\"k\":\"clock\",\"v\":1}\nrubbish\n{\"k\":\"clock\",\"v\":2}\n"), 0o600); err != nil {
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

func TestClockAndOptionsAreKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	about := sim.About{ID: "net", Options: []sim.Option{
		{Name: "net.count", Default: "5"}, {Name: "net.mode", Default: "a", Choices: []string{"a", "b"}},
	}}
	kit := open(t, path)
	kit.Register(about, func() error { return nil })
	if kit.Number("net.count") != 5 || kit.Option("net.mode") != "a" {
		t.Errorf("defaults %v", kit.Options())
	}
	for _, bad := range [][2]string{{"net.count", "-1"}, {"net.count", "5x"}, {"net.count", ""}, {"net.mode", "c"}, {"net.other", "1"}} {
		if err := kit.SetOption(bad[0], bad[1]); err == nil {
			t.Errorf("option %v was taken", bad)
		}
	}
	for _, err := range []error{kit.SetOption("net.count", "7"), kit.SetOption("net.mode", "b"), kit.Advance(time.Hour)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := kit.Advance(-time.Hour); err == nil {
		t.Error("the clock went back")
	}
	_ = kit.Close()
	again := open(t, path)
	again.Register(about, func() error { return nil })
	if again.Number("net.count") != 7 || again.Option("net.mode") != "b" || again.Offset() != time.Hour {
		t.Errorf("after a restart: %v, %s", again.Options(), again.Offset())
	}
}

func TestFaultsAreCheckedBeforeTheyAreTaken(t *testing.T) {
	t.Parallel()
	kit := open(t, "")
	kit.Register(sim.About{ID: "two", Calls: []string{"create", "publish"}, Containers: true}, nil)
	kit.Register(sim.About{ID: "one", Calls: []string{"publish", "feed"}}, nil)
	bad := map[string]sim.Fault{
		"is unknown":       {Kind: "explode"},
		"needs delayMs":    {Kind: sim.Slow},
		"needs a code":     {Kind: sim.Error},
		"not simulated":    {Network: "three", Kind: sim.Reject},
		"has no call":      {Network: "one", Call: "create", Kind: sim.Reject},
		"no network has":   {Call: "explode", Kind: sim.Reject},
		"two steps":        {Network: "one", Kind: sim.NeverReady},
		"status 200":       {Kind: sim.Reject, Status: 200},
		"times -1":         {Kind: sim.Reject, Times: new(-1)},
		"delayMs -1":       {Kind: sim.Slow, DelayMs: -1},
		"delayMs 86400000": {Kind: sim.Slow, DelayMs: 86_400_000},
		"retryAfter":       {Kind: sim.RateLimited, RetryAfter: -1},
	}
	for words, f := range bad {
		if _, err := kit.Faults.Add(sim.Fault{Kind: sim.Reject}, f); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%+v: error %v, want %q", f, err, words)
		}
	}
	if got := kit.Faults.Active(); len(got) != 0 {
		t.Errorf("half of a bad script was taken: %v", got)
	}
	added, err := kit.Faults.Add(sim.Fault{Kind: sim.Reject}, sim.Fault{Network: "one", Call: "feed", Kind: sim.Reject, Times: new(0)})
	if err != nil || added[0].Call != "any" || *added[0].Times != 1 || *added[1].Times != 0 {
		t.Errorf("added %+v, %v", added, err)
	}
	if !kit.Faults.Delete(added[0].ID) || kit.Faults.Delete(added[0].ID) || len(kit.Faults.Active()) != 1 {
		t.Errorf("after deletion: %v", kit.Faults.Active())
	}
}

func TestFieldsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	got, err := sim.ParseFields("id, picture.type(large){url},a{b{c},d}.limit(0)")
	if err == nil {
		t.Errorf("a modifier after the braces was read as %v", got)
	}
	got, err = sim.ParseFields("id, picture.type(large).width(3){url},a{b{c},d}")
	want := []sim.Field{
		{Name: "id"},
		{Name: "picture", Sub: []sim.Field{{Name: "url"}}},
		{Name: "a", Sub: []sim.Field{{Name: "b", Sub: []sim.Field{{Name: "c"}}}, {Name: "d"}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, %v", got, err)
	}
	for _, bad := range []string{"a,,b", "a{b", "a}", "a.x(", ",a", "a{b}}"} {
		if got, err := sim.ParseFields(bad); err == nil {
			t.Errorf("%q was read as %v", bad, got)
		}
	}
}

func TestPickKeepsWhatWasAsked(t *testing.T) {
	t.Parallel()
	node := map[string]any{
		"id": "1", "name": "n", "list": map[string]any{"data": []any{map[string]any{"a": 1, "b": 2}}},
	}
	fields, err := sim.ParseFields("list{a},absent")
	if err != nil {
		t.Fatal(err)
	}
	got, stranger := sim.Pick(node, sim.Known("name", "list", "absent"), fields)
	want := map[string]any{"id": "1", "list": map[string]any{"data": []any{map[string]any{"a": 1}}}}
	if stranger != "" || !reflect.DeepEqual(got, want) {
		t.Errorf("picked %v, stranger %q", got, stranger)
	}
	if _, stranger = sim.Pick(node, sim.Known("name"), fields); stranger != "list" {
		t.Errorf("stranger %q, want list", stranger)
	}
}

func TestParamsComeOnceFromOnePlace(t *testing.T) {
	t.Parallel()
	read := func(query, kind, body string, takeJSON bool) (string, error) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "https://x/y"+query, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		v, err := sim.Params(httptest.NewRecorder(), r, takeJSON)
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
		if got := kit.Link(address); got != want {
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
	if _, err := kit.Fetch(t.Context(), "net", "1", "http://127.0.0.1:1/other"); err == nil ||
		!strings.Contains(err.Error(), "not an address of this product") {
		t.Errorf("an address outside the prefixes: %v", err)
	}
	for _, address := range []string{"http://10.0.0.1/a", "http://169.254.169.254/latest", "http://[fd00::1]/a", "http://0.0.0.0:1/a"} {
		if _, err := open(t, "").Fetch(t.Context(), "net", "1", address); err == nil ||
			!strings.Contains(err.Error(), "neither public nor loopback") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
