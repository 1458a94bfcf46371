// Package errorpage draws what went wrong: what happened, why, and what to do next.
package errorpage

import (
	"fmt"
	"net/http"

	"belfry/internal/contract"
	"belfry/views/layout"
	"belfry/views/link"
)

// Model is a page about an error.
type Model struct {
	// Frame is the signed-in person's; one without a workspace draws the page of a stranger.
	Frame     layout.Frame
	Status    int
	Error     contract.Error
	RequestID string
	// RetryAfter is the number of seconds to wait; 0 when waiting does not help.
	RetryAfter int
	// Kept is a text that was sent and could not be taken.
	Kept string
	// Back leads to where the person came from; empty when that is not known.
	Back string
}

type pageText struct{ icon, title, why, todo string }

var pageTexts = map[int]pageText{
	http.StatusBadRequest: {
		"circle-alert", "That request could not be read",
		"Something in what was sent has a form that we do not understand.", "Go back, look at what you entered, and send it again.",
	},
	http.StatusPaymentRequired: {
		"circle-alert", "The plan does not cover this",
		"The workspace has used what its plan includes, or the plan lacks this feature.", "Wait for the next month or change the plan.",
	},
	http.StatusForbidden: {
		"ban", "You may not do this",
		"Your role in this workspace does not allow it, or the request came from another site.",
		"Ask an owner or admin of the workspace, or open the page anew and try again.",
	},
	http.StatusNotFound: {
		"search", "There is nothing here",
		"The address is wrong, or what stood here was deleted or belongs to another workspace.",
		"Go back, or look for it in the list of posts.",
	},
	http.StatusMethodNotAllowed: {
		"circle-alert", "This page cannot be used like that",
		"The address exists, but takes another kind of request.", "Go back and use the buttons of the page.",
	},
	http.StatusConflict: {
		"circle-alert", "It has changed in the meantime",
		"The post or account is no longer in the state that you saw.", "Go back, look at it as it is now, and decide again.",
	},
	http.StatusRequestEntityTooLarge: {
		"circle-alert", "That was too large",
		"The form was larger than we take in one piece.", "Make it shorter and send it again.",
	},
	http.StatusTooManyRequests: {
		"clock", "Too many at once",
		"More requests arrived than are allowed in this time.", "Wait a moment, then try again. Nothing of yours is lost.",
	},
	http.StatusInternalServerError: {
		"triangle-alert", "Something went wrong on our side",
		"This is not your doing, and it has been noted for the operator.",
		"Try again. If it stays like this, give the operator the request id below.",
	},
	http.StatusServiceUnavailable: {
		"plug", "We cannot do this right now",
		"The database does not answer, or the server is being stopped or started.",
		"Wait a moment, then try again. Posts that are queued keep their times.",
	},
}

func (m Model) lookUpText() pageText {
	if w, ok := pageTexts[m.Status]; ok {
		return w
	}
	if m.Status >= http.StatusInternalServerError {
		return pageTexts[http.StatusInternalServerError]
	}
	return pageTexts[http.StatusBadRequest]
}

// whyText prefers the error's own words to the general ones.
func (m Model) whyText() string {
	if m.Error.Message != "" {
		return m.Error.Message
	}
	return m.lookUpText().why
}

func (m Model) adviceText() string {
	if m.Error.Hint != "" {
		return m.Error.Hint
	}
	return m.lookUpText().todo
}

func (m Model) waitText() string {
	switch {
	case m.RetryAfter <= 0:
		return ""
	case m.RetryAfter == 1:
		return "Wait one second."
	case m.RetryAfter < 120:
		return fmt.Sprintf("Wait %d seconds.", m.RetryAfter)
	}
	return fmt.Sprintf("Wait %d minutes.", (m.RetryAfter+59)/60)
}

// backLink is a way on: where the person came from, else a page that is there for them.
func (m Model) backLink() (address, words string) {
	switch {
	case m.Back != "":
		return m.Back, "Go back"
	case m.Frame.Workspace == "":
		return link.Home, "To the start"
	}
	return link.Posts(link.Filter{}), "To the posts"
}

// LastResort is the page for when not even a page can be drawn. It needs nothing but itself.
const LastResort = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Something went wrong · Belfry</title><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body>
<h1>Something went wrong on our side</h1>
<p>This is not your doing. Posts that are queued keep their times.</p>
<p>Wait a moment and <a href="">try again</a>. If it stays like this, tell the operator of this server.</p>
</body>
</html>
`
