package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func setUp(workspace string) contract.SetUp {
	return contract.SetUp{
		Workspace: workspace, Name: "Ada Lovelace", Email: "ada@example.org", Password: "analytical engine no. 1",
		TZ: "Europe/London",
	}
}

// from is a browser at an address that has never signed in.
func from(addressKey string) app.Browser { return app.Browser{AddressKey: addressKey} }

// sessionOf is the session of somebody who signed in at the given time.
func sessionOf(in app.SignedIn, at time.Time) app.Session {
	return app.Session{User: in.User.String(), Workspace: in.Workspace.String(), Proof: in.Proof, ProvedAt: at}
}

func TestSetUpIsOpenUntilAWorkspaceExists(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	open, err := h.App.NeedsSetUp(t.Context())
	if err != nil || !open {
		t.Fatalf("before: %v, %v", open, err)
	}
	done, err := h.App.SetUpServer(t.Context(), setUp("Bäckerei am Hafen & Söhne"), from(address))
	must(t, err)
	if done.Slug != "backerei-am-hafen-sohne" {
		t.Errorf("the slug is %q", done.Slug)
	}
	if open, err := h.App.NeedsSetUp(t.Context()); err != nil || open {
		t.Errorf("after: %v, %v", open, err)
	}
	_, err = h.App.SetUpServer(t.Context(), setUp("Another"), from(address))
	want(t, core.CodeConflict, err)

	owner, err := h.App.AuthenticateSession(t.Context(), sessionOf(done, h.Clock.Now()))
	must(t, err)
	who, err := h.App.Whoami(t.Context(), owner)
	must(t, err)
	if w := who.Workspace; w.Plan != "owner" || w.TZ != "Europe/London" || w.Name != "Bäckerei am Hafen & Söhne" ||
		w.Currency != "USD" {
		t.Errorf("the workspace is %+v", w)
	}
	if owner.Role() != core.RoleOwner {
		t.Errorf("the role is %s", owner.Role())
	}
}

func TestOneOfConcurrentSetUpsWins(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	replica := h.Replica()
	won := make(chan app.SignedIn, 8)
	together(t, 8, func(i int) error {
		in := setUp("Mine")
		in.Email = strings.Repeat("x", i+1) + in.Email
		a := h.App
		if i%2 == 0 {
			a = replica
		}
		done, err := a.SetUpServer(t.Context(), in, from(address))
		if err == nil {
			won <- done
			return nil
		}
		if core.CodeOf(err) != core.CodeConflict {
			return err
		}
		return nil
	})
	if len(won) != 1 {
		t.Errorf("%d set-ups won", len(won))
	}
}

func TestSetUpSaysWhichFieldIsWrong(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	for name, c := range map[string]struct {
		spoil func(*contract.SetUp)
		path  string
	}{
		"no workspace name":       {func(in *contract.SetUp) { in.Workspace = "  " }, "workspace"},
		"a long workspace name":   {func(in *contract.SetUp) { in.Workspace = strings.Repeat("ö", 81) }, "workspace"},
		"a name of two lines":     {func(in *contract.SetUp) { in.Name = "Ada\nBob" }, "name"},
		"no email address":        {func(in *contract.SetUp) { in.Email = "ada" }, "email"},
		"a name with the address": {func(in *contract.SetUp) { in.Email = "Ada <ada@example.org>" }, "email"},
		"a short password":        {func(in *contract.SetUp) { in.Password = "short" }, "password"},
		"a common password":       {func(in *contract.SetUp) { in.Password = "Password" }, "password"},
		"no zone":                 {func(in *contract.SetUp) { in.TZ = "" }, "tz"},
		"a zone of nowhere":       {func(in *contract.SetUp) { in.TZ = "Europe/Atlantis" }, "tz"},
	} {
		in := setUp("Mine")
		c.spoil(&in)
		_, err := h.App.SetUpServer(t.Context(), in, from(address))
		if e := want(t, core.CodeInvalidRequest, err); e.Path != c.path || strings.Contains(e.Message, "short\"") {
			t.Errorf("%s: %s (%s)", name, e.Message, e.Hint)
		}
	}
	if open, err := h.App.NeedsSetUp(t.Context()); err != nil || !open {
		t.Errorf("a refused set-up left something: %v", err)
	}
}

func TestAWrongPasswordAndAnUnknownPersonGetTheSameAnswer(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	_, wrong := h.App.SignIn(t.Context(), contract.SignIn{Email: ws.Email, Password: "not this one"}, from(address))
	_, unknown := h.App.SignIn(t.Context(), contract.SignIn{Email: "nobody@example.org", Password: "not this one"}, from(address))
	a, b := want(t, core.CodeUnauthenticated, wrong), want(t, core.CodeUnauthenticated, unknown)
	if a.Message != b.Message || a.Hint != b.Hint {
		t.Errorf("they differ: %v, %v", a, b)
	}
	got, err := h.App.SignIn(t.Context(), contract.SignIn{Email: " ONE@Example.org ", Password: apptest.Password}, from(address))
	if err != nil || got.Workspace != ws.ID || got.User != ws.Owner.AttributedUser() || got.Name != "Owner of one" {
		t.Errorf("the right one: %+v, %v", got, err)
	}
}

func TestGuessingIsSlowedDownAndNobodyIsLockedOut(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	signIn := func(password, addressKey string) error {
		_, err := h.App.SignIn(t.Context(), contract.SignIn{Email: ws.Email, Password: password}, from(addressKey))
		return err
	}
	for i := range 5 {
		want(t, core.CodeUnauthenticated, signIn("guess", strings.Repeat("x", i)))
	}
	e := want(t, core.CodeRateLimited, signIn(apptest.Password, "elsewhere"))
	if e.RetryAfter < 1 || e.RetryAfter > 180 {
		t.Errorf("RetryAfter is %d", e.RetryAfter)
	}
	h.Clock.Advance(time.Duration(e.RetryAfter) * time.Second)
	for range 3 { // a right password costs nothing, and forgives nothing
		must(t, signIn(apptest.Password, "elsewhere"))
	}
	want(t, core.CodeUnauthenticated, signIn("guess", "elsewhere"))
	want(t, core.CodeRateLimited, signIn("guess", "elsewhere"))

	// Unknown accounts are slowed down alike, and one address for all accounts together.
	for i := range 20 {
		_, err := h.App.SignIn(t.Context(), contract.SignIn{Email: fmt.Sprintf("nobody-%d@example.org", i/10), Password: "guess"}, from(address))
		code := core.CodeUnauthenticated
		if i%10 >= 5 {
			code = core.CodeRateLimited
		}
		want(t, code, err)
	}
	two := h.Workspace("two")
	in := contract.SignIn{Email: two.Email, Password: apptest.Password}
	_, err := h.App.SignIn(t.Context(), in, from(address))
	want(t, core.CodeRateLimited, err)
	_, err = h.App.SignIn(t.Context(), in, from("elsewhere"))
	must(t, err)
}

func TestAKeyIsRecognisedUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	made, err := h.App.CreateKey(t.Context(), ws.Owner, contract.CreateKey{Name: "nightly job", Scope: "read"})
	must(t, err)
	if !strings.HasPrefix(made.Key, "belfry_live_"+made.Hint) || len(made.Hint) != 8 || made.LastUsedAt != nil {
		t.Errorf("the new key is %+v", made)
	}
	c := mustKey(t, h, made.Key)
	if c.Workspace() != ws.ID || c.AttributedUser() != ws.Owner.AttributedUser() || c.CredentialName() != "nightly job" ||
		c.Kind() != core.CredentialKey ||
		c.Via() != core.ViaAPI || c.RequireScope(core.Write) == nil {
		t.Errorf("the caller is %+v", c)
	}
	list, err := h.App.ListKeys(t.Context(), ws.Owner)
	must(t, err)
	if len(list.Keys) != 1 || list.Keys[0].Key != "" || !list.Keys[0].LastUsedAt.Equal(h.Clock.Now()) {
		t.Errorf("the list is %+v", list)
	}
	used := h.Clock.Now()
	h.Clock.Advance(59 * time.Second)
	mustKey(t, h, made.Key)
	if list, err := h.App.ListKeys(t.Context(), ws.Owner); err != nil || !list.Keys[0].LastUsedAt.Equal(used) {
		t.Errorf("the last use was written again within a minute: %v, %v", list.Keys, err)
	}
	h.Clock.Advance(2 * time.Second)
	mustKey(t, h, made.Key)
	if list, err := h.App.ListKeys(t.Context(), ws.Owner); err != nil || !list.Keys[0].LastUsedAt.Equal(h.Clock.Now()) {
		t.Errorf("the last use was not written after a minute: %v, %v", list.Keys, err)
	}

	must(t, h.App.RevokeKey(t.Context(), ws.Owner, made.ID))
	_, revoked := h.Caller(made.Key)
	_, mistyped := h.Caller(made.Key[:len(made.Key)-1] + "!")
	_, missing := h.Caller("")
	for _, err := range []error{revoked, mistyped, missing} {
		if e, same := want(t, core.CodeUnauthenticated, err), core.Unauthenticated(); e.Message != same.Message ||
			e.Hint != same.Hint {
			t.Errorf("the answer is %+v", e)
		}
	}
	want(t, core.CodeNotFound, h.App.RevokeKey(t.Context(), ws.Owner, made.ID))
}

func TestAKeyDiesWithTheMembership(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	admin := ws.Member(core.RoleAdmin)
	made, err := h.App.CreateKey(t.Context(), admin, contract.CreateKey{Name: "k", Scope: "write"})
	must(t, err)
	mustKey(t, h, made.Key)
	must(t, h.App.RemoveMemberOrInvitation(t.Context(), ws.Owner, admin.AttributedUser().String()))
	_, err = h.Caller(made.Key)
	want(t, core.CodeUnauthenticated, err)
	_, err = h.App.AuthenticateSession(t.Context(), app.Session{User: admin.AttributedUser().String(), Workspace: ws.ID.String(), Proof: app.SessionProof(""), ProvedAt: h.Clock.Now()})
	want(t, core.CodeUnauthenticated, err)
}

func TestAKeyHasNoMoreRightsThanItsMaker(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	admin := ws.Member(core.RoleAdmin)
	made, err := h.App.CreateKey(t.Context(), admin, contract.CreateKey{Name: "k", Scope: "write"})
	must(t, err)
	must(t, setRole(t, h, ws.Owner, admin.AttributedUser().String(), core.RoleViewer))
	want(t, core.CodeInsufficientScope, mustKey(t, h, made.Key).RequireScope(core.Write))
}

func TestOnlyPeopleWhoManageMakeKeys(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	for _, c := range []core.Caller{ws.Member(core.RoleEditor), ws.Member(core.RoleViewer), ws.Key(core.Write).Caller} {
		_, err := h.App.CreateKey(t.Context(), c, contract.CreateKey{Name: "k", Scope: "read"})
		want(t, core.CodeInsufficientScope, err)
		_, err = h.App.ListKeys(t.Context(), c)
		want(t, core.CodeInsufficientScope, err)
		want(t, core.CodeInsufficientScope, h.App.RevokeKey(t.Context(), c, "key_nothing"))
	}
	for _, in := range []contract.CreateKey{{Name: "", Scope: "read"}, {Name: "k", Scope: "admin"}, {Name: "k"}} {
		_, err := h.App.CreateKey(t.Context(), ws.Owner, in)
		want(t, core.CodeInvalidRequest, err)
	}
}

func TestWhoamiShowsTrueFigures(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanCreator, "one", "Pacific/Auckland")
	h.Workspace("two").Account("threads") // another's account, which must not be counted
	account := ws.Account("threads")
	ws.Account("facebook")
	ws.Member(core.RoleEditor)
	ws.Queued("hello", account, h.Clock.Now().Add(time.Hour))
	ws.Draft("a draft costs nothing", account)

	key := ws.Key(core.Read)
	who, err := h.App.Whoami(t.Context(), key.Caller)
	must(t, err)
	u := who.Usage
	if u.Period != "2026-10" || u.Posts.Used != 1 || *u.Posts.Limit != 300 || u.Accounts.Used != 2 ||
		*u.Accounts.Limit != 10 ||
		u.Members.Used != 2 || *u.Members.Limit != 3 || u.Storage.UsedBytes != 0 || !u.API || !u.Groups || u.MCP != "write" ||
		u.Plan != "creator" {
		t.Errorf("the usage is %+v", u)
	}
	if who.User.Email != nil || who.User.Name != "Owner of one" || who.Credential.Kind != "api_key" ||
		who.Credential.Name != "a test's key" ||
		strings.Join(who.Credential.Scopes, ",") != "read" {
		t.Errorf("a key is %+v, %+v", who.User, who.Credential)
	}
	who, err = h.App.Whoami(t.Context(), ws.Owner)
	must(t, err)
	if who.User.Email == nil || *who.User.Email != ws.Email || who.Credential.Kind != "session" ||
		strings.Join(who.Credential.Scopes, ",") != "read,write" {
		t.Errorf("a person is %+v, %+v", who.User, who.Credential)
	}
	h.Clock.Set(time.Date(2026, 10, 31, 12, 0, 0, 0, time.UTC)) // November in Auckland
	if who, err := h.App.Whoami(t.Context(), key.Caller); err != nil || who.Usage.Period != "2026-11" ||
		who.Usage.Posts.Used != 0 {
		t.Errorf("the next month: %+v, %v", who.Usage, err)
	}
}

func TestWhatIsNoSessionIsNotSignedIn(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	one, two := h.Workspace("one"), h.Workspace("two")
	made, err := h.App.SignIn(t.Context(), contract.SignIn{Email: one.Email, Password: apptest.Password}, from("here"))
	must(t, err)
	proof := made.Proof
	for _, ids := range [][2]string{
		{"", ""},
		{"usr_x", one.ID.String()},
		{one.Owner.AttributedUser().String(), two.ID.String()},
		{one.ID.String(), one.ID.String()},
		{one.Owner.AttributedUser().String(), "ws_00000000000000000000000000"},
	} {
		c, err := h.App.AuthenticateSession(t.Context(), app.Session{User: ids[0], Workspace: ids[1], Proof: proof, ProvedAt: h.Clock.Now()})
		want(t, core.CodeUnauthenticated, err)
		if !c.IsZero() {
			t.Errorf("%v made a caller", ids)
		}
	}
	for _, proof := range []string{"", proof[1:], app.SessionProof("")} {
		_, err := h.App.AuthenticateSession(t.Context(), app.Session{User: one.Owner.AttributedUser().String(), Workspace: one.ID.String(), Proof: proof, ProvedAt: h.Clock.Now()})
		want(t, core.CodeUnauthenticated, err)
	}
	_, err = h.App.AuthenticateSession(t.Context(), app.Session{User: one.Owner.AttributedUser().String(), Workspace: one.ID.String(), Proof: proof, ProvedAt: h.Clock.Now()})
	must(t, err)
}
