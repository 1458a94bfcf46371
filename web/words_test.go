package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
)

// apiWords is what only a program knows: a field in backticks, a route, a path inside a request, a field's name.
var apiWords = regexp.MustCompile("`|(GET|POST|PUT|PATCH) /|(when|targets|perPlatform)\\.|nextCursor|failReason|[{}]")

// Refusals told people to send fields of the API.
func TestRefusalsSpeakToPeopleNotToPrograms(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft, queued := s.ws.Draft("hello", s.threads), s.ws.Queued("hello", s.threads, s.Clock.Now().Add(time.Hour))
	broken := s.ws.File("bell.jpg", []byte("not a picture"))
	withFile := s.ws.Draft("with a file", s.threads)
	_, err := s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: withFile.ID, MediaIDs: &[]string{broken.ID}})
	must(t, err)
	for name, answer := range map[string]*page{
		"no account":                s.b.post("/posts", "text", "hello", "when", "draft"),
		"a time that is no time":    s.b.post("/posts", s.written("when", "at", "at", "soon")...),
		"an unknown when":           s.b.post("/posts", s.written("when", "sometime")...),
		"too large":                 s.b.post("/posts", s.written("text", strings.Repeat("x", 1<<20))...),
		"another time":              s.b.post("/posts/"+draft.ID+"/reschedule", "at", "soon", "tz", "UTC"),
		"another zone":              s.b.post("/posts/"+draft.ID+"/reschedule", "at", "2026-10-07T10:00", "tz", "Nowhere"),
		"a queued post's content":   s.b.post("/posts/"+queued.ID+"/edit", "text", "", "when", "at", "at", "2026-10-07T10:00"),
		"several posts":             s.b.post("/posts/undo", "before", "x"),
		"queueing without a time":   s.b.post("/posts/" + draft.ID + "/queue"),
		"a file that failed":        s.b.post("/posts/" + withFile.ID + "/send-now"),
		"a state that is none":      s.b.get("/posts?status=lost"),
		"a cursor of somebody else": s.b.get("/posts?cursor=x"),
	} {
		if answer.StatusCode < http.StatusBadRequest {
			t.Errorf("%s is answered %d", name, answer.StatusCode)
		}
		for _, told := range answer.all(".alert, .error, .fault, .issues, " + testid("fault")) {
			if found := apiWords.FindString(textOf(told)); found != "" {
				t.Errorf("%s: %q is in %q", name, found, textOf(told))
			}
		}
	}
}
