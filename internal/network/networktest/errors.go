package networktest

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

func documentedErrors(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.Item(text)
	handle := w.Handle(it)
	for _, c := range h.Errors {
		w.Advance(time.Minute) // beyond the limits of calls
		it = w.renewIfLapsed(it)
		code := cmp.Or(c.Reason, strconv.Itoa(c.Code))
		if c.Subcode != 0 {
			code += "/" + strconv.Itoa(c.Subcode)
		}
		words := fmt.Sprintf("These are the network's very own words for %s.", code)
		w.Fault(
			sim.Fault{
				Call: cmp.Or(c.Call, "publish"), Kind: sim.Error, Code: c.Code, Subcode: c.Subcode, Reason: c.Reason, Status: c.Status, Message: words,
			},
		)
		e := w.Failure(w.provoke(c.Call, it, handle), c.Kind, it.Token.Access)
		if e.Code != code || e.Message != words || !strings.Contains(string(e.Raw), words) || e.Trace == "" != h.NoTrace ||
			e.Status < 400 {
			t.Errorf("%s: want the network's words, code, trace and answer, got %+v", code, e)
		}
		if e.Hint == "" {
			t.Errorf("%s has no hint", code)
		}
		if (e.RetryAfter > 0) != (e.Kind == network.RateLimited) {
			t.Errorf("%s: kind %s with a wait of %v", code, e.Kind, e.RetryAfter)
		}
	}
	if all := w.Visible(); len(all) != 0 {
		t.Errorf("visible: %+v", all)
	}
}

// renewIfLapsed gives the item a fresh token when its own has lapsed.
func (w *World) renewIfLapsed(it network.Item) network.Item {
	w.t.Helper()
	if it.Token.HasLapsed(w.Now()) {
		refresher, ok := w.Net.(network.Refresher)
		if !ok {
			w.t.Fatal("the token has lapsed, and the network renews none")
		}
		fresh, err := refresher.Refresh(w.t.Context(), it.Token)
		if err != nil {
			w.t.Fatal(err)
		}
		it.Token = fresh
	}
	return it
}

// provoke makes the connector make a call, as Case.Call names it.
func (w *World) provoke(call string, it network.Item, handle string) (err error) {
	switch call {
	case "", "publish":
		_, err = w.Net.Publish(w.t.Context(), it, handle)
	case "status":
		_, err = w.Net.Status(w.t.Context(), it, handle)
	default:
		_, err = w.Net.Create(w.t.Context(), it)
	}
	return err
}

func throttles(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.Item(text)
	handle := w.Handle(it)
	w.Fault(sim.Fault{Call: "publish", Kind: sim.RateLimited, RetryAfter: 120})
	_, err := w.Net.Publish(t.Context(), it, handle)
	if e := w.Failure(err, network.RateLimited, it.Token.Access); e.RetryAfter != 2*time.Minute || e.Hint == "" {
		t.Errorf("want two minutes and a hint, got %+v", e)
	}
}

func deadTokens(t *testing.T, h Harness) {
	for kind, want := range map[string]network.Kind{sim.TokenExpired: network.Expired, sim.TokenRevoked: network.Revoked} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.Item(text)
			handle := w.Handle(it)
			lapses, cause := !it.Token.LapsesAt.IsZero(), want
			if lapses {
				want = network.Lapsed // and Refresh tells the cause
			}
			w.Fault(sim.Fault{Call: cmp.Or(h.TokenCall, "publish"), Kind: kind})
			if e := w.Failure(w.provoke(h.TokenCall, it, handle), want, it.Token.Access); e.Hint == "" {
				t.Error("no hint")
			}
			w.Failed(w.Net.Verify(t.Context(), it.Token), want, it.Token.Access)
			_, err := w.Ask(it, handle)
			w.Failed(err, want, it.Token.Access)
			if all := w.Visible(); len(all) != 0 {
				t.Errorf("visible: %+v", all)
			}
			if !lapses {
				return
			}
			refresher, ok := w.Net.(network.Refresher)
			if !ok {
				t.Fatal("a token that lapses cannot be renewed")
			}
			fresh, err := refresher.Refresh(t.Context(), it.Token)
			if cause == network.Revoked {
				w.Failed(err, cause, it.Token.Access, it.Token.Refresh)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			it.Token = fresh
			if st, err := w.Ask(it, handle); err != nil || st.Verdict != core.Ready {
				t.Errorf("with a fresh token: %+v, %v", st, err)
			}
		})
	}
}

// hostileAnswers: an answer that is not complete and well-formed proves nothing about the post.
func hostileAnswers(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	it := w.Item(text)
	handle := w.Handle(it)
	write := func(status int, body string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(status)
			_, _ = rw.Write([]byte(body))
		}
	}
	for name, answer := range map[string]http.HandlerFunc{
		"an empty object":               write(200, `{}`),
		"an empty id":                   write(200, `{"id": ""}`),
		"no id but null":                write(200, `{"id": null}`),
		"a list":                        write(200, `[]`),
		"a text":                        write(200, `"ok"`),
		"nothing":                       write(200, ``),
		"half of it":                    write(200, `{"id": "17`),
		"two of them":                   write(200, `{"id": "17"} {"id": "18"}`),
		"a page":                        write(200, `<html><body>Welcome</body></html>`),
		"a gateway's page":              write(502, `<html>Bad gateway</html>`),
		"a refusal without a reason":    write(400, `{"sorry": true}`),
		"a refusal that is null":        write(400, `null`),
		"more than is read":             write(200, `{"id": "17", "more": "`+strings.Repeat("x", 1<<20)+`"}`),
		"success in a redirect":         redirect(http.StatusFound, `{"id": "17"}`),
		"a redirect that resends":       redirect(http.StatusTemporaryRedirect, ``),
		"a redirect that stays":         redirect(http.StatusPermanentRedirect, ``),
		"a redirect to nowhere":         write(http.StatusPermanentRedirect, ``),
		"fewer bytes than were said":    cutShort,
		"an answer that is no answer":   garbage,
		"a connection closed at once":   hangUp,
		"an error in a strange costume": write(400, `{"error": "invalid_grant"}`),
	} {
		w.Instead(answer)
		_, err := w.Net.Publish(t.Context(), it, handle)
		var e *network.Error
		if !errors.As(err, &e) || e.Kind != network.Unknown {
			t.Errorf("%s: want unknown, got %v", name, err)
			continue
		}
		w.Failed(err, network.Unknown, it.Token.Access)
	}
	w.Instead(nil)
	if all := w.Visible(); len(all) != 0 {
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

func redirect(status int, body string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", "/followed")
		rw.WriteHeader(status)
		_, _ = rw.Write([]byte(body))
	}
}

func cutShort(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Length", "100")
	_, _ = rw.Write([]byte(`{"id": "17"}`))
}

func hangUp(rw http.ResponseWriter, _ *http.Request) { raw(rw, "") }

func garbage(rw http.ResponseWriter, _ *http.Request) { raw(rw, "SSH-2.0-OpenSSH_9.2\r\n") }

func raw(rw http.ResponseWriter, bytes string) {
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	_, _ = conn.Write([]byte(bytes))
	_ = conn.Close()
}

// secretsStay: a network that echoes everything it was sent must not make us tell it.
func secretsStay(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	grant := w.Grant()
	it := w.Item(text)
	handle := w.Handle(it)
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
		"exchange": func() error { _, err := w.Net.Exchange(t.Context(), grant); return err },
		"verify":   func() error { return w.Net.Verify(t.Context(), it.Token) },
		"publish":  func() error { _, err := w.Net.Publish(t.Context(), it, handle); return err },
		"find":     func() error { _, err := w.Net.Find(t.Context(), it); return err },
		"link":     func() error { _, err := w.Net.Link(t.Context(), it, "18000000000000001"); return err },
	}
	if r, ok := w.Net.(network.Refresher); ok {
		verbs["refresh"] = func() error { _, err := r.Refresh(t.Context(), it.Token); return err }
	}
	for status, shape := range shapes {
		w.Instead(echo(status, shape))
		for name, verb := range verbs {
			var e *network.Error
			w.Watch()
			err := verb()
			if err == nil && len(w.Watched()) == 0 {
				continue // the network is not asked
			}
			if status == http.StatusOK && name == "find" {
				continue // an answer without a list is an empty one
			}
			if !errors.As(err, &e) {
				t.Errorf("%s at %d: no error of the network: %v", name, status, err)
				continue
			}
			w.Failed(err, e.Kind, it.Token.Access, network.Secret(grant.Code))
		}
	}
}

func checksLength(t *testing.T, h Harness) {
	w := NewWorld(t, h)
	limit := w.Net.Describe().Limits.Text
	codes := func(text string) []core.IssueCode {
		d := h.Simplest
		d.Text, d.Settings = text, []byte(`{}`)
		issues, _ := w.Net.Check(d)
		var codes []core.IssueCode
		for _, i := range issues {
			if i.Message == "" || i.Hint == "" {
				t.Errorf("an issue without words: %+v", i)
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
		strings.Repeat("🥐", limit.Max/fits(limit)):   "",
		strings.Repeat("🥐", limit.Max/fits(limit)+1): core.IssueCaptionTooLong.Code,
	} {
		got := codes(text)
		if (want == "" && len(got) > 0) || (want != "" && (len(got) != 1 || got[0] != want)) {
			t.Errorf("%d bytes: want %q, got %v", len(text), want, got)
		}
	}
	it := w.Item(strings.Repeat("🥐", limit.Max/fits(limit)+1))
	if k := w.Publish(it); k.Run() != core.DoFail {
		t.Error("the simulator takes what the check refuses")
	}
}

// fits is what one croissant counts.
func fits(limit core.Count) int { return limit.Unit.Of("🥐") }
