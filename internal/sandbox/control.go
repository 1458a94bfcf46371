package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"belfry/internal/network/sim"
)

const maxScript = 1 << 20

// control serves /_/: JSON for tests, and forms with the same functions for people.
type control struct {
	kit *sim.Kit
}

func newControlHandler(kit *sim.Kit) http.Handler {
	c := &control{kit: kit}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", c.showControlPage)
	mux.HandleFunc("GET /style.css", c.serveStylesheet)
	mux.HandleFunc("GET /posts", c.listPosts)
	mux.HandleFunc("DELETE /posts", c.deleteAllPosts)
	mux.HandleFunc("POST /posts/reset", c.deleteAllPosts)
	mux.HandleFunc("POST /posts/backdate", c.backdatePost)
	mux.HandleFunc("GET /calls", c.listCalls)
	mux.HandleFunc("GET /faults", c.listFaults)
	mux.HandleFunc("POST /faults", c.addFaults)
	mux.HandleFunc("DELETE /faults", c.clearAllFaultsOrDeleteOne)
	mux.HandleFunc("DELETE /faults/{id}", c.deleteFault)
	mux.HandleFunc("POST /faults/delete", c.deleteFault)
	mux.HandleFunc("GET /options", c.listOptions)
	mux.HandleFunc("POST /options", c.setOptions)
	mux.HandleFunc("GET /people", c.listPeople)
	mux.HandleFunc("POST /people/remove-app", c.removeAppAccess)
	mux.HandleFunc("GET /clock", c.showClock)
	mux.HandleFunc("POST /clock", c.advanceClock)
	// The control page needs no sign-in, so pages of other sites must not be able to submit its forms.
	return http.NewCrossOriginProtection().Handler(mux)
}

func (c *control) serveStylesheet(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(c.kit.Stylesheet())
}

func (c *control) listPosts(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"posts": c.kit.Posts.All()})
}

// deleteAllPosts deletes the posts of all networks.
func (c *control) deleteAllPosts(w http.ResponseWriter, r *http.Request) {
	c.redirectFormOrSendState(w, r, "posts-deleted", c.kit.ResetPosts(), map[string]any{"posts": []sim.Post{}})
}

// backdatePost makes a post look as if it had been published earlier. It is for demo posts.
func (c *control) backdatePost(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Network, ID string
		At          time.Time
	}
	err := decodeStrictJSON(w, r, &in)
	if err == nil {
		err = c.kit.Posts.Backdate(in.Network, in.ID, in.At)
	}
	sendStateOrError(w, err, map[string]any{"posts": c.kit.Posts.All()})
}

func (c *control) listCalls(w http.ResponseWriter, r *http.Request) {
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	writeJSON(w, http.StatusOK, map[string]any{
		"calls": c.kit.Calls.ListLast(limit), "uploadedBytes": c.kit.Calls.UploadedBytes(),
	})
}

func (c *control) listFaults(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, c.listActiveAndSpentFaults())
}

func (c *control) listActiveAndSpentFaults() map[string]any {
	return map[string]any{"faults": c.kit.Faults.ListActive(), "spent": c.kit.Faults.ListSpent()}
}

func (c *control) addFaults(w http.ResponseWriter, r *http.Request) {
	faults, err := readFaults(w, r)
	if err == nil {
		_, err = c.kit.Faults.Add(faults...)
	}
	if err == nil && isForm(r) && r.FormValue("done") == nextPostFails {
		c.redirectToSection(w, r, doneNotices[nextPostFails].Section,
			url.Values{"done": {nextPostFails}, "network": {r.FormValue("network")}})
		return
	}
	c.redirectFormOrSendState(w, r, "fault-added", err, c.listActiveAndSpentFaults())
}

// clearAllFaultsOrDeleteOne deletes all faults, or only the one whose id is in the query.
func (c *control) clearAllFaultsOrDeleteOne(w http.ResponseWriter, r *http.Request) {
	if id := r.URL.Query().Get("id"); id != "" {
		r.SetPathValue("id", id)
		c.deleteFault(w, r)
		return
	}
	c.kit.Faults.Clear()
	writeJSON(w, http.StatusOK, c.listActiveAndSpentFaults())
}

func (c *control) deleteFault(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if id == "" {
		id = r.FormValue("id")
	}
	var err error
	// A person may submit the form after the fault has fired for the last time. That is not an error.
	if !c.kit.Faults.Delete(id) && !isForm(r) {
		err = fmt.Errorf("there is no active fault %q", id)
	}
	c.redirectFormOrSendState(w, r, "fault-removed", err, c.listActiveAndSpentFaults())
}

func (c *control) listOptions(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"options": c.kit.ListOptions()})
}

func (c *control) setOptions(w http.ResponseWriter, r *http.Request) {
	values, err := readOptions(w, r)
	for name, value := range values {
		if err == nil {
			err = c.kit.SetOption(name, value)
		}
	}
	c.redirectFormOrSendState(w, r, "options-saved", err, map[string]any{"options": c.kit.ListOptions()})
}

func (c *control) listPeople(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"people": c.kit.ListPeople()})
}

// removeAppAccess removes the app's access to a network on behalf of a person.
func (c *control) removeAppAccess(w http.ResponseWriter, r *http.Request) {
	in, err := readAppRemoval(w, r)
	if err == nil {
		err = c.kit.RemoveApp(in.Network, in.Person, in.Erase)
	}
	if err == nil && isForm(r) {
		c.redirectToSection(w, r, "people", url.Values{"removed": {in.Network}})
		return
	}
	c.redirectFormOrSendState(w, r, "", err, map[string]any{"people": c.kit.ListPeople()})
}

func (c *control) showClock(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, c.clockState())
}

func (c *control) clockState() map[string]any {
	return map[string]any{"now": c.kit.Now().Format(time.RFC3339Nano), "aheadSeconds": int(c.kit.ClockOffset().Seconds())}
}

func (c *control) advanceClock(w http.ResponseWriter, r *http.Request) {
	by, err := readClockAdvance(w, r)
	if err == nil {
		err = c.kit.AdvanceClock(by)
	}
	c.redirectFormOrSendState(w, r, "clock-moved", err, c.clockState())
}

// redirectFormOrSendState redirects a person to the part of the control page that says what was done (doneNotices), or
// sends the new state to a program. If err is not nil, both get the error.
func (c *control) redirectFormOrSendState(
	w http.ResponseWriter, r *http.Request, noticeKey string, err error, state any,
) {
	switch {
	case !isForm(r):
		sendStateOrError(w, err, state)
	case err != nil:
		c.renderControlPage(w, r, http.StatusBadRequest, err.Error())
	default:
		c.redirectToSection(w, r, doneNotices[noticeKey].Section, url.Values{"done": {noticeKey}})
	}
}

// redirectToSection redirects to the section of the control page whose heading has the id section.
func (c *control) redirectToSection(w http.ResponseWriter, r *http.Request, section string, query url.Values) {
	http.Redirect(w, r, c.kit.Prefix()+"/_/?"+query.Encode()+"#"+section, http.StatusSeeOther)
}

// sendStateOrError sends the new state or, if err is not nil, the error as JSON.
func sendStateOrError(w http.ResponseWriter, err error, state any) {
	if err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, state)
}

func isForm(r *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind == "application/x-www-form-urlencoded"
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// decodeStrictJSON decodes one JSON value strictly, because a mistyped key in a fault would otherwise have no effect.
func decodeStrictJSON(w http.ResponseWriter, r *http.Request, into any) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxScript))
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	if d.More() {
		return errors.New("read JSON: more than one value")
	}
	return nil
}
