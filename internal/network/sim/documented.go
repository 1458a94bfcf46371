package sim

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Documented is an error that a network documents.
type Documented struct {
	// The code is either Code and Subcode or, if the network's codes are words, Reason.
	Code, Subcode int
	Reason        string
	Status        int
	// Calls are the calls that can return it; nil for all.
	Calls []string
	// Class is how the documents advise treating the error. Advice is a word that the hint for people must contain.
	Class, Advice string
	Message       string // in the network's words
}

// Name returns the code as people write it.
func (d Documented) Name() string {
	name := cmp.Or(d.Reason, strconv.Itoa(d.Code))
	if d.Subcode != 0 {
		name += "/" + strconv.Itoa(d.Subcode)
	}
	return name
}

// ParseDocumented reads a table of errors, one per line: code, HTTP status, calls, class, advice and message, separated
// by |. A code is a number, a number and a subcode after a slash, or a word. Calls are * or names. Lines that begin
// with # are comments.
func ParseDocumented(table string) ([]Documented, error) {
	var all []Documented
	for n, line := range strings.Split(table, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		d, err := parseDocumentedLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d of the error table: %w", n+1, err)
		}
		all = append(all, d)
	}
	return all, nil
}

const documentedColumns = 6

func parseDocumentedLine(line string) (d Documented, err error) {
	cells := strings.SplitN(line, "|", documentedColumns)
	if len(cells) != documentedColumns {
		return d, fmt.Errorf("%d columns instead of %d", len(cells), documentedColumns)
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	d.Code, d.Subcode, d.Reason = ParseCode(cells[0])
	if d.Status, err = strconv.Atoi(cells[1]); err != nil || d.Status < http.StatusOK || d.Status > maxStatus {
		return d, fmt.Errorf("%q is not an HTTP status", cells[1])
	}
	if cells[2] != "*" {
		d.Calls = strings.Fields(cells[2])
	}
	d.Class, d.Advice, d.Message = cells[3], cells[4], cells[5]
	if d.Class == "" || d.Message == "" {
		return d, fmt.Errorf("%s has no class or no message", cells[0])
	}
	return d, nil
}

// ParseCode reads a code as Documented.Name writes it: a number, a number and a subcode after a slash, or a word.
func ParseCode(name string) (code, subcode int, reason string) {
	first, second, both := strings.Cut(name, "/")
	code, err := strconv.Atoi(first)
	if both && err == nil {
		subcode, err = strconv.Atoi(second)
	}
	if err != nil {
		return 0, 0, name
	}
	return code, subcode, ""
}

// FindDocumented returns the documented error with a fault's code, or false if there is none.
func FindDocumented(all []Documented, f Fault) (Documented, bool) {
	i := slices.IndexFunc(all, func(d Documented) bool {
		return d.Reason == f.Reason && d.Code == f.Code && d.Subcode == f.Subcode
	})
	if i < 0 {
		return Documented{}, false
	}
	return all[i], true
}
