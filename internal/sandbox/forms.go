package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

// readFaults reads a fault, a list of faults, or the form of the control page.
func readFaults(w http.ResponseWriter, r *http.Request) ([]sim.Fault, error) {
	if isForm(r) {
		f, err := readFaultForm(r)
		return []sim.Fault{f}, err
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxScript))
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	if raw = bytes.TrimSpace(raw); !bytes.HasPrefix(raw, []byte("[")) {
		raw = append(append([]byte("["), raw...), ']')
	}
	var faults []sim.Fault
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&faults); err != nil {
		return nil, fmt.Errorf("read the faults: %w", err)
	}
	return faults, nil
}

func readFaultForm(r *http.Request) (sim.Fault, error) {
	f := sim.Fault{
		Network: r.FormValue("network"), Call: r.FormValue("call"), Kind: r.FormValue("kind"),
		Message: r.FormValue("message"), Account: r.FormValue("account"), Match: r.FormValue("match"),
		Accept: r.FormValue("accept") != "", Times: new(1),
	}
	f.Code, f.Subcode, f.Reason = sim.ParseCode(r.FormValue("code"))
	numbers := map[string]*int{
		"status": &f.Status, "retryAfter": &f.RetryAfter,
		"delayMs": &f.DelayMs, "afterBytes": &f.AfterBytes, "times": f.Times,
	}
	for name, into := range numbers {
		text := r.FormValue(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return f, fmt.Errorf("%s: %q is not a whole number", name, text)
		}
		*into = n
	}
	return f, nil
}

func readOptions(w http.ResponseWriter, r *http.Request) (map[string]string, error) {
	values := map[string]string{}
	if !isForm(r) {
		return values, decodeStrictJSON(w, r, &values)
	}
	if err := r.ParseForm(); err != nil {
		return nil, fmt.Errorf("read the form: %w", err)
	}
	for name := range r.PostForm {
		values[name] = r.PostForm.Get(name)
	}
	return values, nil
}

// readClockAdvance reads {"advance":"25h"} or a form field of that name.
func readClockAdvance(w http.ResponseWriter, r *http.Request) (time.Duration, error) {
	var in struct {
		Advance string `json:"advance"`
	}
	if isForm(r) {
		in.Advance = r.FormValue("advance")
	} else if err := decodeStrictJSON(w, r, &in); err != nil {
		return 0, err
	}
	by, err := time.ParseDuration(in.Advance)
	if err != nil {
		return 0, fmt.Errorf("advance: %q is not a duration such as 25h or 30m", in.Advance)
	}
	return by, nil
}

// appRemoval is a person's request to remove the app from a network and, with Erase, to delete their data.
type appRemoval struct {
	Network string `json:"network"`
	Person  string `json:"person"`
	Erase   bool   `json:"erase"`
}

func readAppRemoval(w http.ResponseWriter, r *http.Request) (in appRemoval, err error) {
	if isForm(r) {
		in = appRemoval{r.FormValue("network"), r.FormValue("person"), r.FormValue("erase") != ""}
		if access := r.FormValue("access"); access != "" {
			in.Network, in.Person, _ = strings.Cut(access, "/")
		}
		return in, nil
	}
	return in, decodeStrictJSON(w, r, &in)
}
