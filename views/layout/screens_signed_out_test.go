package layout_test

import (
	"time"

	"github.com/a-h/templ"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/auth"
	"belfry/views/layout"
	"belfry/views/link"
)

func (f fixture) doors() map[string]templ.Component {
	frame := layout.Frame{Title: "Set up", Sandbox: true}
	return map[string]templ.Component{
		"setup": auth.SetUp(auth.SetUpModel{Frame: frame, Values: auth.SetUpValues{Code: "OPENSESAME"}}),
		"setup-wrong": auth.SetUp(auth.SetUpModel{
			Frame:       frame,
			AsksForCode: true,
			Values:      auth.SetUpValues{Workspace: "Bell & Rope", Name: "Ada", Email: "ada@", Zone: "Europe/Berlni"},
			Errors: map[string]string{
				"email": "That is not an email address.", "tz": "There is no such time zone.",
				"password": "That password is on the list of the most used ones.",
			},
		}),
		"invitation": auth.Invitation(auth.InvitationModel{
			Frame: layout.Frame{Title: "Join Harbour Bakery"}, Token: "token", Workspace: "Harbour Bakery",
			Email: "ben@example.org", Name: "ben", Role: core.RoleEditor, InvitedBy: "Ana Ruiz",
		}),
		"invitation-refused": auth.Invitation(auth.InvitationModel{
			Frame: layout.Frame{Title: "Join Harbour Bakery"}, Token: "token", Workspace: "Harbour Bakery",
			Email: "ben@example.org", Role: core.RoleViewer,
			Errors: map[string]string{"name": "Enter the name."},
			Refused: &contract.Error{
				Code: "unauthenticated", Message: "The password is wrong.", Hint: "Enter the password that you use to sign in.",
			},
		}),
		"no-invitation": auth.NoInvitation(layout.Frame{Title: "Invitation"}),
		"erasure": auth.Erasure(auth.ErasureModel{
			Frame: layout.Frame{Title: "Deletion of data"}, Code: "mfrggzdfmztwq2lk", AskedAt: f.now,
		}),
		"erasure-done": auth.Erasure(auth.ErasureModel{
			Frame: layout.Frame{Title: "Deletion of data"}, Code: "mfrggzdfmztwq2lk", AskedAt: f.now, DoneAt: f.now.Add(time.Minute),
		}),
		"signin": auth.SignIn(auth.SignInModel{Frame: layout.Frame{Title: "Sign in"}}),
		"signin-refused": auth.SignIn(auth.SignInModel{
			Frame: layout.Frame{Title: "Sign in"}, Email: "ada@example.org", Next: "/posts",
			Refused: &contract.Error{
				Code: "unauthenticated", Message: "The email address or the password is wrong.",
				Hint: "Check both and try again.",
			},
		}),
	}
}

func (f fixture) resets() map[string]templ.Component {
	frame := layout.Frame{Title: "Forgotten password"}
	refused := &contract.Error{Code: "rate_limited", Message: "Too many requests.", Hint: "Wait 9 minutes, then try again."}
	item := auth.OutboxItem{Title: "Fresh rye at 7", Detail: "Harbour Bakery on Threads: Not today", URL: "http://localhost/x"}
	return map[string]templ.Component{
		"forgot": auth.Forgot(auth.ForgotModel{Frame: frame, Mails: true}),
		"forgot-refused": auth.Forgot(auth.ForgotModel{
			Frame: frame, Mails: true, Email: "ada@", Errors: map[string]string{"email": "Enter an email address."}, Refused: refused,
		}),
		"forgot-sent":     auth.Forgot(auth.ForgotModel{Frame: frame, Mails: true, Sent: true, Kept: true, Outbox: link.Outbox}),
		"forgot-operator": auth.Forgot(auth.ForgotModel{Frame: frame}),
		"reset":           auth.Reset(auth.ResetModel{Frame: frame, Token: "token", Email: "ada@example.org"}),
		"reset-refused": auth.Reset(auth.ResetModel{
			Frame: frame, Token: "token", Email: "ada@example.org", Errors: map[string]string{"password": "Choose another."},
			Refused: refused,
		}),
		"no-reset":       auth.NoReset(frame),
		"signin-changed": auth.SignIn(auth.SignInModel{Frame: frame, Changed: true}),
		"signin-ended":   auth.SignIn(auth.SignInModel{Frame: frame, EndedAll: true}),
		"outbox-none":    auth.Outbox(auth.OutboxModel{Frame: frame}),
		"outbox": auth.Outbox(auth.OutboxModel{Frame: frame, Mails: []auth.OutboxMail{
			{
				At: f.now, To: "ben@example.org", Subject: "Ada Lindqvist has invited you to join Bell & Rope",
				Paragraphs: []string{"Ada Lindqvist has invited you to join the workspace Bell & Rope on Belfry as an editor."},
				Action:     "Join Bell & Rope", ActionURL: "http://localhost/x", Footnote: "The link works once.",
			},
			{
				At: f.now, To: "ada@example.org", Subject: "2 posts failed", Paragraphs: []string{"2 posts failed."},
				Items: []auth.OutboxItem{item, {Title: "and 1 more"}}, Action: "View failed posts", ActionURL: "http://localhost/y",
			},
		}}),
	}
}
