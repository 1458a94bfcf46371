package web

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/errorpage"
	"belfry/views/layout"
	"belfry/views/posts"
	"belfry/views/ui"
)

// ErrorPage renders an error as a page, or as a part of the current page.
func (w *Web) ErrorPage(c echo.Context, e *core.Error) error {
	r := w.requestFor(c)
	if e.Code == core.CodeUnauthenticated {
		return r.askToSignIn()
	}
	m := errorpage.Model{
		Frame: r.errorFrame(e), Status: httpd.Status(e.Code), Error: *w.humanize(e), RequestID: httpd.RequestID(r.context()),
		RetryAfter: e.RetryAfter, Back: r.refererPage(), Kept: r.submittedText(),
	}
	if e.RetryAfter > 0 {
		m.Error.Hint = "" // the page says itself how long to wait
	}
	if m.Status >= http.StatusInternalServerError || e.Code == core.CodeRateLimited {
		m.Again = r.ownPage()
	}
	if m.Back == safeReturnURL(r.echo.Request().URL.RequestURI()) {
		m.Back = "" // it is this very page
	}
	return r.render(m.Status, errorpage.Page(m), errorpage.Part(m))
}

// submittedText returns the text of a refused form, so that nobody has to write it again.
func (r *request) submittedText() string {
	if !r.routed || r.echo.Request().Method != http.MethodPost {
		return ""
	}
	form, err := r.readForm()
	if err != nil {
		return ""
	}
	return form.Get(posts.FieldText)
}

// errorFrame returns the person's own frame if it can be rendered safely: not if the database is unavailable, if the
// failure may be in a part of the frame, or if the address is over its limit.
func (r *request) errorFrame(e *core.Error) layout.Frame {
	stranger := r.signedOutFrame("")
	if e.Code == core.CodeUnavailable || e.Code == core.CodeInternal || r.wantsFragment() {
		return stranger
	}
	if !r.sessionLoaded && (e.Code == core.CodeRateLimited || r.authenticate() != nil) || r.caller.IsZero() {
		return stranger
	}
	f, err := r.pageFrame("", "")
	if err != nil {
		return stranger
	}
	return f
}

// hints replaces what a program is told to do by what a person can do here.
var hints = map[core.Code]string{
	core.CodePlanHasIssues:       "Fix the problems below and try again.",
	core.CodeOutcomeUnknown:      "Check the account on its network, then answer the question on the post's page.",
	core.CodeIdempotencyMismatch: "The earlier post is in your list of posts. To create another, submit the form again.",
	core.CodeInternal:            "Try again. If it happens again, give the operator the request ID.",
}

// pathHints replaces hints that name the fields of a request, by the path of what is refused.
var pathHints = map[string]string{
	"cursor": "Open the list of posts again.", "when": "Choose now, a time, or draft.",
}

// messages replaces what is told to programs in their own terms.
var messages = map[core.Code]string{
	core.CodeIdempotencyMismatch:   "This form was already submitted with different content.",
	core.CodeIdempotencyInProgress: "This form was just submitted and is still being processed.",
	core.CodePlanHasIssues:         "The post cannot be published as it is.",
}

// humanize puts an error into the words that the dashboard shows.
func (w *Web) humanize(e *core.Error) *contract.Error {
	out := contract.ErrorOf(e, w.cfg.UpgradeURL)
	out.Hint = e.Hint // a form has labels where a request has paths
	if hint, ok := pathHints[e.Path]; ok {
		out.Hint = hint
	}
	if hint, ok := hints[e.Code]; ok {
		out.Hint = hint
	}
	if message, ok := messages[e.Code]; ok {
		out.Message = message
	}
	switch {
	case e.Code == core.CodeNotFound, e.Code == core.CodePayloadTooLarge:
		out.Message, out.Hint = "", "" // the page has words for it that speak of pages
	case e.RetryAfter > 0:
		out.Hint = "Wait " + formatWait(e.RetryAfter) + ", then try again."
	case e.Subject != "":
		if field, ok := w.settingAt(e.Path); ok {
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
		return ui.CountNoun(seconds, "second", "seconds")
	}
	return ui.CountNoun((seconds+59)/60, "minute", "minutes")
}

// issueHints replaces hints of issues that name what a request contains.
var issueHints = map[core.IssueCode]string{
	core.IssueTimeInPast.Code: "Choose a later time, or choose Send now.",
}

func joinIssues(rows []core.PlanRow) string {
	var told []string
	for _, row := range rows {
		for _, issue := range row.Issues {
			told = append(told, strings.TrimSpace(issue.Message+" "+cmp.Or(issueHints[issue.Code], issue.Hint)))
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
