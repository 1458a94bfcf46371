package networktest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// testDocumentedErrors tests that every documented error, at each call for a post, has the consequences of its class
// and the network's own message.
func testDocumentedErrors(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	handle := w.NewHandle(it)
	documents := w.DocumentedErrors()
	if len(documents) == 0 {
		t.Fatal("the simulator documents no errors")
	}
	calls := []string{"publish"}
	if w.Net.DeliveryFor(it.DraftWithoutAccount()).Flow.MakesHandle() {
		calls = append(calls, "create", "status")
	}
	for _, d := range documents {
		for _, call := range calls {
			if d.Calls == nil || slices.Contains(d.Calls, call) {
				it = w.checkDocumentedError(d, call, it, handle)
			}
		}
	}
	for _, c := range h.Errors {
		d := sim.Documented{
			Code: c.Code, Subcode: c.Subcode, Reason: c.Reason, Status: c.Status, Class: string(c.Kind),
			Message: "This message is from the network.",
		}
		it = w.checkDocumentedError(d, cmp.Or(c.Call, "publish"), it, handle)
	}
	if all := w.VisiblePosts(); len(all) != 0 {
		t.Errorf("visible: %+v", all)
	}
}

// testErrorTable tests that the connector's table has every documented error, with the same meaning.
func testErrorTable(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	meanings := map[string]network.ErrorMeaning{}
	for _, listed := range h.Driver.Errors() {
		meanings[listed.Code] = listed.ErrorMeaning
		if listed.Hint == "" {
			t.Errorf("%s has no hint", listed.Code)
		}
	}
	for _, d := range w.DocumentedErrors() {
		class := ParseClass(t, d.Class, w.Now())
		if class.Kind == Pending || class.Kind == network.Unknown || class.Kind == Ignored {
			continue
		}
		listed, ok := findMeaning(meanings, d)
		if !ok {
			t.Errorf("%s is not in the table", d.Name())
			continue
		}
		actor := cmp.Or(class.Actor, network.ErrorMeaning{Kind: class.Kind}.WhoActs())
		if listed.Daily {
			listed.Wait = class.Wait
		}
		if listed.Kind != class.Kind || listed.WhoActs() != actor || listed.Wait != class.Wait || listed.Scope != class.Scope {
			t.Errorf("%s: the table has %+v and %s, but the network documents %s", d.Name(), listed, listed.WhoActs(), d.Class)
		}
	}
}

// findMeaning returns the meaning of an error: that of its code and subcode, of either, or of the range of its code.
func findMeaning(
	meanings map[string]network.ErrorMeaning, d sim.Documented,
) (_ network.ErrorMeaning, found bool) {
	for _, name := range []string{
		d.Name(), strconv.Itoa(d.Subcode), strconv.Itoa(d.Code), fmt.Sprintf("%d–%d", d.Code/100*100, d.Code/100*100+99),
	} {
		if m, ok := meanings[name]; ok && name != "0" {
			return m, true
		}
	}
	return network.ErrorMeaning{}, false
}

// DocumentedErrors returns the errors in the simulator's table.
func (w *World) DocumentedErrors() []sim.Documented {
	for _, about := range w.Kit.Networks() {
		if about.ID == string(w.Net.Describe().ID) {
			return about.Errors
		}
	}
	return nil
}

// checkDocumentedError makes a call that the network refuses with a documented error, and checks the connector's error.
// It returns the item with a valid token.
func (w *World) checkDocumentedError(
	d sim.Documented, call string, it network.Item, handle string,
) (withValidToken network.Item) {
	w.t.Helper()
	w.Advance(time.Minute) // beyond the limits on calls a minute
	it = w.renewIfLapsed(it)
	class := ParseClass(w.t, d.Class, w.Now())
	it.HandleAt, it.ArmedAt = w.Now(), w.Now()
	if class.Kind == network.Rejected { // which counts only when the post would have appeared
		it.ArmedAt = w.Now().Add(-time.Hour)
	}
	w.AddFault(sim.Fault{
		Call: call, Kind: sim.Error, Code: d.Code, Subcode: d.Subcode, Reason: d.Reason, Status: d.Status, Message: d.Message,
		Times: new(0),
	})
	defer w.Kit.Faults.Clear()
	st, err := w.makeCall(call, it, handle)
	name := d.Name() + " at " + call
	switch {
	case class.Kind == Pending:
		if err != nil || st.Verdict != core.Pending {
			w.t.Errorf("%s: want pending, got %+v, %v", name, st, err)
		}
		return it
	case err == nil && st.Verdict == core.Doomed && class.Kind == network.Rejected: // a status query returned it
		err = &network.Error{
			Kind: network.Rejected, Code: st.Code, Message: st.Message, Hint: st.Hint, Status: d.Status, Raw: []byte(d.Message),
			Trace: "-", Scope: class.Scope, RetryAfter: class.Wait, Actor: class.Actor,
		}
	}
	e := w.RequireError(err, class.Kind, it.Token.Access)
	if class.Kind == network.Unknown { // which proves nothing
		return it
	}
	if e.Code != d.Name() || e.Message != d.Message || !containsText(e.Raw, d.Message) || e.Trace == "" && !w.h.NoTrace {
		w.t.Errorf("%s: want the network's message, code, trace and response, got %+v", name, e)
	}
	if e.Hint == "" || !strings.Contains(strings.ToLower(e.Hint), strings.ToLower(d.Advice)) {
		w.t.Errorf("%s: the hint %q does not contain %q", name, e.Hint, d.Advice)
	}
	if d.Advice != "" && (e.RetryAfter != class.Wait || e.Scope != class.Scope) {
		w.t.Errorf("%s: waits for %s in scope %q, want %s in scope %q", name, e.RetryAfter, e.Scope, class.Wait, class.Scope)
	}
	if d.Advice != "" && (e.Actor == network.ActorOperator) != (class.Actor == network.ActorOperator) {
		w.t.Errorf("%s: %q must act, want %q", name, e.Actor, class.Actor)
	}
	return it
}

// containsText reports whether a JSON response contains a text.
func containsText(answer []byte, words string) bool {
	encoded, err := json.Marshal(words)
	return err == nil && (strings.Contains(string(answer), strings.Trim(string(encoded), `"`)) ||
		strings.Contains(string(answer), words))
}

// renewIfLapsed returns the item, with a renewed token if its own has lapsed.
func (w *World) renewIfLapsed(it network.Item) network.Item {
	w.t.Helper()
	if it.Token.HasLapsed(w.Now()) {
		refresher, ok := w.Net.(network.Refresher)
		if !ok {
			w.t.Fatal("the token has lapsed, but the network cannot renew it")
		}
		fresh, err := refresher.RefreshToken(w.t.Context(), it.Token)
		if err != nil {
			w.t.Fatal(err)
		}
		it.Token = fresh
	}
	return it
}

// makeCall makes the connector make the call that Case.Call names.
func (w *World) makeCall(call string, it network.Item, handle string) (st network.Status, err error) {
	switch call {
	case "", "publish":
		return w.Net.Publish(w.t.Context(), it, handle)
	case "status":
		return w.Net.AdvanceStatus(w.t.Context(), it, handle)
	}
	_, err = w.Net.CreateHandle(w.t.Context(), it)
	return st, err
}

func testThrottle(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	handle := w.NewHandle(it)
	w.AddFault(sim.Fault{Call: "publish", Kind: sim.RateLimited, RetryAfter: 120})
	_, err := w.Net.Publish(t.Context(), it, handle)
	if e := w.RequireError(err, network.RateLimited, it.Token.Access); e.RetryAfter != 2*time.Minute || e.Hint == "" {
		t.Errorf("want a wait of two minutes and a hint, got %+v", e)
	}
}

func testInvalidTokens(t *testing.T, h Harness) {
	for kind, want := range map[string]network.ErrorKind{sim.TokenExpired: network.Expired, sim.TokenRevoked: network.Revoked} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.NewItem(text)
			handle := w.NewHandle(it)
			lapses, cause := !it.Token.LapsesAt.IsZero(), want
			if lapses {
				want = network.Lapsed // and RefreshToken returns the cause
			}
			w.AddFault(sim.Fault{Call: cmp.Or(h.TokenCall, "publish"), Kind: kind})
			_, err := w.makeCall(h.TokenCall, it, handle)
			if e := w.RequireError(err, want, it.Token.Access); e.Hint == "" {
				t.Error("no hint")
			}
			w.CheckError(w.Net.VerifyToken(t.Context(), it.Token), want, it.Token.Access)
			_, err = w.AskOutcome(it, handle)
			w.CheckError(err, want, it.Token.Access)
			if all := w.VisiblePosts(); len(all) != 0 {
				t.Errorf("visible: %+v", all)
			}
			if !lapses {
				return
			}
			refresher, ok := w.Net.(network.Refresher)
			if !ok {
				t.Fatal("a lapsed token cannot be renewed")
			}
			fresh, err := refresher.RefreshToken(t.Context(), it.Token)
			if cause == network.Revoked {
				w.CheckError(err, cause, it.Token.Access, it.Token.Refresh)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			it.Token = fresh
			if st, err := w.AskOutcome(it, handle); err != nil || st.Verdict != core.Ready {
				t.Errorf("with a fresh token: %+v, %v", st, err)
			}
		})
	}
}

// testHostileResponses tests that a response that is not complete and well-formed proves nothing about the post.
func testHostileResponses(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.NewItem(text)
	handle := w.NewHandle(it)
	write := newResponseHandler
	for name, answer := range map[string]http.HandlerFunc{
		"an empty object":               write(200, `{}`),
		"an empty id":                   write(200, `{"id": ""}`),
		"a null id":                     write(200, `{"id": null}`),
		"a list":                        write(200, `[]`),
		"a string":                      write(200, `"ok"`),
		"nothing":                       write(200, ``),
		"half of an object":             write(200, `{"id": "17`),
		"two objects":                   write(200, `{"id": "17"} {"id": "18"}`),
		"a web page":                    write(200, `<html><body>Welcome</body></html>`),
		"a gateway's web page":          write(502, `<html>Bad gateway</html>`),
		"a refusal without a reason":    write(400, `{"sorry": true}`),
		"a refusal with a null body":    write(400, `null`),
		"an overlong response":          write(200, `{"id": "17", "more": "`+strings.Repeat("x", 1<<20)+`"}`),
		"a redirect with a post id":     newRedirectHandler(http.StatusFound, `{"id": "17"}`),
		"a temporary redirect":          newRedirectHandler(http.StatusTemporaryRedirect, ``),
		"a permanent redirect":          newRedirectHandler(http.StatusPermanentRedirect, ``),
		"a redirect without a location": write(http.StatusPermanentRedirect, ``),
		"fewer bytes than announced":    writeTruncated,
		"a response that is not HTTP":   writeGarbage,
		"a connection closed early":     closeConnection,
		"an error in another format":    write(400, `{"error": "invalid_grant"}`),
	} {
		w.ReplaceServer(answer)
		_, err := w.Net.Publish(t.Context(), it, handle)
		var e *network.Error
		if !errors.As(err, &e) || e.Kind != network.Unknown {
			t.Errorf("%s: want unknown, got %v", name, err)
			continue
		}
		w.CheckError(err, network.Unknown, it.Token.Access)
	}
	w.ReplaceServer(nil)
	if all := w.VisiblePosts(); len(all) != 0 {
		t.Errorf("visible: %+v", all)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		if strings.Contains(r.URL.Path, "followed") {
			t.Error("a redirect was followed")
		}
	}
}

func newResponseHandler(status int, body string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(status)
		_, _ = rw.Write([]byte(body))
	}
}

func newRedirectHandler(status int, body string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", "/followed")
		rw.WriteHeader(status)
		_, _ = rw.Write([]byte(body))
	}
}

func writeTruncated(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Length", "100")
	_, _ = rw.Write([]byte(`{"id": "17"}`))
}

func closeConnection(rw http.ResponseWriter, _ *http.Request) { writeRawAndClose(rw, "") }

func writeGarbage(rw http.ResponseWriter, _ *http.Request) {
	writeRawAndClose(rw, "SSH-2.0-OpenSSH_9.2\r\n")
}

func writeRawAndClose(rw http.ResponseWriter, bytes string) {
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	_, _ = conn.Write([]byte(bytes))
	_ = conn.Close()
}

// testRedaction tests that errors contain no secrets, even if the network echoes everything that it received.
func testRedaction(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	grant := w.GrantConsent()
	it := w.NewItem(text)
	handle := w.NewHandle(it)
	it.ArmedAt = w.Now()
	echo := func(status int, shape string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			all := []string{r.Header.Get("Authorization"), r.URL.String(), r.Form.Encode()}
			for _, values := range r.Form {
				all = append(all, values...)
			}
			rw.WriteHeader(status)
			_, _ = fmt.Fprintf(rw, shape, strconv.Quote(strings.Join(all, " ")))
		}
	}
	shapes := map[int]string{
		400: `{"error": {"message": %s, "type": "OAuthException", "code": 100, "fbtrace_id": "A1"}}`,
		401: `{"error": {"message": "Session", "error_user_msg": %s, "type": "OAuthException", "code": 190}}`,
		403: `{"error_type": "OAuthException", "code": 400, "error_message": %s}`,
		500: `%s`,
		200: `{"id": [%s]}`,
		302: `%s`,
	}
	verbs := map[string]func() error{
		"exchange": func() error { _, err := w.Net.ExchangeCode(t.Context(), grant); return err },
		"verify":   func() error { return w.Net.VerifyToken(t.Context(), it.Token) },
		"publish":  func() error { _, err := w.Net.Publish(t.Context(), it, handle); return err },
		"find":     func() error { _, err := w.Net.FindPost(t.Context(), it); return err },
		"link":     func() error { _, err := w.Net.FetchLink(t.Context(), it, "18000000000000001"); return err },
	}
	if r, ok := w.Net.(network.Refresher); ok {
		verbs["refresh"] = func() error { _, err := r.RefreshToken(t.Context(), it.Token); return err }
	}
	for status, shape := range shapes {
		w.ReplaceServer(echo(status, shape))
		for name, verb := range verbs {
			var e *network.Error
			w.StartRecording()
			err := verb()
			if err == nil && len(w.RecordedSteps()) == 0 {
				continue // no call was made
			}
			if status == http.StatusOK && name == "find" {
				continue // a response without a list counts as an empty list
			}
			if !errors.As(err, &e) {
				t.Errorf("%s at %d: not a network error: %v", name, status, err)
				continue
			}
			w.CheckError(err, e.Kind, it.Token.Access, network.Secret(grant.Code))
		}
	}
}

func testTextLength(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	limit := w.Net.Describe().Limits.Text
	codes := func(text string) []core.IssueCode {
		d := h.Simplest
		d.Text, d.Settings = text, []byte(`{}`)
		issues, _ := w.Net.CheckDraft(d)
		var codes []core.IssueCode
		for _, i := range issues {
			if i.Message == "" || i.Hint == "" {
				t.Errorf("an issue without a message or hint: %+v", i)
			}
			codes = append(codes, i.Code)
		}
		return codes
	}
	blank := core.IssueTextRequired.Code
	if len(h.Simplest.Media) > 0 {
		blank = ""
	}
	for text, want := range map[string]core.IssueCode{
		strings.Repeat("a", limit.Max):   "",
		strings.Repeat("a", limit.Max+1): core.IssueCaptionTooLong.Code,
		" \n":                            blank,
		strings.Repeat("🥐", limit.Max/croissantLength(limit)):   "",
		strings.Repeat("🥐", limit.Max/croissantLength(limit)+1): core.IssueCaptionTooLong.Code,
	} {
		got := codes(text)
		if (want == "" && len(got) > 0) || (want != "" && (len(got) != 1 || got[0] != want)) {
			t.Errorf("%d bytes: want %q, got %v", len(text), want, got)
		}
	}
	it := w.NewItem(strings.Repeat("🥐", limit.Max/croissantLength(limit)+1))
	if k := w.NewWorker(it); k.Run() != core.DoFail {
		t.Error("the simulator accepts a text that the check refuses")
	}
}

// croissantLength returns the length of a croissant in the unit of the limit.
func croissantLength(limit core.Count) int { return limit.Unit.Length("🥐") }
