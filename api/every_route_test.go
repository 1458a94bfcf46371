package api_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
)

// operation is a route as the description has it.
type operation struct {
	Method, Path string `json:"-"`

	OperationID string
	Parameters  []struct{ Name string }
	RequestBody *struct {
		Content map[string]struct {
			Examples map[string]any
			Schema   schema
		}
	}
	Responses map[string]any
	Security  []map[string]any
	Servers   []any
}

func (o operation) takes(parameter string) bool {
	return slices.ContainsFunc(o.Parameters, func(p struct{ Name string }) bool { return p.Name == parameter })
}

// success is the status that the description promises when all is well.
func (o operation) success() string { return slices.Min(slices.Collect(maps.Keys(o.Responses))) }

func (o operation) byKey() bool {
	return slices.ContainsFunc(o.Security, func(s map[string]any) bool { return s["key"] != nil })
}

// described are the routes under /v1 with the example of each record.
func described(t *testing.T) (routes []operation, example map[string]json.RawMessage) {
	t.Helper()
	doc := document(t)
	for path, methods := range doc.Paths {
		for method, raw := range methods {
			o := operation{Method: strings.ToUpper(method), Path: path}
			encoded, err := json.Marshal(raw)
			must(t, err)
			must(t, json.Unmarshal(encoded, &o))
			if len(o.Servers) == 0 {
				routes = append(routes, o)
			}
		}
	}
	example = map[string]json.RawMessage{}
	for name, e := range doc.Components.Examples {
		example[name] = e.Value
	}
	return routes, example
}

// scene is a workspace in which every example of the description means something.
type scene struct {
	*rig
	ws      *apptest.Workspace
	account contract.Account
	ids     map[string]string // by the first part of a path
	here    *strings.Replacer
}

func (r *rig) stage(name string) *scene {
	r.t.Helper()
	s := &scene{rig: r, ws: r.Workspace(name)}
	account := s.ws.Account("threads")
	s.account = account
	s.ids = map[string]string{
		"accounts": account.ID, "posts": s.ws.Queued("Rye", account, apptest.Start().Add(time.Hour)).ID,
		"groups":  s.ws.Group("Cafés", account).ID,
		"folders": s.ws.Folder("Cakes", "").ID, "media": s.reserve(s.ws.Owner).MediaID, "keys": s.ws.Key(core.Read).ID,
		"members": s.ws.Invite(name+"@example.net", core.RoleEditor).ID,
	}
	s.here = strings.NewReplacer("acc_01m7zbv262e9sr6wggzz5c1nt8", account.ID, "med_01m7zbv2qaerjvg3x8axk9tdhd",
		s.ids["media"])
	return s
}

// body is the example of what the route takes, with the ids that are here.
func (s *scene) body(o operation, example map[string]json.RawMessage) string {
	if o.RequestBody == nil {
		return ""
	}
	for name := range o.RequestBody.Content["application/json"].Examples {
		return s.here.Replace(string(example[name]))
	}
	return ""
}

func (s *scene) path(o operation) string {
	return "/v1" + strings.Replace(o.Path, "{id}", s.ids[strings.Split(o.Path, "/")[1]], 1)
}

// failed is a post that its network has refused.
func (s *scene) failed() contract.Post {
	s.t.Helper()
	s.Fault(sim.Fault{Network: "threads", Call: "create", Kind: sim.Reject, Message: "Not today"})
	return s.ws.Work(s.ws.Now("Refused", s.account))
}

// as is the credential that the route asks for.
func (s *scene) as(o operation) with {
	if o.byKey() {
		return bearerKey(s.ws.Key(core.Write))
	}
	return s.signedIn(s.ws.Owner)
}

// Every route takes the example that the description shows and answers as it promises, names the request, tells how
// the limits stand, and does once what it documents an Idempotency-Key for.
func TestEveryRouteKeepsWhatItsDescriptionPromises(t *testing.T) {
	t.Parallel()
	routes, example := described(t)
	needFailed := []string{"retryPost", "deletePost"}            // a post that waits cannot be tried again or deleted
	otherKey := map[string]int{"retryPost": http.StatusConflict} // nor one that was tried again
	r := open(t, generous)
	for _, o := range routes {
		t.Run(o.OperationID, func(t *testing.T) {
			s := r.stage(o.OperationID)
			if slices.Contains(needFailed, o.OperationID) {
				s.ids["posts"] = s.failed().ID
			}
			body, who := s.body(o, example), s.as(o)
			ask := func(key string) answer { return s.do(o.Method, s.path(o), body, who, header("Idempotency-Key", key)) }
			first := ask("one-key")
			if fmt.Sprint(first.Status) != o.success() {
				t.Fatalf("%s answers %d to %s, want %s: %s", o.Path, first.Status, body, o.success(), first.Body)
			}
			for _, name := range []string{"X-Request-Id", "RateLimit", "RateLimit-Policy"} {
				if first.Header.Get(name) == "" {
					t.Errorf("the answer lacks %s", name)
				}
			}
			if !o.takes("Idempotency-Key") {
				if again := ask("one-key"); again.Header.Get("Idempotency-Replayed") != "" {
					t.Error("a route that documents no Idempotency-Key replays")
				}
				return
			}
			again := ask("one-key")
			if again.Status != first.Status || !bytes.Equal(again.Body, first.Body) ||
				again.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("the first answer is\n%s\nand with the same key %d %v\n%s", first.Body, again.Status, again.Header,
					again.Body)
			}
			if id := again.Header.Get("X-Request-Id"); id == first.Header.Get("X-Request-Id") {
				t.Errorf("two requests are named %s", id)
			}
			if other := ask("another-key"); bytes.Equal(other.Body, first.Body) ||
				other.Status != cmp.Or(otherKey[o.OperationID], first.Status) {
				t.Errorf("another key answers %d: %s", other.Status, other.Body)
			}
			body = strings.Replace(body, "{", "{ ", 1)
			ask("one-key").want(t, http.StatusConflict, core.CodeIdempotencyMismatch)
		})
	}
}

// A parameter that a route does not take is refused, so that nobody believes it was heard. The description itself is
// a file like any other.
func TestEveryRouteRefusesAnUnknownParameter(t *testing.T) {
	t.Parallel()
	routes, example := described(t)
	s := open(t, generous).stage("asked")
	for _, o := range routes {
		if o.Path == "/openapi.json" {
			continue
		}
		got := s.do(o.Method, s.path(o)+"?dryRun=true", s.body(o, example), s.as(o))
		if got.Status != http.StatusBadRequest || !strings.Contains(string(got.Body), "query.dryRun") {
			t.Errorf("%s %s?dryRun=true answers %d: %s", o.Method, o.Path, got.Status, got.Body)
		}
	}
}

// Every list with a cursor shows each row once while others come and go (decisions.md, Shape of the API).
func TestEveryListPagesWithoutLossOrRepetition(t *testing.T) {
	t.Parallel()
	routes, _ := described(t)
	grow := map[string]func(*scene) string{
		"/posts": func(s *scene) string { return s.ws.Draft("one more", s.account).ID },
		"/media": func(s *scene) string { return s.reserve(s.ws.Owner).MediaID },
	}
	r := open(t, generous)
	for _, o := range routes {
		if !o.takes("cursor") {
			continue
		}
		add := grow[o.Path]
		if add == nil {
			t.Errorf("%s has a cursor and no row in this test", o.Path)
			continue
		}
		for _, order := range []string{"", "asc", "desc"} {
			if order != "" && !o.takes("order") {
				continue
			}
			s := r.stage(o.OperationID + order)
			there := map[string]bool{s.ids[o.Path[1:]]: true}
			for range 10 {
				there[add(s)] = true
			}
			s.pages(o, order, there, add)
		}
	}
}

// pages reads a list three rows at a time, with a row added and one that was shown removed before each page.
func (s *scene) pages(o operation, order string, there map[string]bool, add func(*scene) string) {
	s.t.Helper()
	who, shown, cursor := bearerKey(s.ws.Key(core.Write)), map[string]bool{}, ""
	query := "?limit=3"
	if order != "" {
		query += "&order=" + order
	}
	for {
		var page struct {
			Posts, Media []struct{ ID string }
			NextCursor   *string
		}
		a := s.do(o.Method, "/v1"+o.Path+query+"&cursor="+cursor, "", who)
		a.want(s.t, http.StatusOK, "")
		a.read(s.t, &page)
		rows := append(page.Posts, page.Media...)
		if len(rows) > 3 {
			s.t.Errorf("a page of three has %d rows", len(rows))
		}
		for _, row := range rows {
			if shown[row.ID] {
				s.t.Errorf("%s is shown twice", row.ID)
			}
			shown[row.ID] = true
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
		add(s)
		s.do("DELETE", "/v1"+o.Path+"/"+rows[0].ID, "", who)
	}
	for id := range there {
		if !shown[id] {
			s.t.Errorf("%s was there from the beginning and is not shown", id)
		}
	}
}
