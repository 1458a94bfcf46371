package web_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/store"
	"belfry/web"
)

var newcomer = []string{
	"code", setUpCode, "workspace", "Bell & Rope", "name", "Ada Lindqvist", "email", "ada@example.org", "password",
	"crooked bells ring", "tz", "Europe/Berlin",
}

func with(pairs []string, name, value string) []string {
	out := append([]string{}, pairs...)
	for i := 0; i < len(out); i += 2 {
		if out[i] == name {
			out[i+1] = value
			return out
		}
	}
	return append(out, name, value)
}

func TestTheFirstRunMakesAWorkspaceAndSignsItsOwnerIn(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.browser()
	for _, path := range []string{"/", "/posts", "/sign-in", "/accounts", "/compose"} {
		b.get(path).leads(t, "/set-up")
	}
	b.post("/set-up", newcomer...).leads(t, "/accounts")
	page := b.get("/accounts").is(t, http.StatusOK)
	page.says(t, "Bell & Rope", "Ada Lindqvist", "Sandbox:", "Your workspace is ready")
	b.get("/").leads(t, "/posts")

	stranger := r.browser()
	stranger.get("/set-up").leads(t, "/")
	stranger.post("/set-up", newcomer...).is(t, http.StatusConflict).says(t, "already set up")
	stranger.get("/").leads(t, "/sign-in")
}

func TestSetUpKeepsWhatWasEntered(t *testing.T) {
	t.Parallel()
	r := open(t)
	for input, wrong := range map[string]string{
		"workspace": " ", "name": "", "email": "ada@", "password": "short", "tz": "Europe/Berlni",
	} {
		b := r.browser()
		entered := with(newcomer, input, wrong)
		page := b.post("/set-up", entered...).is(t, http.StatusBadRequest)
		page.one(t, testid(input+"-error"))
		for _, kept := range []string{"workspace", "name", "email", "tz"} {
			if got, want := page.value(t, kept), pairsOf(entered...).Get(kept); got != want {
				t.Errorf("with a wrong %s, %s is %q after it was %q", input, kept, got, want)
			}
		}
		if got := page.value(t, "password"); got != "" {
			t.Errorf("a password was drawn: %q", got)
		}
		if len(b.cookies) != 0 {
			t.Error("a refused set-up made a session")
		}
	}
}

func TestSetUpReportsEveryWrongFieldAtOnce(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.browser()
	page := b.post("/set-up", "code", setUpCode, "workspace", "", "name", " ", "email", "ada@", "password", "short", "tz",
		"Europe/Berlni").
		is(t, http.StatusBadRequest)
	for _, input := range []string{"workspace", "name", "email", "password", "tz"} {
		page.one(t, testid(input+"-error"))
	}
	page.says(t, "Belfry does not recognize this time zone. Enter a large city in your time zone, such as Berlin or New York.")
	if page.value(t, "email") != "ada@" || page.value(t, "tz") != "Europe/Berlni" || page.value(t, "password") != "" {
		t.Error("the form was emptied, or shows the password")
	}
	if page.value(t, "code") != setUpCode {
		t.Error("the code must be entered again")
	}
}

// Behind a proxy that hides who asks, a request from a stranger looks like one from this machine.
func TestSetUpAlwaysAsksForTheCode(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.browser()
	page := b.get("/set-up").is(t, http.StatusOK)
	page.says(t, "Belfry printed a link with this code when it started")
	page.one(t, "[name=code]:not([type=hidden])")
	for _, code := range []string{"", "OPENSESAM", "open sesame"} {
		page := b.post("/set-up", with(newcomer, "code", code)...).is(t, http.StatusForbidden)
		page.one(t, testid("code-error"))
		if page.value(t, "workspace") != "Bell & Rope" {
			t.Errorf("code %q: a wrong code empties the form", code)
		}
	}
	page = b.get("/set-up?code=" + setUpCode)
	page.one(t, "[name=code][type=hidden]")
	if page.value(t, "code") != setUpCode {
		t.Error("the link's code is not in the form")
	}
	b.post("/set-up", with(newcomer, "code", " opensesame ")...).leads(t, "/accounts")
}

func TestTheSetUpLinkIsOfferedUntilTheServerIsSetUp(t *testing.T) {
	t.Parallel()
	r := open(t)
	link, err := r.web.FindSetUpURL(t.Context())
	must(t, err)
	if link != apptest.PublicURL+"/set-up?code="+setUpCode {
		t.Errorf("the link is %q", link)
	}
	r.browser().post("/set-up", newcomer...).leads(t, "/accounts")
	if link, err = r.web.FindSetUpURL(t.Context()); err != nil || link != "" {
		t.Errorf("after setup the link is %q (%v)", link, err)
	}
}

func TestSignInSaysHowAPasswordIsReset(t *testing.T) {
	t.Parallel()
	r := open(t)
	r.Workspace("one")
	r.browser().get("/sign-in").says(t, "Forgot your password?")
	r.browser().get("/forgot-password").says(t, "belfry user password")
}

func TestSigningIn(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.browser()
	for _, who := range []string{ws.Email, "nobody@example.org"} {
		page := b.post("/sign-in", "email", who, "password", "wrong", "next", "/accounts").is(t, http.StatusUnauthorized)
		page.says(t, "The email address or the password is wrong", "Forgot your password?")
		if page.value(t, "email") != who || page.value(t, "next") != "/accounts" || page.value(t, "password") != "" {
			t.Error("the form lost what was entered, or drew a password")
		}
		if len(b.cookies) != 0 {
			t.Error("a refusal made a session")
		}
	}
	b.post("/sign-in", "email", ws.Email, "password", apptest.Password, "next", "/accounts").leads(t, "/accounts")
	b.get("/sign-in").leads(t, "/posts")
	b.get("/sign-in?next=/settings/keys").leads(t, "/settings/keys")
}

func TestTooManyTriesToSignInAreToldHowLongToWait(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.browser()
	for range 5 {
		b.post("/sign-in", "email", ws.Email, "password", "wrong").is(t, http.StatusUnauthorized)
	}
	page := b.post("/sign-in", "email", ws.Email, "password", "wrong").is(t, http.StatusTooManyRequests)
	if page.Header.Get("Retry-After") == "" || page.value(t, "email") != ws.Email {
		t.Error("no word on how long to wait, or the form is lost")
	}
	page.says(t, "Too many password attempts", "Wait 3 minutes")
}

func TestASessionIsNewAtSignInAndDeadAfterSignOut(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.browser()
	b.cookies["belfry"] = &http.Cookie{Name: "belfry", Value: "planted-by-somebody-else"}
	b.signIn(ws)
	first := b.cookies["belfry"].Value
	if first == "planted-by-somebody-else" {
		t.Fatal("a token from before signing in was taken over")
	}
	b.signIn(ws)
	if b.cookies["belfry"].Value == first {
		t.Error("signing in again keeps the token")
	}
	old := r.browser()
	old.cookies["belfry"] = &http.Cookie{Name: "belfry", Value: first}
	old.get("/posts").leads(t, "/sign-in?next=%2Fposts")

	stolen := r.browser()
	stolen.cookies["belfry"] = b.cookies["belfry"]
	stolen.get("/posts").is(t, http.StatusOK)
	b.post("/sign-out").leads(t, "/sign-in")
	if b.cookies["belfry"] != nil || b.cookies["belfry-device"] == nil {
		t.Error("signing out leaves the session's cookie, or forgets the device")
	}
	stolen.get("/posts").leads(t, "/sign-in?next=%2Fposts")
	// A page that was being drawn at that moment saves its session afterwards.
	must(t, store.NewSessions(r.Store, time.Now).CommitCtx(t.Context(), sessionRow(stolen.cookies["belfry"].Value), []byte("revived"), time.Now().Add(time.Hour)))
	stolen.get("/posts").leads(t, "/sign-in?next=%2Fposts")
}

func TestASessionEndsWhenItIsIdleOrOld(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	r.Clock.Advance(12*time.Hour - time.Second)
	b.get("/posts").is(t, http.StatusOK)
	r.Clock.Advance(12*time.Hour - time.Second)
	b.get("/posts").is(t, http.StatusOK)
	r.Clock.Advance(12 * time.Hour)
	b.get("/posts").leads(t, "/sign-in?next=%2Fposts")

	b.signIn(ws)
	for range 28 {
		b.get("/posts").is(t, http.StatusOK)
		r.Clock.Advance(12*time.Hour - time.Minute)
	}
	r.Clock.Advance(28 * time.Minute)
	b.get("/posts").leads(t, "/sign-in?next=%2Fposts")
}

func TestAPageThatLooksForNewsByItselfKeepsNoSessionAlive(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	post := ws.Draft("hello", ws.Account("threads"))
	b := r.as(ws)
	r.Clock.Advance(11 * time.Hour)
	b.part(http.MethodGet, "/posts/"+post.ID+"?seen=x").is(t, http.StatusOK)
	r.Clock.Advance(time.Hour)
	b.get("/posts").leads(t, "/sign-in?next=%2Fposts")
}

func TestTheCookie(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	plain := b.cookies["belfry"]
	if device := b.cookies["belfry-device"]; !device.HttpOnly || device.SameSite != http.SameSiteLaxMode ||
		device.MaxAge != 400*24*60*60 {
		t.Errorf("the device's cookie is %s", device)
	}
	if !plain.HttpOnly || plain.SameSite != http.SameSiteLaxMode || plain.Path != "/" || plain.Secure ||
		plain.Domain != "" {
		t.Errorf("over http the cookie is %s", plain)
	}
	safe := openWith(t, func(c *web.Config) { c.PublicURL = &url.URL{Scheme: "https", Host: "belfry.example"} })
	b = safe.browser()
	b.host = "belfry.example"
	b.signIn(safe.Workspace("one"))
	secure := b.cookies["__Host-belfry"]
	if device := b.cookies["__Host-belfry-device"]; device == nil || !device.Secure || device.Domain != "" {
		t.Errorf("over https the device's cookie is %s", device)
	}
	if secure == nil || !secure.Secure || !secure.HttpOnly || secure.Path != "/" || secure.Domain != "" {
		t.Errorf("over https the cookie is %s", secure)
	}
}

func TestSomebodyWhoIsNoMemberAnyMoreIsAStranger(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	if _, err := r.Pool.Exec(t.Context(), "DELETE FROM members"); err != nil {
		t.Fatal(err)
	}
	b.get("/posts").leads(t, "/sign-in?next=%2Fposts")
}

// An operator who gave a person a new password left whoever had the old one signed in.
func TestANewPasswordEndsEverySessionOfThePerson(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws, other := r.Workspace("one"), r.Workspace("two")
	first, second, another := r.as(ws), r.as(ws), r.as(other)
	must(t, r.App.SetUserPassword(t.Context(), ws.Email, "quite another password"))
	for _, b := range []*browser{first, second} {
		b.get("/posts").leads(t, "/sign-in?next=%2Fposts")
	}
	another.get("/posts").is(t, http.StatusOK)
	first.post("/sign-in", "email", ws.Email, "password", "quite another password").leads(t, "/posts")
	first.get("/posts").is(t, http.StatusOK)
	second.get("/posts").leads(t, "/sign-in?next=%2Fposts")
}
