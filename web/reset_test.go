package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/queue"
)

func keepMail(c *app.Config) { c.Outbox = true }

// workResets does what the requests for new passwords have asked of a worker.
func (r *rig) workResets() {
	r.t.Helper()
	apptest.WorkJobs(r.Harness, func(job queue.PasswordReset) (time.Duration, error) {
		return 0, r.App.QueuePasswordResetEmailIfValid(r.t.Context(), job.Sealed)
	})
}

func TestAForgottenPasswordIsReplacedByTheMailedLink(t *testing.T) {
	t.Parallel()
	r := open(t, keepMail)
	ws := r.Workspace("one")
	elsewhere, b := r.as(ws), r.browser()
	b.get("/sign-in").is(t, http.StatusOK).one(t, `a[href="/forgot-password"]`)
	b.get("/forgot-password").is(t, http.StatusOK).one(t, testid("forgot-form"))
	refused := b.post("/forgot-password", "email", "not an address").is(t, http.StatusBadRequest)
	refused.one(t, testid("email-error"))
	if refused.value(t, "email") != "not an address" {
		t.Error("the form lost the address")
	}
	b.post("/forgot-password", "email", ws.Email).leads(t, "/forgot-password?sent=1")
	b.get("/forgot-password?sent=1").is(t, http.StatusOK).says(t, "Check your email")
	r.workResets()
	outbox := b.get("/sandbox/_/mail").is(t, http.StatusOK)
	outbox.says(t, "Reset your Belfry password", ws.Email)
	outbox.one(t, testid("home")+`[href="/"]`)
	link := strings.TrimPrefix(attribute(outbox.one(t, testid("mail-action")), "href"), apptest.PublicURL)
	b.get(link).is(t, http.StatusOK).says(t, "Choose a new password")
	refused = b.post(link, "password", "password").is(t, http.StatusBadRequest)
	refused.one(t, testid("password-error"))
	if refused.value(t, "password") != "" {
		t.Error("a password is drawn again")
	}
	b.post(link, "password", "seven quiet ropes hang").leads(t, "/sign-in?changed=1")
	b.get("/sign-in?changed=1").says(t, "Your password was changed")
	for _, again := range []*page{b.get(link), b.post(link, "password", "seven quiet ropes hang")} {
		again.is(t, http.StatusNotFound).one(t, testid("no-reset"))
	}
	elsewhere.get("/posts").leads(t, "/sign-in?next=%2Fposts")
	b.post("/sign-in", "email", ws.Email, "password", apptest.Password).is(t, http.StatusUnauthorized)
	b.post("/sign-in", "email", ws.Email, "password", "seven quiet ropes hang").leads(t, "/posts")
}

func TestTheAnswerToARequestForANewPasswordIsTheSameForStrangers(t *testing.T) {
	t.Parallel()
	r := open(t, keepMail)
	ws := r.Workspace("one")
	b := r.browser()
	known, unknown := b.post("/forgot-password", "email", ws.Email), b.post("/forgot-password", "email", "no@example.org")
	if known.StatusCode != unknown.StatusCode || known.body != unknown.body ||
		known.Header.Get("Location") != unknown.Header.Get("Location") {
		t.Errorf("%d %q and %d %q", known.StatusCode, known.body, unknown.StatusCode, unknown.body)
	}
	for range 4 {
		b.post("/forgot-password", "email", "no@example.org").leads(t, "/forgot-password?sent=1")
	}
	page := b.post("/forgot-password", "email", ws.Email).is(t, http.StatusTooManyRequests)
	if page.Header.Get("Retry-After") == "" || page.value(t, "email") != ws.Email {
		t.Error("no word on how long to wait, or the address is lost")
	}
}

func TestWithoutMailTheOperatorIsAsked(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.browser()
	page := b.get("/forgot-password").is(t, http.StatusOK)
	page.says(t, "This server does not send email.", "belfry user password")
	if len(page.all("form")) != 0 {
		t.Error("a form that cannot work")
	}
	b.post("/forgot-password", "email", ws.Email).is(t, http.StatusNotFound)
	b.get("/sandbox/_/mail").is(t, http.StatusNotFound)
	made := r.as(ws).post("/settings/members", "email", "ben@example.org", "role", "editor").is(t, http.StatusCreated)
	made.says(t, "Send this link to ben@example.org")
}

// The links of the outbox grant access: only whoever sits at the computer may see it.
func TestTheOutboxIsForThisComputerAlone(t *testing.T) {
	t.Parallel()
	r := open(t, keepMail)
	made := r.as(r.Workspace("one")).post("/settings/members", "email", "ben@example.org", "role", "editor")
	made.is(t, http.StatusCreated).says(t, "Invitation created for ben@example.org",
		"This sandbox sends no email: the invitation is in its outbox.")
	made.one(t, `main a[href="/sandbox/_/mail"]`)
	b := r.browser()
	b.get("/sandbox/_/mail").is(t, http.StatusOK).says(t, "ben@example.org")
	for _, header := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		b.get("/sandbox/_/mail", header, "for=192.0.2.1").is(t, http.StatusNotFound)
	}
	b.get("/forgot-password?sent=1").one(t, testid("outbox"))
	b.peer = "192.0.2.1:50000"
	b.get("/sandbox/_/mail").is(t, http.StatusNotFound)
	sent := b.get("/forgot-password?sent=1")
	sent.says(t, "This sandbox keeps its emails instead of sending them.")
	if len(sent.all(testid("outbox"))) != 0 {
		t.Error("the outbox is offered to a computer that cannot open it")
	}
	b.peer, b.host = "127.0.0.1:50000", "rebound.example.org"
	b.get("/sandbox/_/mail").is(t, http.StatusNotFound)
}
