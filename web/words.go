package web

import (
	"errors"
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// hints replaces what a program is told to do by what a person can do here.
var hints = map[core.Code]string{
	core.CodePlanHasIssues:       "Mend what the plan names, then try again.",
	core.CodeOutcomeUnknown:      "Look at the account at its network, then say on the post's page what you see.",
	core.CodeIdempotencyMismatch: "The post of that time stands in the list. If this is another, send it now.",
	core.CodeInternal:            "Try again. If it stays like this, give the operator the request id.",
}

// messages replaces what is told to programs in their own terms.
var messages = map[core.Code]string{
	core.CodeIdempotencyMismatch:   "This form was sent before, with something else in it.",
	core.CodeIdempotencyInProgress: "This form has just been sent and is being worked on.",
	core.CodePlanHasIssues:         "It cannot go out like this.",
}

// humanize puts an error into the words that the dashboard shows.
func (w *Web) humanize(e *core.Error) *contract.Error {
	out := contract.ErrorOf(e, w.cfg.UpgradeURL)
	out.Hint = e.Hint // a form has labels where a request has paths
	if hint, ok := hints[e.Code]; ok {
		out.Hint = hint
	}
	if message, ok := messages[e.Code]; ok {
		out.Message = message
	}
	switch {
	case e.Code == core.CodeNotFound:
		out.Message, out.Hint = "", "" // the page has words for it that speak of pages
	case e.RetryAfter > 0:
		out.Hint = "Wait " + formatWait(e.RetryAfter) + ", then try again."
	case e.Subject != "":
		if _, field, ok := w.settingAt(e.Path); ok {
			out.Message = field.Label + " " + e.Message
		}
	}
	if told := joinIssues(e.Rows); told != "" {
		out.Hint = told
	}
	return &out
}

func formatWait(seconds int) string {
	if seconds < 120 {
		return countNoun(seconds, "second", "seconds")
	}
	return countNoun((seconds+59)/60, "minute", "minutes")
}

func joinIssues(rows []core.PlanRow) string {
	var told []string
	for _, row := range rows {
		for _, issue := range row.Issues {
			told = append(told, strings.TrimSpace(issue.Message+" "+issue.Hint))
		}
	}
	return strings.Join(told, " ")
}

// asRefusal tells whether an error is an answer to what a form asked for, which the form can show beside
// its values. Everything else is a page of its own.
func asRefusal(err error) (*core.Error, bool) {
	var e *core.Error
	if !errors.As(err, &e) {
		return nil, false
	}
	switch e.Code {
	case core.CodeInternal, core.CodeUnavailable, core.CodeNotFound, core.CodeInsufficientScope, core.CodePayloadTooLarge,
		core.CodeUnsupportedMediaType, core.CodeMethodNotAllowed:
		return nil, false
	}
	return e, true
}
