package apptest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/secret"
)

// Password is the password of every owner.
const Password = "three crooked bells ring"

// passwordHash is the hash of Password. It is computed once, because it takes as long as many a test.
var passwordHash = sync.OnceValue(func() string { //nolint:gochecknoglobals // see above
	hash, err := secret.NewPasswordHasher().Hash(context.Background(), Password)
	if err != nil {
		panic(err) // it fails only if the context ends
	}
	return hash
})

// farFuture returns when fixtures confirmed their passwords: in the future, so that it is never too long ago.
func farFuture() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// session is the browser session of fixtures.
const session = "the-owners-browser"

// Workspace is a workspace and its signed-in owner.
type Workspace struct {
	t     testing.TB
	h     *Harness
	ID    core.WorkspaceID
	Slug  string
	Email string
	// Owner is the caller for the owner, signed in to the dashboard.
	Owner core.Caller

	profiles int
	proof    string
	samples  map[string]contract.Media
}

// Workspace creates a workspace in UTC with a plan without limits.
func (h *Harness) Workspace(name string) *Workspace {
	h.t.Helper()
	return h.WorkspaceOn(core.PlanOwner, name, "UTC")
}

// WorkspaceOn creates a workspace with a plan and a time zone.
func (h *Harness) WorkspaceOn(plan core.PlanName, name, zone string) *Workspace {
	h.t.Helper()
	email := strings.ReplaceAll(name, " ", ".") + "@example.org"
	person := core.User{ID: core.NewID[core.UserKind](), Name: "Owner of " + name, Email: email}
	must(h.t, h.Store.AddUser(h.Context(), person, passwordHash(), h.Clock.Now()))
	made, err := h.App.CreateWorkspaceWithOwner(h.Context(), contract.CreateWorkspace{Name: name, TZ: zone, Plan: plan, OwnerEmail: email})
	must(h.t, err)
	owner, err := h.App.AuthenticateSession(h.Context(), app.Session{ID: session, User: made.User.String(), Workspace: made.Workspace.String(), Proof: made.Proof, ProvedAt: farFuture()})
	must(h.t, err)
	return &Workspace{t: h.t, h: h, ID: made.Workspace, Slug: made.Slug, Email: email, Owner: owner, proof: made.Proof}
}

// Key is an API key and the caller who uses it.
type Key struct {
	core.Caller
	ID     string
	Bearer string
}

// Caller authenticates an API key as a request from a fresh address would.
func (h *Harness) Caller(bearer string) (core.Caller, error) {
	arrival, err := h.App.CountRequestAndFindCaller(h.Context(), rand.Text(), bearer)
	return arrival.Caller, cmp.Or(err, arrival.KeyRefused)
}

// Key creates an API key of the owner.
func (w *Workspace) Key(scope core.Scope) Key {
	w.t.Helper()
	made, err := w.h.App.CreateKey(w.h.Context(), w.Owner, contract.CreateKey{Name: "a test's key", Scope: string(scope)})
	must(w.t, err)
	caller, err := w.h.Caller(made.Key)
	must(w.t, err)
	return Key{Caller: caller, ID: made.ID, Bearer: made.Key}
}

// Member adds a person with a role and signs them in. They have no password.
func (w *Workspace) Member(role core.Role) core.Caller {
	w.t.Helper()
	u := core.User{ID: core.NewID[core.UserKind](), Name: "A " + string(role)}
	u.Email = u.ID.String() + "@example.org"
	must(w.t, w.h.Store.AddUser(w.h.Context(), u, "", w.h.Clock.Now()))
	must(w.t, w.h.Store.AddMember(w.h.Context(), w.ID, u.ID, role, w.h.Clock.Now()))
	caller, err := w.h.App.AuthenticateSession(w.h.Context(), app.Session{ID: session, User: u.ID.String(), Workspace: w.ID.String(), Proof: app.SessionProof(""), ProvedAt: farFuture()})
	must(w.t, err)
	return caller
}

// Invite creates an invitation.
func (w *Workspace) Invite(email string, role core.Role) contract.Member {
	w.t.Helper()
	made, err := w.h.App.InviteMember(w.h.Context(), w.Owner, contract.InviteMember{Email: email, Role: string(role)})
	must(w.t, err)
	return made
}

// Account connects a profile on a network through its consent page: a new profile, or the one with the given name.
func (w *Workspace) Account(platform string, profile ...string) contract.Account {
	w.t.Helper()
	name := strings.ReplaceAll(w.Slug, "-", "_")
	if w.profiles++; w.profiles > 1 {
		name = fmt.Sprintf("%s_%d", name, w.profiles)
	}
	if len(profile) > 0 {
		name = profile[0]
	}
	start, err := w.h.App.StartConnect(w.h.Context(), w.Owner, contract.Connect{Platform: platform})
	must(w.t, err)
	done, err := w.h.App.FinishConnectOrReconnect(w.h.Context(), w.Owner, platform, w.h.Consent(start.AuthorizeURL, name))
	must(w.t, err)
	if len(done.Accounts) != 1 {
		w.t.Fatalf("connecting %s at %s gave %d accounts and %d profiles to choose from", name, platform, len(done.Accounts),
			len(done.Profiles))
	}
	return done.Accounts[0]
}

// AccountID returns the id of an account, for the store.
func (w *Workspace) AccountID(a contract.Account) core.AccountID {
	w.t.Helper()
	id, err := core.ParseID[core.AccountKind](a.ID)
	must(w.t, err)
	return id
}

// Group creates a group of accounts.
func (w *Workspace) Group(name string, accounts ...contract.Account) contract.Group {
	w.t.Helper()
	in := contract.CreateGroup{Name: name}
	for _, a := range accounts {
		in.AccountIDs = append(in.AccountIDs, a.ID)
	}
	made, err := w.h.App.CreateGroup(w.h.Context(), w.Owner, in)
	must(w.t, err)
	return made
}

// Folder creates a folder in a parent folder, or at the top level if parent is "".
func (w *Workspace) Folder(name, parent string) contract.Folder {
	w.t.Helper()
	in := contract.CreateFolder{Name: name}
	if parent != "" {
		in.ParentID = contract.Some(parent)
	}
	made, err := w.h.App.CreateFolder(w.h.Context(), w.Owner, in)
	must(w.t, err)
	return made
}

// Upload uploads a file, which has not been examined yet.
func (w *Workspace) Upload(name string, content []byte) contract.Media {
	w.t.Helper()
	made, err := w.h.App.ReserveUpload(w.h.Context(), w.Owner, contract.CreateUpload{Filename: name, Mime: "application/octet-stream", Size: int64(len(content))})
	must(w.t, err)
	token := made.UploadURL[strings.LastIndex(made.UploadURL, "/")+1:]
	_, err = w.h.App.Intake().ReceiveUpload(w.h.Context(), token, int64(len(content)), bytes.NewReader(content))
	must(w.t, err)
	return w.Media(made.MediaID)
}

// File uploads a file and lets a worker examine it.
func (w *Workspace) File(name string, content []byte) contract.Media {
	w.t.Helper()
	m := w.Upload(name, content)
	must(w.t, w.h.App.Intake().ClaimAndProcessFile(w.h.Context(), w.ID, w.MediaID(m)))
	return w.Media(m.ID)
}

// Media reads a file's record.
func (w *Workspace) Media(id string) contract.Media {
	w.t.Helper()
	m, err := w.h.App.GetMedia(w.h.Context(), w.Owner, id)
	must(w.t, err)
	return m
}

// MediaID returns the id of a file, for the store and for jobs.
func (w *Workspace) MediaID(m contract.Media) core.MediaID {
	w.t.Helper()
	id, err := core.ParseID[core.MediaKind](m.ID)
	must(w.t, err)
	return id
}

// Draft creates a draft without a time.
func (w *Workspace) Draft(text string, account contract.Account) contract.Post {
	w.t.Helper()
	return w.createPost(text, account, contract.When{Word: "draft"})
}

// Now creates a post that is due immediately.
func (w *Workspace) Now(text string, account contract.Account) contract.Post {
	w.t.Helper()
	return w.createPost(text, account, contract.When{Word: "now"})
}

// Queued creates a post for a time, which is rounded down to the minute.
func (w *Workspace) Queued(text string, account contract.Account, at time.Time) contract.Post {
	w.t.Helper()
	return w.createPost(text, account, contract.When{PublishAt: at.UTC().Format("2006-01-02T15:04"), Timezone: "UTC"})
}

func (w *Workspace) createPost(text string, account contract.Account, when contract.When) contract.Post {
	w.t.Helper()
	made, err := w.h.App.CreatePosts(w.h.Context(), w.Owner, contract.CreatePosts{
		PlanPosts: contract.PlanPosts{Targets: contract.Targets{AccountIDs: []string{account.ID}}, Text: text, When: &when},
		Confirm:   true,
	})
	must(w.t, err)
	return made.Posts[0]
}

// Use changes the plan of the workspace and signs the owner in again.
func (w *Workspace) Use(plan core.PlanName) {
	w.t.Helper()
	must(w.t, w.h.App.SetWorkspacePlan(w.h.Context(), w.Slug, plan))
	owner, err := w.h.App.AuthenticateSession(w.h.Context(), app.Session{ID: session, User: w.Owner.AttributedUser().String(), Workspace: w.ID.String(), Proof: w.proof, ProvedAt: farFuture()})
	must(w.t, err)
	w.Owner = owner
}
