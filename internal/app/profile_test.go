package app_test

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func (o *postOffice) changeEmail(c core.Caller, email string) error {
	return o.App.EditProfile(o.t.Context(), c, contract.EditProfile{Name: "Ann", Email: email})
}

func TestANewEmailAddressEndsLinksAtTheOldOneAndIsToldThere(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws, other := o.Workspace("one"), o.Workspace("two")
	link, others := o.askForReset(ws.Email), o.askForReset(other.Email)
	must(t, o.App.RequestPasswordReset(t.Context(), ws.Email, from(address))) // which no worker has seen yet
	must(t, o.changeEmail(ws.Owner, "new@example.org"))
	want(t, core.CodeNotFound, o.reset(link))
	must(t, o.reset(others))
	got := o.deliver()
	if len(got) != 1 || got[0].To != ws.Email || !strings.Contains(got[0].Text, "new@example.org") {
		t.Errorf("received %+v", got)
	}
	must(t, o.changeEmail(ws.Owner, "NEW@example.org"))
	if got := o.deliver(); len(got) != 0 {
		t.Errorf("told about the same address: %+v", got)
	}
}

func TestANewPasswordEndsLinksForAnother(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	link := o.askForReset(ws.Email)
	_, err := o.App.ChangePassword(t.Context(), ws.Owner, contract.ChangePassword{
		Current: apptest.Password, New: "nine loud bells ring",
	})
	must(t, err)
	want(t, core.CodeNotFound, o.reset(link))
}

// Whoever sends the former address again while it changes, changes it back: that needs the password as well.
func TestAnAddressThatChangesMeanwhileIsNotChangedBackWithoutThePassword(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	in, err := o.App.SignIn(t.Context(), contract.SignIn{Email: ws.Email, Password: apptest.Password}, from(address))
	must(t, err)
	long := sessionOf(in, o.Clock.Now().Add(-24*time.Hour))
	unproved, err := o.App.AuthenticateSession(t.Context(), long)
	must(t, err)
	tx, err := o.Pool.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), `UPDATE users SET email = 'new@example.org'`)
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- o.changeEmail(unproved, ws.Email) }()
	o.Eventually("it waits", func() bool { return waiting(t, o.Harness) })
	must(t, tx.Commit(t.Context()))
	if err := <-done; !core.IsPasswordNeeded(err) {
		t.Errorf("the answer is %v", err)
	}
	var email string
	must(t, o.Pool.QueryRow(t.Context(), `SELECT email FROM users`).Scan(&email))
	if email != "new@example.org" {
		t.Errorf("the address is %s", email)
	}
}

func TestARequestForANewPasswordIsQueuedWithoutItsAddress(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	must(t, o.App.RequestPasswordReset(t.Context(), "stranger@example.org", from(address)))
	var jobs string
	must(t, o.Pool.QueryRow(t.Context(), `SELECT string_agg(args::text, '') FROM river_job`).Scan(&jobs))
	if !strings.Contains(jobs, "sealed") || strings.Contains(jobs, "stranger") {
		t.Errorf("the queue holds %s", jobs)
	}
}

func TestARestoredDatabaseMailsNothingOfItsTime(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	o.fail(ws, ws.Owner, ws.Account("threads"), "Before the backup")
	must(t, o.App.RequestPasswordReset(t.Context(), ws.Email, from(address)))
	must(t, o.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, nil))
	if got := o.tell(3 * time.Minute); len(got) != 0 {
		t.Errorf("received %+v", got)
	}
}
