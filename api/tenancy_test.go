package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
)

// idCase is a request that names an id elsewhere than in its path. In the body, ID stands for that id, <accounts> and
// <media> for ids of the caller's own. A query has no body.
type idCase struct{ noun, body string }

const postTo = `{"targets":{"accountIds":["<accounts>"]},"text":"x"`

// idCases has a row for each place for an id that the description names. A row without a noun is a place for a
// network's own id, which is not looked up.
var idCases = map[string]idCase{
	"GET /posts?accountId":                {noun: "accounts"},
	"GET /posts?groupId":                  {noun: "groups"},
	"GET /media?folderId":                 {noun: "folders"},
	"POST /posts targets.accountIds":      {"accounts", `{"targets":{"accountIds":["<accounts>","ID"]},"text":"x","confirm":true}`},
	"POST /posts targets.groupId":         {"groups", `{"targets":{"accountIds":["<accounts>"],"groupId":"ID"},"text":"x","confirm":true}`},
	"POST /posts mediaIds":                {"media", postTo + `,"mediaIds":["<media>","ID"],"when":"now","confirm":true}`},
	"POST /posts/plan targets.accountIds": {"accounts", `{"targets":{"accountIds":["<accounts>","ID"]},"text":"x"}`},
	"POST /posts/plan targets.groupId":    {"groups", `{"targets":{"groupId":"ID"},"text":"x"}`},
	"POST /posts/plan mediaIds":           {"media", postTo + `,"mediaIds":["ID"]}`},
	"PATCH /posts/{id} mediaIds":          {"media", `{"mediaIds":["<media>","ID"],"text":"x"}`},
	"POST /groups accountIds":             {"accounts", `{"name":"x","accountIds":["<accounts>","ID"]}`},
	"PATCH /groups/{id} accountIds":       {"accounts", `{"name":"x","accountIds":["<accounts>","ID"]}`},
	"POST /folders parentId":              {"folders", `{"name":"x","parentId":"ID"}`},
	"PATCH /folders/{id} parentId":        {"folders", `{"name":"x","parentId":"ID"}`},
	"POST /media/uploads folderId":        {"folders", `{"filename":"x.jpg","mime":"image/jpeg","size":1,"folderId":"ID"}`},
	"POST /media/from-url folderId":       {"folders", `{"url":"https://93.184.215.14/x.jpg","folderId":"ID"}`},
	"PATCH /media/{id} folderId":          {"folders", `{"title":"x","folderId":"ID"}`},

	"POST /posts perPlatform.youtube.playlistId":      {},
	"POST /posts/plan perPlatform.youtube.playlistId": {},
	"PATCH /posts/{id} settings.youtube.playlistId":   {},
}

// A request with an id of another workspace, or of something deleted, is answered like one with an id that never was,
// byte for byte, and changes nothing (Spec §1).
func TestIDOfAnotherWorkspaceIsAnsweredLikeAnUnknownID(t *testing.T) {
	t.Parallel()
	routes, _ := described(t)
	r := open(t, generous)
	mine, theirs := r.stage("mine"), r.stage("theirs")
	owner, deleted := r.signedIn(mine.ws.Owner), mine.deleteOneOfEach()
	before, foreign := mine.readEverything(), theirs.readEverything()

	requireNotFound := func(name, noun string, ask func(id string) answer, more ...string) {
		like := theirs.ids[noun]
		prefix, _, _ := strings.Cut(like, "_")
		other := mine.ids["posts"]
		if noun == "posts" {
			other = mine.ids["groups"]
		}
		_, unused, _ := strings.Cut(other, "_")
		want := ask(prefix + "_" + unused)
		want.want(t, http.StatusNotFound, core.CodeNotFound)
		for _, id := range append(more, like, deleted[noun], "x", prefix+"_", other, strings.ToUpper(like), like+"0") {
			if got := ask(id); comparableBytes(got) != comparableBytes(want) {
				t.Errorf("%s with %.60q answers\n%s\nwant\n%s", name, id, comparableBytes(got), comparableBytes(want))
			}
		}
	}
	bodies := map[string]string{
		"PATCH /posts/{id}": `{"text":"x"}`, "PATCH /groups/{id}": `{"name":"x"}`, "PATCH /folders/{id}": `{"name":"x"}`,
		"PATCH /members/{id}": `{"role":"viewer"}`, "PATCH /media/{id}": `{"title":"x"}`,
	}
	left := maps.Clone(idCases)
	for _, o := range routes {
		route := o.Method + " " + o.Path
		noun := strings.Split(o.Path, "/")[1]
		if strings.Contains(o.Path, "{id}") {
			requireNotFound(route, noun, func(id string) answer {
				return r.do(o.Method, "/v1"+strings.Replace(o.Path, "{id}", id, 1), bodies[route], owner)
			}, "%00", "..%2Fkeys", strings.Repeat("a", 5000))
		}
		for _, place := range o.idPlaces(document(t)) {
			c, ok := idCases[place]
			if !ok {
				t.Errorf("%s is a place for an id and has no row in this test", place)
			}
			delete(left, place)
			if c.noun == "" {
				continue
			}
			known := strings.NewReplacer("<accounts>", mine.ids["accounts"], "<media>", mine.ids["media"])
			requireNotFound(place, c.noun, func(id string) answer {
				if c.body == "" {
					return r.do(o.Method, "/v1"+strings.TrimPrefix(place, o.Method+" ")+"="+id, "", owner)
				}
				return r.do(o.Method, mine.path(o), strings.Replace(known.Replace(c.body), "ID", id, 1), owner)
			})
		}
	}
	for place := range left {
		t.Errorf("%s is no place for an id any more", place)
	}
	if after := mine.readEverything(); after != before {
		t.Errorf("what is ours has changed:\n%s\nwas\n%s", after, before)
	}
	if after := theirs.readEverything(); after != foreign {
		t.Errorf("what is theirs has changed:\n%s\nwas\n%s", after, foreign)
	}
}

// idPlaces lists the query parameters and the fields of the body that hold an id.
func (o operation) idPlaces(doc description) (places []string) {
	route := o.Method + " " + o.Path
	for _, p := range o.Parameters {
		if isID(p.Name) {
			places = append(places, route+"?"+p.Name)
		}
	}
	if o.RequestBody != nil {
		for _, content := range o.RequestBody.Content {
			for _, path := range doc.idPaths("", content.Schema) {
				places = append(places, route+" "+path)
			}
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// isID reports whether a field of this name holds ids.
func isID(name string) bool { return strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "Ids") }

// idPaths returns the paths of all fields of a value that hold an id.
func (d description) idPaths(path string, s schema) (found []string) {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.idPaths(path, d.Components.Schemas[name])
	}
	for name, property := range s.Properties {
		if at := strings.TrimPrefix(path+"."+name, "."); isID(name) {
			found = append(found, at)
		} else {
			found = append(found, d.idPaths(at, property)...)
		}
	}
	inner := slices.Concat(s.AnyOf, s.OneOf)
	if s.Items != nil {
		inner = append(inner, *s.Items)
	}
	if s.AdditionalProperties.schema != nil {
		inner = append(inner, *s.AdditionalProperties.schema)
	}
	for _, one := range inner {
		found = append(found, d.idPaths(path, one)...)
	}
	return found
}

// deleteOneOfEach creates and deletes one of everything that has an id, and returns these ids.
func (s *scene) deleteOneOfEach() map[string]string {
	s.t.Helper()
	ids := map[string]string{
		"accounts": s.ws.Account("facebook").ID, "posts": s.ws.Draft("Gone", s.account).ID,
		"groups": s.ws.Group("Gone").ID, "folders": s.ws.Folder("Gone", "").ID, "media": s.reserve(s.ws.Owner).MediaID,
		"keys": s.ws.Key(core.Read).ID, "members": s.ws.Invite("gone@example.net", core.RoleEditor).ID,
	}
	for noun, id := range ids {
		s.do("DELETE", "/v1/"+noun+"/"+id, "", s.signedIn(s.ws.Owner)).want(s.t, http.StatusNoContent, "")
	}
	return ids
}

// readEverything returns all that the workspace shows of itself.
func (s *scene) readEverything() string {
	s.t.Helper()
	var b strings.Builder
	for _, path := range append(slices.Sorted(maps.Keys(s.ids)), "posts/"+s.ids["posts"]+"/events") {
		a := s.do("GET", "/v1/"+path, "", s.signedIn(s.ws.Owner))
		a.want(s.t, http.StatusOK, "")
		b.Write(a.Body)
		b.WriteByte('\n')
	}
	return b.String()
}

// comparableBytes is all of an answer that a client can compare with another.
func comparableBytes(a answer) string {
	header := a.Header.Clone()
	for _, name := range []string{"X-Request-Id", "Date", "Ratelimit"} {
		header.Del(name)
	}
	var b strings.Builder
	_ = header.Write(&b) // a Builder takes everything
	return b.String() + string(a.Body)
}
