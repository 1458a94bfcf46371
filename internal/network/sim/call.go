package sim

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// callPublish is what every network calls its irreversible call.
const callPublish = "publish"

// Call is one authenticated request as the script of faults sees it.
type Call struct {
	Network string
	// Names are what a fault may call it: the first is its own name.
	Names   []string
	Account string
	// Text is what a fault's match is looked for in.
	Text string
	// Containers says that this call belongs to a two-step flow.
	Containers bool
	// Kill makes the token of the call expire or be revoked for good; nil when the call carries none.
	Kill func(revoked bool, subcode int) error
	// Fault turns a fault into the network's own words.
	Fault func(Fault) Answer
}

// Answer is what a network says.
type Answer struct {
	Status int
	Header http.Header
	Body   any // nil for none
}

// OK answers 200 with a JSON body.
func OK(body any) Answer { return Answer{Status: http.StatusOK, Body: body} }

// Run lets the script of faults have its say about a call and otherwise performs it. effect is told
// whether a container made or asked about now must look unready.
func (k *Kit) Run(w http.ResponseWriter, r *http.Request, c Call, effect func(neverReady bool) Answer) {
	overlaps, end := false, func() {}
	if slices.Contains(c.Names, callPublish) {
		overlaps, end = k.Calls.beginPublish(c.Network, c.Account)
	}
	defer end()
	k.noteRequest(r, func(rec *CallRecord) {
		rec.Network, rec.Call, rec.Account, rec.Overlaps = c.Network, c.Names[0], c.Account, overlaps
	})
	slow, hit, cleared := k.Faults.takeMatching(c)
	k.noteFault(r, slow, hit)

	// A network that accepted a request goes on with it even when the caller has hung up, so only the removal of all
	// faults and the end of the sandbox itself cut the wait short.
	early, late := splitDelays(slow, hit)
	if !k.waitFor(early, cleared) {
		dropConnection(w)
		return
	}
	body := &uploadBody{ReadCloser: r.Body, kit: k, call: c}
	r.Body = body
	answer, sent := k.performCall(w, c, hit, effect)
	if sent {
		return
	}
	if body.broken {
		k.noteRequest(r, func(rec *CallRecord) { rec.Fault += BreakOff })
		dropConnection(w)
		return
	}
	if !k.waitFor(late, cleared) {
		dropConnection(w)
		return
	}
	k.writeAnswer(w, r, answer, hit, cleared)
}

// performCall returns the answer, or reports that the connection was dropped instead.
func (k *Kit) performCall(w http.ResponseWriter, c Call, hit *Fault, effect func(bool) Answer) (Answer, bool) {
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
		dropConnection(w)
		return Answer{}, true
	case DropAfterAccept:
		effect(false)
		dropConnection(w)
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

// badGateway is a page that some server puts in the place of an answer.
const badGateway = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"

func splitDelays(slow []Fault, hit *Fault) (early, late time.Duration) {
	if hit != nil && hit.Kind != Trickle {
		slow = append(slow, *hit)
	}
	for _, f := range slow {
		d := time.Duration(f.DelayMs) * time.Millisecond
		if f.Accept {
			late += d
			continue
		}
		early += d
	}
	return early, late
}

func (k *Kit) noteFault(r *http.Request, slow []Fault, hit *Fault) {
	if hit == nil && len(slow) == 0 {
		return
	}
	k.noteRequest(r, func(rec *CallRecord) {
		for _, f := range slow {
			rec.Fault += f.Kind + " "
		}
		if hit != nil {
			rec.Fault += hit.Kind
		}
	})
}

// waitFor waits until the time is over or the faults are cleared. It returns false when the sandbox ends first.
func (k *Kit) waitFor(d time.Duration, cleared <-chan struct{}) bool {
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

// dropConnection closes the connection without a byte of an answer.
func dropConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		//nolint:forbidigo // the documented way to abort where hijacking is impossible, as on HTTP/2
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close()
}

// Send writes an answer outside the script of faults.
func (k *Kit) Send(w http.ResponseWriter, r *http.Request, a Answer) {
	k.writeAnswer(w, r, a, nil, nil)
}

func (k *Kit) writeAnswer(
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
	k.noteRequest(r, func(rec *CallRecord) { rec.Status = a.Status })
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
		if err != nil || !k.waitFor(each, cleared) {
			return
		}
	}
}

// InternalError is the answer when the sandbox itself cannot do its work, a full disk for instance.
func InternalError(err error) Answer {
	body := map[string]any{"error": "The sandbox failed: " + err.Error()}
	return Answer{Status: http.StatusInternalServerError, Body: body}
}
