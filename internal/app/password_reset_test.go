package app_test

import (
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// askForReset asks for a link and returns its token, "" if no email arrives.
func (o *postOffice) askForReset(email string) string {
	o.t.Helper()
	must(o.t, o.App.RequestPasswordReset(o.t.Context(), email, from(address)))
	got := o.deliver()
	if len(got) == 0 {
		return ""
	}
	if len(got) != 1 || got[0].To != email {
		o.t.Fatalf("received %+v", got)
	}
	return linkIn(o.t, got[0].Text, "/reset-password/")
}

const chosenPassword = "seven quiet ropes hang"

func (o *postOffice) reset(token string) error {
	return o.App.ResetPassword(o.t.Context(), token, contract.NewPassword{Password: chosenPassword}, from(address))
}

func TestALinkForANewPasswordWorksOnceAndEndsSessions(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	in, err := o.App.SignIn(t.Context(), contract.SignIn{Email: ws.Email, Password: apptest.Password}, from(address))
	must(t, err)
	first, second := o.askForReset(ws.Email), o.askForReset(ws.Email)
	email, err := o.App.GetPasswordResetUserEmail(t.Context(), first)
	must(t, err)
	if email != ws.Email {
		t.Errorf("the link is for %s", email)
	}
	must(t, o.reset(first))
	for _, token := range []string{first, second} { // the other link of the person is worthless as well
		want(t, core.CodeNotFound, o.reset(token))
	}
	_, err = o.App.AuthenticateSession(t.Context(), app.Session{
		User: in.User.String(), Workspace: in.Workspace.String(), Proof: in.Proof,
	})
	want(t, core.CodeUnauthenticated, err)
	_, err = o.App.SignIn(t.Context(), contract.SignIn{Email: ws.Email, Password: apptest.Password}, from(address))
	want(t, core.CodeUnauthenticated, err)
	_, err = o.App.SignIn(t.Context(), contract.SignIn{Email: ws.Email, Password: chosenPassword}, from(address))
	must(t, err)
}

func TestALinkForANewPasswordExpiresAfterAnHour(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	token := o.askForReset(ws.Email)
	o.Clock.Advance(time.Hour)
	want(t, core.CodeNotFound, o.reset(token))
	must(t, o.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
	var left int
	must(t, o.Pool.QueryRow(t.Context(), `SELECT count(*) FROM password_resets`).Scan(&left))
	if left != 0 {
		t.Error("expired links are kept")
	}
}

func TestAWeakPasswordLeavesTheLinkUsable(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	token := o.askForReset(o.Workspace("one").Email)
	err := o.App.ResetPassword(t.Context(), token, contract.NewPassword{Password: "password"}, from(address))
	want(t, core.CodeInvalidRequest, err)
	must(t, o.reset(token))
}

// A stranger must not learn who has an account: the request does the same for everybody, and a worker looks.
func TestARequestForANewPasswordDoesTheSameForAStranger(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	for _, email := range []string{ws.Email, "nobody@example.org"} {
		must(t, o.App.RequestPasswordReset(t.Context(), email, from(address)))
	}
	var jobs, tokens int
	must(t, o.Pool.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM river_job), (SELECT count(*) FROM password_resets)`).Scan(&jobs, &tokens))
	if jobs != 2 || tokens != 0 {
		t.Errorf("the requests left %d jobs and %d tokens", jobs, tokens)
	}
	if got := o.deliver(); len(got) != 1 || got[0].To != ws.Email {
		t.Errorf("received %+v", got)
	}
}

func TestRequestsForANewPasswordAreLimited(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	for i := range 3 {
		if o.askForReset(ws.Email) == "" {
			t.Fatalf("request %d got no link", i+1)
		}
	}
	if o.askForReset(ws.Email) != "" {
		t.Error("an account gets any number of emails")
	}
	for range 2 {
		must(t, o.App.RequestPasswordReset(t.Context(), "nobody@example.org", from(address)))
	}
	err := o.App.RequestPasswordReset(t.Context(), "somebody@example.org", from(address))
	want(t, core.CodeRateLimited, err)
}

func TestAServerWithoutMailHasNoPasswordReset(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	want(t, core.CodeNotFound, h.App.RequestPasswordReset(t.Context(), h.Workspace("one").Email, from(address)))
}
