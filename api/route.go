package api

import (
	"strings"

	"belfry/internal/core"
)

// route is one row of the table.
type route struct {
	method, path string // path under /v1, as {id}
	status       int    // when all is well
	needs        needs
	action       action

	tag, operation, summary, description string
	// codes are those that the needs and the action do not imply.
	codes []core.Code

	shape      *shape      // of the body; nil when the route takes none
	parameters []parameter // of the query
}

// needs are what Admit asks of the caller before the body is looked at (decisions.md, Order of checks).
type needs struct {
	scope            core.Scope
	session, manages bool
	// creates counts the request in the hourly limit (Spec §8); repeats lets it carry an Idempotency-Key.
	creates, repeats bool
}

var (
	read    = needs{scope: core.Read}
	writes  = needs{scope: core.Write}
	creates = needs{scope: core.Write, creates: true, repeats: true}
	repeats = needs{scope: core.Write, repeats: true}
	manages = needs{scope: core.Write, session: true, manages: true}
	person  = needs{scope: core.Read, session: true}
)

func row(request string, status int, n needs, a action, tag, operation, summary string) route {
	method, path, _ := strings.Cut(request, " ")
	return route{method: method, path: path, status: status, needs: n, action: a, tag: tag, operation: operation, summary: summary}
}

// says adds a description below the summary.
func (r route) says(text string) route {
	r.description = text
	return r
}

// fails adds codes that the verb answers.
func (r route) fails(codes ...core.Code) route {
	r.codes = append(r.codes, codes...)
	return r
}

// failures lists every code that the route may answer, in the order of core.Codes.
func (r route) failures() []core.Code {
	may := map[core.Code]bool{
		core.CodeRateLimited: true, core.CodeUnavailable: true, core.CodeInternal: true,
		core.CodeUnauthenticated: true, core.CodeInsufficientScope: true, core.CodeQuotaExceeded: true, core.CodeInvalidRequest: true,
		core.CodeNotFound:        r.action.byID,
		core.CodePayloadTooLarge: r.shape != nil, core.CodeUnsupportedMediaType: r.shape != nil,
		core.CodeIdempotencyMismatch: r.needs.repeats, core.CodeIdempotencyInProgress: r.needs.repeats,
	}
	for _, code := range r.codes {
		may[code] = true
	}
	var out []core.Code
	for _, code := range core.Codes {
		if may[code] {
			out = append(out, code)
		}
	}
	return out
}
