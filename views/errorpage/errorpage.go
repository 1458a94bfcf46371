// Package errorpage contains the pages for errors. They say what happened, why, and what to do next.
package errorpage

import (
	"cmp"
	"net/http"

	"belfry/internal/contract"
	"belfry/views/layout"
	"belfry/views/link"
)

// Model is an error page.
type Model struct {
	// Frame is the signed-in person's; a frame without a workspace is for a person who is not signed in.
	Frame     layout.Frame
	Status    int
	Error     contract.Error
	RequestID string
	// Kept is the text of a form that was refused.
	Kept string
	// Back is the address of the previous page; empty if it is not known.
	Back string
	// Again is the address of the page that failed; empty if trying again does not help.
	Again string
}

type pageText struct{ icon, title, why, todo string }

var pageTexts = map[int]pageText{
	http.StatusBadRequest: {
		"circle-alert", "The request is not valid",
		"Something in the form or in the address has the wrong format.", "Go back, check what you entered, and try again.",
	},
	http.StatusPaymentRequired: {
		"circle-alert", "Your subscription plan does not allow this action",
		"The workspace has reached one of its limits, or its subscription plan does not include this feature.",
		"Change the subscription plan. If the monthly limit on posts is reached, you can also wait until next month.",
	},
	http.StatusForbidden: {
		"ban", "You do not have permission",
		"Your role in this workspace does not allow this action, or the request came from another site.",
		"Ask an owner or admin of the workspace for another role, or reload the page and try again.",
	},
	http.StatusNotFound: {
		"circle-question-mark", "Page not found",
		"The address may be wrong, the page may have been deleted, or it may belong to another workspace.",
		"Check the address, or go to your posts.",
	},
	http.StatusMethodNotAllowed: {
		"circle-alert", "This action is not available here",
		"This address does not accept this kind of request.", "Go back and use the buttons on the page.",
	},
	http.StatusConflict: {
		"circle-alert", "This action could not be completed",
		"Something may have changed after you opened the page.", "Go back, check the current state, and try again.",
	},
	http.StatusRequestEntityTooLarge: {
		"circle-alert", "The request is too large",
		"The form is larger than the server accepts.", "Shorten the text, or choose fewer or smaller files, then send the form again.",
	},
	http.StatusTooManyRequests: {
		"clock", "Too many requests",
		"You sent more requests than allowed.", "Wait a moment, then try again.",
	},
	http.StatusInternalServerError: {
		"triangle-alert", "Something went wrong",
		"Belfry ran into an unexpected error and logged it.",
		"Try again. If it happens again, give the operator the request ID below.",
	},
	http.StatusServiceUnavailable: {
		"plug", "Belfry is temporarily unavailable",
		"The database is not responding, or the server is starting or stopping.",
		"Wait a moment, then try again.",
	},
}

// strangerTexts replace pageTexts for people who are not signed in.
var strangerTexts = map[int]pageText{
	http.StatusForbidden: {
		"ban", "You do not have permission",
		"The request may have come from another site.", "Go to the start page and try again from there.",
	},
	http.StatusNotFound: {
		"circle-question-mark", "Page not found",
		"The address may be wrong, or the page may have been deleted.", "Check the address, or go to the start page.",
	},
}

func (m Model) statusText() pageText {
	if w, ok := strangerTexts[m.Status]; ok && m.Frame.Workspace == "" {
		return w
	}
	if w, ok := pageTexts[m.Status]; ok {
		return w
	}
	if m.Status >= http.StatusInternalServerError {
		return pageTexts[http.StatusInternalServerError]
	}
	return pageTexts[http.StatusBadRequest]
}

// reasonText returns the error's message or, if it has none, the general reason for its status.
func (m Model) reasonText() string {
	if m.Error.Message != "" {
		return m.Error.Message
	}
	return m.statusText().why
}

// showsRequestID reports whether the page names the request, with which the operator can find the error in the log.
func (m Model) showsRequestID() bool {
	return m.RequestID != "" && m.Status >= http.StatusInternalServerError
}

// adviceText returns the error's hint or, if it has none, the general advice for its status.
func (m Model) adviceText() string {
	advice := cmp.Or(m.Error.Hint, m.statusText().todo)
	if m.Status == http.StatusServiceUnavailable {
		advice += " Queued posts are not lost."
	}
	return advice
}

// backLink returns a link to the previous page or, if it is not known, to the start page.
func (m Model) backLink() (address, words string) {
	switch {
	case m.Back != "":
		return m.Back, "Go back"
	case m.Frame.Workspace == "":
		return link.Home, "Go to the start page"
	}
	return m.Frame.Link.Home(), "Go to posts"
}

// LastResort is shown if the error page cannot be rendered. It depends on nothing else.
const LastResort = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Something went wrong · Belfry</title><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body>
<h1>Something went wrong</h1>
<p>Belfry ran into an unexpected error. Queued posts are not lost.</p>
<p>Wait a moment and <a href="">try again</a>. If it happens again, tell the operator of this server.</p>
</body>
</html>
`
