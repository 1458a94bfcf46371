package api_test

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"belfry/internal/app"
	"belfry/internal/core"
)

// fromNPM reads a file of a package that tools/need-npm installs.
func fromNPM(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile("../tools/npm/node_modules/" + name)
	if err != nil {
		t.Fatalf("the packages of tools/npm are not installed; run tools/need-npm, as `make test` does: %v", err)
	}
	return file
}

// generous lets a test ask as often as it must, and keeps no log of it.
func generous(c *app.Config) {
	c.Log = slog.New(slog.DiscardHandler)
	c.LimitAddress, c.LimitCreate = app.Rate{Max: 1e6, Window: time.Hour}, app.Rate{Max: 1e6, Window: time.Hour}
}

// The goal: "npm's big-list-of-naughty-strings through every text field … stored as sent or refused". All fields of a
// body that take any words are sent at once, each with another string, and one by one where that is refused; those of
// a certain form one by one, and a record that several routes take through one of them.
func TestNaughtyStringsAreStoredAsSentOrRefused(t *testing.T) {
	t.Parallel()
	var naughty []string
	must(t, json.Unmarshal(fromNPM(t, "big-list-of-naughty-strings/blns.json"), &naughty))
	if len(naughty) < 450 {
		t.Fatalf("the list has %d strings", len(naughty))
	}
	doc := document(t)
	var strict sync.Map // by record and property
	eachBody(t, func(s *scene, o operation, body string, who with) {
		var free []field
		for _, f := range doc.textFields(o) {
			if f.path[0] != "overrides" &&
				s.do(o.Method, s.path(o), put(t, unlike(t, body), f, "Any words, in any order"), who).Status/100 == 2 {
				free = append(free, f)
				continue
			}
			if _, done := strict.LoadOrStore(f.of, true); done {
				continue
			}
			for _, text := range naughty {
				s.forgetSlugs() // a workspace has at most 20 former ones
				s.naughty(o, put(t, unlike(t, body), f, text), who, f, text)
			}
		}
		if len(free) == 0 {
			return
		}
		for k := range naughty {
			texts, whole := slices.Concat(naughty[k:], naughty[:k]), unlike(t, body)
			for i, f := range free {
				whole = put(t, whole, f, texts[i])
			}
			if a := s.do(o.Method, s.path(o), whole, who); !s.refusal(a) {
				s.stores(o, a, who, texts, free...)
				continue
			}
			for i, f := range free {
				s.naughty(o, put(t, unlike(t, body), f, texts[i]), who, f, texts[i])
			}
		}
	})
}

// naughty sends a body and holds the answer to the rule.
func (s *scene) forgetSlugs() {
	s.t.Helper()
	_, err := s.Pool.Exec(s.t.Context(), `DELETE FROM former_slugs`)
	must(s.t, err)
}

func (s *scene) naughty(o operation, body string, who with, f field, text string) {
	s.t.Helper()
	a := s.do(o.Method, s.path(o), body, who)
	if !s.refusal(a) {
		s.stores(o, a, who, []string{text}, f)
	} else if a.code() == core.CodeConflict && f.path[0] != "name" {
		s.t.Errorf("%s %s does not get to judging %v: %s", o.Method, o.Path, f.path, a.Body)
	} else if sent := f.path[0]; a.code() == core.CodeInvalidRequest && !bytes.Contains(a.Body, []byte(sent)) {
		s.t.Errorf("%s %s refuses %q as %v and does not name it: %s", o.Method, o.Path, text, f.path, a.Body)
	}
}

// stores fails the test when what is read back does not have, in each field's place, what was sent as it was sent.
func (s *scene) stores(o operation, a answer, who with, texts []string, fields ...field) {
	s.t.Helper()
	var kept any
	for i, f := range fields {
		if texts[i] == "" || !stored(o, f) {
			continue
		}
		if kept == nil {
			s.readBack(o, a, who).read(s.t, &kept)
		}
		if !holds(kept, f.name(), texts[i]) && !holds(kept, f.name(), withoutInvisible(f, texts[i])) {
			s.t.Errorf("%s %s takes %q as %v and keeps %v", o.Method, o.Path, texts[i], f.path, kept)
		}
	}
}

// readBack asks for what a route has made or changed: by its id, or where that is no route, in the list.
func (s *scene) readBack(o operation, a answer, who with) answer {
	s.t.Helper()
	var made struct {
		ID, MediaID string
		Posts       []struct{ ID string }
	}
	a.read(s.t, &made)
	if len(made.Posts) > 0 {
		made.ID = made.Posts[0].ID
	}
	noun := strings.Split(o.Path, "/")[1]
	path := map[string]string{"keys": "/keys", "members": "/members", "workspace": "/whoami"}[noun]
	a = s.do("GET", "/v1"+cmp.Or(path, "/"+noun+"/"+cmp.Or(made.ID, made.MediaID)), "", who)
	a.want(s.t, http.StatusOK, "")
	return a
}

// refusal tells whether an answer is one; it must be clear, and nobody's fault but the client's.
func (s *scene) refusal(a answer) bool {
	s.t.Helper()
	var e struct{ Code, Message string }
	switch {
	case a.Status/100 == 2:
		return false
	case a.Status/100 != 4 || json.Unmarshal(a.Body, &e) != nil || e.Code == "" || e.Message == "":
		s.t.Errorf("the answer is %d: %s", a.Status, a.Body)
	}
	return true
}

// stored tells whether what stands in a field comes back: a plan keeps nothing, what is said for another network than
// the target's is checked and no more, overrides go before the base they stand beside, and of a mime type the bytes
// decide.
func stored(o operation, f field) bool {
	first, last := f.path[0], f.path[len(f.path)-1]
	other := (first == "perPlatform" || first == "settings") && f.path[1] != "threads"
	return o.OperationID != "planPosts" && first != "overrides" && !other &&
		!slices.Contains([]string{"mime", "replyControl", "url"}, last)
}

// name is how the field is called where it is read.
func (f field) name() string {
	for _, part := range slices.Backward(f.path) {
		switch part {
		case "0":
		case "filename":
			return "originalName"
		default:
			return part
		}
	}
	return ""
}

// withoutInvisible is what a file's name is stored as: without characters that turn its direction or hide in it.
func withoutInvisible(f field, text string) string {
	if f.name() != "originalName" {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && r != '\u200c' && r != '\u200d' {
			return -1
		}
		return r
	}, text)
}

// holds tells whether a text stands somewhere in an answer under a name, alone or in a list.
func holds(answer any, name, text string) bool {
	switch v := answer.(type) {
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return holds(one, name, text) })
	case map[string]any:
		list, _ := v[name].([]any)
		if v[name] == text || slices.Contains(list, any(text)) {
			return true
		}
		for _, one := range v {
			if holds(one, name, text) {
				return true
			}
		}
	}
	return false
}

// The goal: "json-test-suite through every JSON route: no 5xx".
func TestEveryRouteReadsJSONAsItIsDefined(t *testing.T) {
	t.Parallel()
	var suite []struct {
		Name, Input string
		Error       *bool
	}
	script := fromNPM(t, "json-test-suite/data/parsing.js")
	list := bytes.TrimSuffix(bytes.TrimSpace(script[bytes.IndexByte(script, '['):]), []byte(";"))
	must(t, json.Unmarshal(list, &suite))
	if len(suite) < 300 {
		t.Fatalf("the suite has %d texts", len(suite))
	}
	eachBody(t, func(s *scene, o operation, body string, who with) {
		for _, one := range suite {
			// Broken within a whole body too, where it could pass for a value that nobody reads.
			within := strings.TrimSuffix(strings.TrimSpace(body), "}") + `,"text":` + one.Input + "}"
			for _, text := range []string{one.Input, within} {
				if text == "" {
					continue // no body at all, which is another matter
				}
				if a := s.do(o.Method, s.path(o), text, who); !s.refusal(a) && one.Error != nil && *one.Error {
					t.Errorf("%s %s takes %s, which is no JSON: %.200s", o.Method, o.Path, one.Name, text)
				}
			}
		}
	})
}

// overrides would hide the text that they stand beside.
var overrides = regexp.MustCompile(`(?s)"overrides": \{.*?\}\s*\},`)

// eachBody calls do at once for every route that takes a body, each with a scene of its own and its example.
func eachBody(t *testing.T, do func(s *scene, o operation, body string, who with)) {
	t.Helper()
	routes, example := described(t)
	r := open(t, generous)
	var all sync.WaitGroup
	for _, o := range routes {
		if o.RequestBody == nil {
			continue
		}
		s := r.stage(o.OperationID)
		who, body := s.as(o), s.body(o, example)
		body = overrides.ReplaceAllString(body, "")
		if o.Method == http.MethodPatch && s.ids["posts"] != "" {
			s.ids["posts"] = s.ws.Draft("Rye", s.account).ID // whose content may change
		}
		all.Go(func() { do(s, o, body, who) })
	}
	all.Wait()
}

// field is a text in a body: its path, and which property of which record it is.
type field struct {
	path []string
	of   string
}

// textFields are a body's texts but for those with a closed list; a list's first entry stands for all.
func (d description) textFields(o operation) []field {
	for name := range o.RequestBody.Content["application/json"].Examples {
		return d.texts(schema{Ref: schemas + name}, "")
	}
	return nil
}

const schemas = "#/components/schemas/"

func (d description) texts(s schema, of string) []field {
	if name, ok := strings.CutPrefix(s.Ref, schemas); ok {
		s, of = d.Components.Schemas[name], name
	}
	var out []field
	under := func(name string, s schema) {
		for _, f := range d.texts(s, of+"."+name) {
			out = append(out, field{append([]string{name}, f.path...), f.of})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		under(name, s.Properties[name])
	}
	if s.Items != nil {
		under("0", *s.Items)
	}
	for _, one := range s.OneOf {
		out = append(out, d.texts(one, of)...)
	}
	kinds, _ := s.Type.([]any)
	if len(s.Enum) == 0 && (s.Type == "string" || slices.Contains(kinds, any("string"))) {
		out = append(out, field{of: of})
	}
	return out
}

// unlike is a body whose record nothing else is called like: it is never refused for that.
func unlike(t *testing.T, body string) string {
	t.Helper()
	var known map[string]any
	must(t, json.Unmarshal([]byte(body), &known))
	for name, text := range map[string]string{"name": rand.Text(), "email": rand.Text() + "@example.com"} {
		if _, ok := known[name]; ok {
			body = put(t, body, field{path: []string{name}}, text)
		}
	}
	return body
}

// put sets a text within a body.
func put(t *testing.T, body string, f field, text string) string {
	t.Helper()
	var whole map[string]any
	must(t, json.Unmarshal([]byte(body), &whole))
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	must(t, encoder.Encode(having(whole, f.path, text)))
	return out.String()
}

// having is a value with a text at the end of a path.
func having(v any, path []string, text string) any {
	if len(path) == 0 {
		return text
	}
	if path[0] == "0" {
		return []any{having(nil, path[1:], text)}
	}
	object, ok := v.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[path[0]] = having(object[path[0]], path[1:], text)
	return object
}
