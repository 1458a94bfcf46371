package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// step is one request of a scenario, what it is answered, and what it changes. Each one finds what those
// before it have left. A name in angle brackets stands for the id that a step saved under it.
type step struct {
	name   string
	by     string // whose key: "" of one who may write, "reader", "nobody"
	call   string // "POST /folders"
	body   string
	key    string // Idempotency-Key
	status int
	code   string
	says   string // somewhere in the answer
	saves  string
	leaves shelf
	puts   string // to the upload address that was saved under this name, with the body as it is
}

// walk takes the steps one by one and counts what each leaves behind.
func (s *service) walk(t *testing.T, c *client, steps []step) {
	t.Helper()
	keys := map[string]*client{"": c, "reader": s.client(s.key("read")), "nobody": s.client("belfry_live_nobody")}
	saved, uploads, names := []string{}, map[string]string{}, map[string]bool{}
	want := s.shelf(c)
	for _, step := range steps {
		if names[step.name] {
			t.Fatalf("two steps are called %q", step.name)
		}
		names[step.name] = true
		fill := strings.NewReplacer(saved...)
		method, path, _ := strings.Cut(fill.Replace(step.call), " ")
		var body any = fill.Replace(step.body)
		if step.body == "" {
			body = nil
		}
		var a answer
		if step.puts == "" {
			a = keys[step.by].with(map[string]string{"Idempotency-Key": step.key}, method, path, body)
		} else {
			a = putTo(t, uploads[step.puts], step.body)
		}
		if a.Status != step.status || a.Code != step.code || a.Status >= 400 && a.Message == "" || !strings.Contains(a.Raw, fill.Replace(step.says)) {
			t.Fatalf("%s: answered %d %s; want %d %s and %q", step.name, a.Status, a.Raw, step.status, step.code, fill.Replace(step.says))
		}
		if step.saves != "" {
			id, address := made(t, a)
			saved, uploads[step.saves] = append(saved, "<"+step.saves+">", id), address
		}
		want = want.plus(step.leaves)
		var got shelf
		if !poll(waits, func() bool { got = s.shelf(c); return got == want }) {
			t.Fatalf("after %q there are %+v; want %+v", step.name, got, want)
		}
	}
}

// made reads the id of what an answer made, and the upload address where there is one.
func made(t testing.TB, a answer) (id, address string) {
	t.Helper()
	var u upload
	if err := json.Unmarshal([]byte(a.Raw), &u); err != nil {
		t.Fatal(err)
	}
	if u.MediaID != "" {
		return u.MediaID, u.UploadURL
	}
	return a.ID, ""
}

func putTo(t testing.TB, address, content string) (a answer) {
	t.Helper()
	status, _, raw := send(t, http.MethodPut, address, nil, content)
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("PUT answers %d and no JSON: %s", status, raw)
	}
	a.Status, a.Raw = status, string(raw)
	return a
}
