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

// RenderErrorPageOrAskToSignIn renders an error as a page, or as a part of the current page. If the error is
// unauthenticated, it redirects to the sign-in page.
func (w *Web) RenderErrorPageOrAskToSignIn(c echo.Context, e *core.Error) error {
	r := w.requestFor(c)
	if e.Code == core.CodeUnauthenticated {
		return r.askToSignInOrSetUp()
	}
	m := errorpage.Model{
		Frame: r.loadErrorPageFrame(e), Status: httpd.Status(e.Code), Error: *w.errorForPeople(e),
		RequestID: httpd.RequestID(r.context()), Back: r.refererPageURL(), Kept: r.submittedPostText(),
	}
	if m.Status >= http.StatusInternalServerError || e.Code == core.CodeRateLimited {
		m.Again = r.requestedPageURL()
	}
	if m.Back == safeReturnURL(r.echo.Request().URL.RequestURI()) {
		m.Back = "" // it is the page that failed
	}
	return r.render(m.Status, errorpage.Page(m), errorpage.Part(m))
}

// submittedPostText returns the text of the post in a refused form, so that the person can copy it from the error
// page, or "" if there is none.
func (r *request) submittedPostText() (textOrEmpty string) {
	if !r.routed || r.echo.Request().Method != http.MethodPost {
		return ""
	}
	form, err := r.readForm()
	if err != nil {
		return ""
	}
	return form.Get(posts.FieldText)
}

// loadErrorPageFrame returns the signed-in person's frame. It returns the frame of a signed-out page instead if
// loading the person's frame could fail in the same way, or if the error is shown inside a page.
func (r *request) loadErrorPageFrame(e *core.Error) layout.Frame {
	stranger := r.newSignedOutFrame("")
	if e.Code == core.CodeUnavailable || e.Code == core.CodeInternal || r.wantsFragment() {
		return stranger
	}
	if !r.sessionLoaded && (e.Code == core.CodeRateLimited || r.loadSessionAndRecordVisit() != nil) || r.caller.IsZero() {
		return stranger
	}
	f, err := r.loadFrameAndPopFlash("", "")
	if err != nil {
		return stranger
	}
	return f
}

// hints are the hints for people that replace hints for programs, by error code.
var hints = map[core.Code]string{
	core.CodePlanHasIssues:       "Fix the problems below and try again.",
	core.CodeOutcomeUnknown:      "Check the account on its network, then answer the question on the post's page.",
	core.CodeIdempotencyMismatch: "Check the result of the first submission. To submit the new content as well, submit the form again.",
	core.CodeInternal:            "Try again. If it happens again, give the operator the request ID.",
}

// pathHints replace hints that name fields of an API request, by the path of the refused field.
var pathHints = map[string]string{
	"cursor": "Open the first page of this list again.", "when": "Choose whether to send the post now, schedule it or save it as a draft.",
}

// messages are the messages for people that replace messages for programs, by error code.
var messages = map[core.Code]string{
	core.CodeIdempotencyMismatch:   "You already submitted this form with different content.",
	core.CodeIdempotencyInProgress: "You just submitted this form, and Belfry is still processing it.",
	core.CodePlanHasIssues:         "The post cannot be published as it is.",
}

// errorForPeople returns an error with a message and a hint for people, as the dashboard shows them.
// Both are empty for not_found and payload_too_large, for which the error page has its own.
func (w *Web) errorForPeople(e *core.Error) *contract.Error {
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
		if field, ok := w.findSettingField(e.Path); ok {
			out.Message = field.Label + " " + e.Message
			if field.FileIndex { // the message counts from 0
				out.Message = field.Label + " must be the number of a file in the post, such as 1."
			}
		}
	}
	if told := joinIssueTexts(e.Rows); told != "" {
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

// issueHints replace hints that name fields of an API request, by the issue's code.
var issueHints = map[core.IssueCode]string{
	core.IssueAccountExpired.Code: "An owner or admin can reconnect the account under Accounts.",
	core.IssueAccountRevoked.Code: "An owner or admin can connect the account again under Accounts.",
}

// joinIssueTexts returns the messages and hints of all issues as one text.
func joinIssueTexts(rows []core.PlanRow) string {
	var told []string
	for _, row := range rows {
		for _, issue := range row.Issues {
			issue.Hint = cmp.Or(issueHints[issue.Code], issue.Hint)
			told = append(told, issue.String())
		}
	}
	return strings.Join(told, " ")
}

// asFormRefusal returns an error that a form can show beside its values. ok is false for any other error, which has its
// own page, and for nil.
func asFormRefusal(err error) (e *core.Error, ok bool) {
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
