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
		m.Error.Hint = "" // the page says how long to wait
	}
	if m.Status >= http.StatusInternalServerError || e.Code == core.CodeRateLimited {
		m.Again = r.ownPage()
	}
	if m.Back == safeReturnURL(r.echo.Request().URL.RequestURI()) {
		m.Back = "" // it is the page that failed
	}
	return r.render(m.Status, errorpage.Page(m), errorpage.Part(m))
}

// submittedText returns the text of the post in a refused form, so that the person can copy it from the error page.
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

// errorFrame returns the signed-in person's frame. It returns that of a signed-out page if loading the former could
// fail in the same way, or if the error is shown inside a page.
func (r *request) errorFrame(e *core.Error) layout.Frame {
	stranger := r.signedOutFrame("")
	if e.Code == core.CodeUnavailable || e.Code == core.CodeInternal || r.wantsFragment() {
		return stranger
	}
	if !r.sessionLoaded && (e.Code == core.CodeRateLimited || r.authenticate() != nil) || r.caller.IsZero() {
		return stranger
	}
	f, err := r.loadFrame("", "")
	if err != nil {
		return stranger
	}
	return f
}

// hints replaces hints for programs by hints for people.
var hints = map[core.Code]string{
	core.CodePlanHasIssues:       "Fix the problems below and try again.",
	core.CodeOutcomeUnknown:      "Check the account on its network, then answer the question on the post's page.",
	core.CodeIdempotencyMismatch: "The earlier post is in your list of posts. To create another, submit the form again.",
	core.CodeInternal:            "Try again. If it happens again, give the operator the request ID.",
}

// pathHints replaces hints that name fields of an API request, by the path of the refused field.
var pathHints = map[string]string{
	"cursor": "Open the list of posts again.", "when": "Choose now, a time, or draft.",
}

// messages replaces messages for programs by messages for people.
var messages = map[core.Code]string{
	core.CodeIdempotencyMismatch:   "This form was already submitted with different content.",
	core.CodeIdempotencyInProgress: "This form was just submitted and is still being processed.",
	core.CodePlanHasIssues:         "The post cannot be published as it is.",
}

// humanize returns an error with a message and a hint for people, as the dashboard shows them.
func (w *Web) humanize(e *core.Error) *contract.Error {
	out := contract.ErrorOf(e, w.cfg.UpgradeURL)
	out.Hint = e.Hint // without the path, which means nothing to people
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
		out.Message, out.Hint = "", "" // errorpage has texts about pages
	case e.RetryAfter > 0:
		out.Hint = "Wait " + formatWait(e.RetryAfter) + ", then try again."
	case e.Subject != "":
		if field, ok := w.findSetting(e.Path); ok {
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

// issueHints replaces hints of issues that name fields of an API request.
var issueHints = map[core.IssueCode]string{
	core.IssueTimeInPast.Code: "Choose a later time, or choose Send now.",
}

// joinIssues returns the messages and hints of all issues as one text.
func joinIssues(rows []core.PlanRow) string {
	var told []string
	for _, row := range rows {
		for _, issue := range row.Issues {
			told = append(told, strings.TrimSpace(issue.Message+" "+cmp.Or(issueHints[issue.Code], issue.Hint)))
		}
	}
	return strings.Join(told, " ")
}

// asRefusal returns an error that a form can show beside its values. ok is false for any other error, which has its own
// page, and for nil.
func asRefusal(err error) (e *core.Error, ok bool) {
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
