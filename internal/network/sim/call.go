package sim

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// callPublish is the name of every network's irreversible call.
const callPublish = "publish"

// Call is one authenticated request, as the scripted faults see it.
type Call struct {
	Network string
	// Names are the names that a fault can use for the call. The first is its own.
	Names   []string
	Account string
	// Text is the text that a fault's match is compared with.
	Text string
	// Containers is true if this call belongs to a two-step flow.
	Containers bool
	// Kill expires or revokes the token of the call permanently; nil if the call has none.
	Kill func(revoked bool, subcode int) error
	// Fault formats a fault as the network does.
	Fault func(Fault) Answer
}

// Answer is a network's response.
type Answer struct {
	Status int
	Header http.Header
	Body   any // nil for none
}

// OK returns a response of status 200 with a JSON body.
func OK(body any) Answer { return Answer{Status: http.StatusOK, Body: body} }

// RunCall applies the scripted faults to a call, performs it with effect unless a fault prevents that, and writes the
// response. neverReady tells effect that a container must look unready.
func (k *Kit) RunCall(w http.ResponseWriter, r *http.Request, c Call, effect func(neverReady bool) Answer) {
	overlaps, end := false, func() {}
	if slices.Contains(c.Names, callPublish) {
		overlaps, end = k.Calls.beginPublish(c.Network, c.Account)
	}
	defer end()
	k.updateRequestRecord(r, func(rec *CallRecord) {
		rec.Network, rec.Call, rec.Account, rec.Overlaps = c.Network, c.Names[0], c.Account, overlaps
	})
	slow, hit, cleared := k.Faults.fireMatching(c)
	k.recordFault(r, slow, hit)

	// A network that has accepted a request continues even if the caller hangs up. Only clearing all faults or
	// closing the sandbox ends the wait early.
	beforeEffect, afterEffect := sumDelays(slow, hit)
	if !k.waitAtMost(beforeEffect, cleared) {
		dropConnectionOrPanic(w)
		return
	}
	body := &uploadBody{ReadCloser: r.Body, kit: k, call: c}
	r.Body = body
	answer, dropped := k.performCallOrFault(w, c, hit, effect)
	if dropped {
		return
	}
	if body.broken {
		k.updateRequestRecord(r, func(rec *CallRecord) { rec.Fault += BreakOff })
		dropConnectionOrPanic(w)
		return
	}
	if !k.waitAtMost(afterEffect, cleared) {
		dropConnectionOrPanic(w)
		return
	}
	k.writeAnswerWithFault(w, r, answer, hit, cleared)
}

// performCallOrFault returns the answer, or reports that the connection was dropped instead.
func (k *Kit) performCallOrFault(
	w http.ResponseWriter, c Call, hit *Fault, effect func(neverReady bool) Answer,
) (answer Answer, dropped bool) {
	if hit == nil {
		return effect(false), false
	}
	switch hit.Kind {
	case NeverReady:
		return effect(true), false
	case TruncatedJSON, Trickle:
		if hit.HasCode() {
			return c.Fault(*hit), false
		}
		return effect(false), false
	case DropBeforeAccept:
		dropConnectionOrPanic(w)
		return Answer{}, true
	case DropAfterAccept:
		effect(false)
		dropConnectionOrPanic(w)
		return Answer{}, true
	}
	if hit.Accept {
		effect(false)
	}
	if hit.Kind == TokenExpired || hit.Kind == TokenRevoked {
		if err := c.Kill(hit.Kind == TokenRevoked, hit.Subcode); err != nil {
			return InternalError(err), false
		}
	}
	if hit.Kind == BadGateway {
		return Answer{Status: http.StatusBadGateway}, false
	}
	return c.Fault(*hit), false
}

// badGateway is a page that a proxy sends instead of the response.
const badGateway = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"

func sumDelays(slow []Fault, hit *Fault) (beforeEffect, afterEffect time.Duration) {
	if hit != nil && hit.Kind != Trickle {
		slow = append(slow, *hit)
	}
	for _, f := range slow {
		d := time.Duration(f.DelayMs) * time.Millisecond
		if f.Accept {
			afterEffect += d
			continue
		}
		beforeEffect += d
	}
	return beforeEffect, afterEffect
}

func (k *Kit) recordFault(r *http.Request, slow []Fault, hit *Fault) {
	if hit == nil && len(slow) == 0 {
		return
	}
	k.updateRequestRecord(r, func(rec *CallRecord) {
		for _, f := range slow {
			rec.Fault += f.Kind + " "
		}
		if hit != nil {
			rec.Fault += hit.Kind
		}
	})
}

// waitAtMost waits for the duration, or until the faults are cleared. open is false if the sandbox closes first.
func (k *Kit) waitAtMost(d time.Duration, cleared <-chan struct{}) (open bool) {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-cleared:
		return true
	case <-k.ctx.Done():
		return false
	}
}

// dropConnectionOrPanic closes the connection without a response. It panics with http.ErrAbortHandler where it cannot.
func dropConnectionOrPanic(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		//nolint:forbidigo // the documented way to abort where hijacking is impossible, as on HTTP/2
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close()
}

// SendAnswer writes a response without applying the scripted faults.
func (k *Kit) SendAnswer(w http.ResponseWriter, r *http.Request, a Answer) {
	k.writeAnswerWithFault(w, r, a, nil, nil)
}

// SendRedirect redirects a browser to an address.
func (k *Kit) SendRedirect(w http.ResponseWriter, r *http.Request, to string) {
	k.updateRequestRecord(r, func(rec *CallRecord) { rec.Status = http.StatusFound })
	http.Redirect(w, r, to, http.StatusFound)
}

// writeAnswerWithFault writes an answer as the fault damages or delays it. Without a fault, hit is nil.
func (k *Kit) writeAnswerWithFault(
	w http.ResponseWriter, r *http.Request, a Answer, hit *Fault, cleared <-chan struct{},
) {
	body, err := json.Marshal(a.Body)
	switch {
	case err != nil:
		a, body = InternalError(err), []byte(`{}`)
	case a.Body == nil:
		body = nil
	}
	if hit != nil && hit.Kind == TruncatedJSON {
		body = body[:len(body)/2]
	}
	kind := "application/json; charset=UTF-8"
	if hit != nil && hit.Kind == BadGateway {
		body, kind = []byte(badGateway), "text/html"
	}
	k.updateRequestRecord(r, func(rec *CallRecord) { rec.Status = a.Status })
	header := w.Header()
	maps.Copy(header, a.Header)
	header.Set("Content-Type", kind)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, no-cache, no-store, must-revalidate")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(a.Status)
	if hit == nil || hit.Kind != Trickle {
		_, _ = w.Write(body)
		return
	}
	each := time.Duration(hit.DelayMs) * time.Millisecond
	for _, b := range body {
		_, err := w.Write([]byte{b})
		if err == nil {
			err = http.NewResponseController(w).Flush()
		}
		if err != nil || !k.waitAtMost(each, cleared) {
			return
		}
	}
}

// InternalError returns the response for a failure of the sandbox itself, such as a full disk.
func InternalError(err error) Answer {
	body := map[string]any{"error": "The sandbox failed: " + err.Error()}
	return Answer{Status: http.StatusInternalServerError, Body: body}
}
