package web_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"belfry/internal/app/apptest"
)

// guess posts a password for an account from one of many addresses, and returns the answer's status.
func guess(r *rig, email, password string, n int) int {
	b := r.browser()
	b.peer = fmt.Sprintf("203.0.%d.%d:4000", n/250, n%250)
	return b.post("/sign-in", "email", email, "password", password).StatusCode
}

// Wrong passwords at 2 a second from changing addresses once refused the owner 16 times of 16.
func TestAnAccountUnderAttackSignsInFromItsOwnDevice(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	own := r.as(ws)
	for round := range 16 {
		own.post("/sign-out").leads(t, "/sign-in")
		for i := range 20 {
			guess(r, ws.Email, "wrong", round*20+i)
			r.Clock.Advance(500 * time.Millisecond)
		}
		own.post("/sign-in", "email", ws.Email, "password", apptest.Password).leads(t, "/posts")
	}
}

func TestAStolenOrInventedDeviceCookieBuysFewGuesses(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws, other := r.Workspace("one"), r.Workspace("two")
	for name, thief := range map[string]*browser{
		"the account's own device": r.as(ws), "another account's device": r.as(other),
	} {
		thief.post("/sign-out").leads(t, "/sign-in")
		checked := 0
		for range 40 {
			if thief.post("/sign-in", "email", ws.Email, "password", "wrong").StatusCode == http.StatusUnauthorized {
				checked++
			}
			r.Clock.Advance(22 * time.Second)
		}
		if checked == 0 || checked > 10 {
			t.Errorf("%s: %d passwords were checked in a quarter of an hour", name, checked)
		}
	}
}

func TestAnAccountIsGuessedAtMostTenTimesInAQuarterOfAnHour(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	owner := r.browser()
	checked := 0
	for i := range 899 / 2 {
		if guess(r, ws.Email, "wrong", i) == http.StatusUnauthorized {
			checked++
		}
		if i%60 == 0 { // the owner signs in meanwhile, which must buy nobody more guesses
			owner.post("/sign-in", "email", ws.Email, "password", apptest.Password)
		}
		r.Clock.Advance(2 * time.Second)
	}
	if checked == 0 || checked > 10 {
		t.Errorf("%d passwords were checked in 898 seconds", checked)
	}
}
