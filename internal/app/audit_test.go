package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// auditLines are the rows of the audit log as text, oldest first.
func auditLines(t *testing.T, h *apptest.Harness) []string {
	t.Helper()
	rows, err := h.Pool.Query(t.Context(), `
		SELECT concat_ws(' ', action, actor, credential, workspace_id IS NOT NULL, before, after, address, request_id) FROM audit_log ORDER BY id`)
	must(t, err)
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		must(t, rows.Scan(&line))
		lines = append(lines, line)
	}
	must(t, rows.Err())
	return lines
}

func wantAudit(t *testing.T, h *apptest.Harness, from int, lines ...string) int {
	t.Helper()
	all := auditLines(t, h)
	if got, want := strings.Join(all[from:], "\n"), strings.Join(lines, "\n"); got != want {
		t.Errorf("the audit log has\n%s\nand not\n%s", got, want)
	}
	return len(all)
}

func TestTheAuditLogSaysWhoDidWhatFromWhere(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	n := len(auditLines(t, h))
	ctx := core.WithOrigin(t.Context(), core.Origin{Address: "192.0.2.7", RequestID: "REQ1"})

	_, err := h.App.SignIn(ctx, contract.SignIn{Email: ws.Email, Password: "wrong"}, from(address))
	want(t, core.CodeUnauthenticated, err)
	_, err = h.App.SignIn(ctx, contract.SignIn{Email: "nobody@example.org", Password: "wrong"}, from(address))
	want(t, core.CodeUnauthenticated, err)
	_, err = h.App.SignIn(ctx, contract.SignIn{Email: ws.Email, Password: apptest.Password}, from(address))
	must(t, err)
	must(t, h.App.VerifyOwnPasswordAndAudit(ctx, ws.Owner, apptest.Password))
	n = wantAudit(t, h, n,
		`sign_in_failed session Dashboard f 192.0.2.7 REQ1`,
		`signed_in session Dashboard f 192.0.2.7 REQ1`,
		`password_confirmed session Dashboard t 192.0.2.7 REQ1`)

	key, err := h.App.CreateKey(ctx, ws.Owner, contract.CreateKey{Name: "nightly", Scope: "write"})
	must(t, err)
	must(t, h.App.RevokeKey(ctx, ws.Owner, key.ID))
	made, err := h.App.InviteMember(ctx, ws.Owner, contract.InviteMember{Email: "ada@example.org", Role: "viewer"})
	must(t, err)
	_, err = h.App.ChangeMemberOrInvitationRole(ctx, ws.Owner, contract.EditMember{ID: made.ID, Role: "admin"})
	must(t, err)
	must(t, h.App.RemoveMemberOrInvitation(ctx, ws.Owner, made.ID))
	name := "Renamed"
	_, err = h.App.EditWorkspace(ctx, ws.Owner, contract.EditWorkspace{Name: &name})
	must(t, err)
	n = wantAudit(t, h, n,
		`key_created session Dashboard t {"name": "nightly", "scope": "write"} 192.0.2.7 REQ1`,
		`key_revoked session Dashboard t 192.0.2.7 REQ1`,
		`member_invited session Dashboard t {"role": "viewer", "email": "ada@example.org"} 192.0.2.7 REQ1`,
		`member_changed session Dashboard t {"role": "viewer"} {"role": "admin"} 192.0.2.7 REQ1`,
		`member_removed session Dashboard t {"role": "admin", "email": "ada@example.org"} 192.0.2.7 REQ1`,
		`workspace_changed session Dashboard t {"tz": "UTC", "name": "one", "slug": "one"} {"tz": "UTC", "name": "Renamed", "slug": "one"} 192.0.2.7 REQ1`)

	account := ws.Account("threads")
	must(t, h.App.DisconnectAccount(ctx, ws.Owner, account.ID))
	must(t, h.App.SetUserPassword(t.Context(), ws.Email, "another long password"))
	must(t, h.App.SetWorkspacePlan(t.Context(), "one", core.PlanFree))
	wantAudit(t, h, n,
		fmt.Sprintf(`account_connected session Dashboard t {"name": %q, "platform": "threads"}  `, account.DisplayName),
		fmt.Sprintf(`account_disconnected session Dashboard t {"name": %q} 192.0.2.7 REQ1`, account.DisplayName),
		`password_set operator  f  `,
		`plan_changed operator  t {"plan": "owner"} {"plan": "free"}  `)
}

func TestARefusedDeedLeavesNothingInTheAuditLog(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, other := h.Workspace("one"), h.Workspace("two")
	n := len(auditLines(t, h))
	want(t, core.CodeNotFound, h.App.RevokeKey(t.Context(), ws.Owner, other.Key(core.Read).ID))
	slug := "two"
	_, err := h.App.EditWorkspace(t.Context(), ws.Owner, contract.EditWorkspace{Slug: &slug})
	want(t, core.CodeConflict, err)
	wantAudit(t, h, n, `key_created session Dashboard t {"name": "a test's key", "scope": "read"}  `)
}

func TestTheAuditLogCannotBeChangedAndIsKeptForAYear(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	h.Workspace("one")
	for _, sql := range []string{"UPDATE audit_log SET actor = 'nobody'", "DELETE FROM audit_log", "TRUNCATE audit_log"} {
		if _, err := h.Pool.Exec(t.Context(), sql); err == nil ||
			!strings.Contains(err.Error(), "the audit log cannot be changed") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	h.Clock.Advance(365*24*time.Hour - time.Minute)
	must(t, h.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(context.WithoutCancel(t.Context())))
	if len(auditLines(t, h)) == 0 {
		t.Error("rows of this year are gone")
	}
	h.Clock.Advance(time.Minute)
	must(t, h.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
	if left := auditLines(t, h); len(left) > 0 {
		t.Errorf("rows of last year are left: %v", left)
	}
}

func TestOnlyAFreshPasswordChangesKeysMembersAndTheWorkspace(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	in, err := h.App.SignIn(t.Context(), contract.SignIn{Email: ws.Email, Password: apptest.Password}, from(address))
	must(t, err)
	session := sessionOf(in, h.Clock.Now())
	c, err := h.App.AuthenticateSession(t.Context(), session)
	must(t, err)
	create := func() error {
		_, err := h.App.CreateKey(t.Context(), c, contract.CreateKey{Name: "k", Scope: "read"})
		return err
	}
	h.Clock.Advance(10*time.Minute - time.Second)
	must(t, create())
	h.Clock.Advance(time.Second)
	name := "x"
	_, invite := h.App.InviteMember(t.Context(), c, contract.InviteMember{Email: "a@example.org", Role: "viewer"})
	_, edit := h.App.ChangeMemberOrInvitationRole(t.Context(), c, contract.EditMember{ID: c.AttributedUser().String(), Role: "admin"})
	_, rename := h.App.EditWorkspace(t.Context(), c, contract.EditWorkspace{Name: &name})
	for what, err := range map[string]error{
		"create a key": create(), "revoke a key": h.App.RevokeKey(t.Context(), c, "key_x"), "invite": invite,
		"edit a member":   edit,
		"remove a member": h.App.RemoveMemberOrInvitation(t.Context(), c, c.AttributedUser().String()), "edit the workspace": rename,
	} {
		if e := want(t, core.CodeInsufficientScope, err); !core.IsPasswordNeeded(err) ||
			!strings.Contains(e.Hint, "Sign in again") {
			t.Errorf("%s: %v (%s)", what, e, e.Hint)
		}
	}
	for _, op := range app.Operations() { // what the API's description says
		_, err := h.App.RunOperation(t.Context(), &op, app.Request{Caller: c, Decode: func(any) error { return nil }})
		if core.IsPasswordNeeded(err) != op.Proved {
			t.Errorf("%s: %v, and the table of operations says %t", op.Name, err, op.Proved)
		}
	}
	want(t, core.CodeInvalidRequest, h.App.VerifyOwnPasswordAndAudit(t.Context(), c, "not this one"))
	must(t, h.App.VerifyOwnPasswordAndAudit(t.Context(), c, apptest.Password))
}

func TestTheAuditLogHasWhatAPersonDecidedAboutAPost(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	at := b.Clock.Now().Add(time.Hour).UTC().Truncate(time.Minute)
	post := b.ws.Queued("hello", account, at)
	n := len(auditLines(t, b.Harness))
	_, err := b.App.CancelPost(b.Context(), b.ws.Owner, post.ID)
	must(t, err)
	lines := auditLines(t, b.Harness)[n:]
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "post_changed session Dashboard t ") ||
		!strings.Contains(lines[0], `"status": "queued"`) || !strings.Contains(lines[0], `"status": "draft"`) {
		t.Errorf("the log has %q", lines)
	}
}

func TestTheAuditLogHasChangesOfContentAndDeletions(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	post, file := b.ws.Draft("hello", account), b.ws.File("bell.jpg", mediatest.JPEG(64, 64))
	folder, err := b.App.CreateFolder(b.Context(), b.ws.Owner, contract.CreateFolder{Name: "Spring"})
	must(t, err)
	key := b.ws.Key(core.Write)
	n := len(auditLines(t, b.Harness))

	_, err = b.App.EditPost(b.Context(), key.Caller, contract.EditPost{ID: post.ID, Text: new("bye"), Tags: &[]string{"x"}})
	must(t, err)
	_, err = b.App.EditPost(b.Context(), key.Caller, contract.EditPost{ID: post.ID, Text: new("bye")})
	must(t, err)
	must(t, b.App.DeletePost(b.Context(), key.Caller, post.ID))
	_, err = b.App.EditMedia(b.Context(), b.ws.Owner, contract.EditMedia{ID: file.ID, Pinned: new(true), Tags: &[]string{"x"}})
	must(t, err)
	_, err = b.App.EditMedia(b.Context(), b.ws.Owner, contract.EditMedia{ID: file.ID, Pinned: new(true)})
	must(t, err)
	must(t, b.App.DeleteMedia(b.Context(), b.ws.Owner, file.ID))
	_, err = b.App.EditFolder(b.Context(), b.ws.Owner, contract.EditFolder{ID: folder.ID, Name: new("Summer")})
	must(t, err)
	must(t, b.App.DeleteEmptyFolder(b.Context(), b.ws.Owner, folder.ID))
	wantAudit(t, b.Harness, n,
		`post_changed api_key a test's key t {"status": "draft"} {"status": "draft", "changed": "tags, text"}  `,
		fmt.Sprintf(`post_deleted api_key a test's key t {"status": "draft", "account": %q, "platform": "threads"}  `, account.DisplayName),
		`file_changed session Dashboard t {"name": "bell.jpg", "changed": "pin, tags"}  `,
		`file_deleted session Dashboard t {"name": "bell.jpg"}  `,
		`folder_changed session Dashboard t {"name": "Spring"} {"name": "Summer"}  `,
		`folder_deleted session Dashboard t {"name": "Summer"}  `)
}

func TestAnActionOnSeveralPostsIsInTheAuditLogPostByPost(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	at := b.Clock.Now().Add(time.Hour).UTC().Truncate(time.Minute)
	posts := []contract.Post{b.ws.Queued("ding", account, at), b.ws.Queued("dong", account, at)}
	gone := b.ws.Draft("gone", account)
	must(t, b.App.DeletePost(b.Context(), b.ws.Owner, gone.ID))
	n := len(auditLines(t, b.Harness))

	cancelled := b.bulk(core.ActCancel, core.Shift{}, append(posts, gone)...)
	_, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, cancelled.Undo)
	must(t, err)
	b.bulk(core.ActCancel, core.Shift{}, posts...)
	b.bulk(core.ActDelete, core.Shift{}, posts...)

	queued := fmt.Sprintf(`{"status": "queued", "publishAt": %q}`, at.Format(time.RFC3339))
	cancel := `post_changed session Dashboard t ` + queued + ` {"status": "draft"}  `
	undo := `post_changed session Dashboard t {"status": "draft"} ` + queued + `  `
	deleted := fmt.Sprintf(`post_deleted session Dashboard t {"status": "draft", "account": %q, "platform": "threads"}  `,
		account.DisplayName)
	wantAudit(t, b.Harness, n, cancel, cancel, undo, undo, cancel, cancel, deleted, deleted)
}

// The entry of an action on several posts was written after the last of them.
func TestACrashDuringAnActionOnSeveralPostsLosesNoAuditEntry(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	posts := []contract.Post{b.ws.Draft("one", account), b.ws.Draft("two", account)}
	n := len(auditLines(t, b.Harness))
	counted, log := b.counted()
	deletions := 0
	log.before = func(sql string) {
		if strings.Contains(sql, "DELETE FROM posts") {
			if deletions++; deletions == 2 {
				panic("the process crashes")
			}
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, err := counted.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{Act: core.ActDelete, IDs: idsOf(posts)})
		t.Errorf("it did not crash: %v", err)
	}()
	wantAudit(t, b.Harness, n, fmt.Sprintf(
		`post_deleted session Dashboard t {"status": "draft", "account": %q, "platform": "threads"}  `, account.DisplayName))
}

func TestAnActionOnSeveralFilesIsOneEntryOfTheAuditLog(t *testing.T) {
	b := newBench(t)
	var files []string
	for i := range 3 {
		files = append(files, b.ws.File(fmt.Sprintf("%d.jpg", i), mediatest.JPEG(64, 64)).ID)
	}
	n := len(auditLines(t, b.Harness))
	_, err := b.App.EditFiles(b.Context(), b.ws.Owner, app.FileBatch{IDs: files, AddTag: "x"})
	must(t, err)
	_, _, err = b.App.DeleteFiles(b.Context(), b.ws.Owner, files)
	must(t, err)
	pictures := `"ids": ["` + strings.Join(files, `", "`) + `"]`
	wantAudit(t, b.Harness, n,
		`file_changed session Dashboard t {`+pictures+`, "files": 3, "changed": "tags"}  `,
		`file_deleted session Dashboard t {`+pictures+`, "files": 3}  `)
}

func TestTheAuditLogHasChangesOfGroups(t *testing.T) {
	b := newBench(t)
	one, two := b.ws.Account("threads"), b.ws.Account("facebook")
	n := len(auditLines(t, b.Harness))
	group, err := b.App.CreateGroup(b.Context(), b.ws.Owner, contract.CreateGroup{Name: "Spring", AccountIDs: []string{one.ID}})
	must(t, err)
	for range 2 {
		_, err = b.App.AddAccountToGroup(b.Context(), b.ws.Owner, group.ID, two.ID)
		must(t, err)
	}
	for range 2 {
		_, err = b.App.EditGroup(b.Context(), b.ws.Owner, contract.EditGroup{
			ID: group.ID, Name: new("Summer"), Color: new("#ff8800"), Description: new("Sunny"),
		})
		must(t, err)
	}
	for _, ids := range [][]string{{two.ID, one.ID}, {two.ID}} { // another order is no change
		_, err = b.App.EditGroup(b.Context(), b.ws.Owner, contract.EditGroup{ID: group.ID, AccountIDs: &ids})
		must(t, err)
	}
	must(t, b.App.DeleteGroup(b.Context(), b.ws.Owner, group.ID))
	wantAudit(t, b.Harness, n,
		fmt.Sprintf(`group_created session Dashboard t {"name": "Spring", "accounts": [%q]}  `, one.ID),
		fmt.Sprintf(`group_changed session Dashboard t {"name": "Spring", "accounts": [%q]} {"changed": "accounts", "accounts": [%q, %q]}  `,
			one.ID, one.ID, two.ID),
		`group_changed session Dashboard t {"name": "Spring"} {"name": "Summer", "changed": "color, description"}  `,
		fmt.Sprintf(`group_changed session Dashboard t {"name": "Summer", "accounts": [%q, %q]} {"changed": "accounts", "accounts": [%q]}  `,
			one.ID, two.ID, two.ID),
		fmt.Sprintf(`group_deleted session Dashboard t {"name": "Summer", "accounts": [%q]}  `, two.ID))
}

// A write that only existing accounts caused told by the time of the answer which addresses exist.
func TestAWrongPasswordSendsTheSameStatementsWhetherTheAccountExists(t *testing.T) {
	b := newBench(t)
	counted, log := b.counted()
	send := func(email string) []string {
		log.sent = nil
		browser := from(address)
		browser.DeviceCookie = "a cookie of somebody"
		_, err := counted.SignIn(t.Context(), contract.SignIn{Email: email, Password: "wrong"}, browser)
		want(t, core.CodeUnauthenticated, err)
		return log.sent
	}
	send("warms@up.example.org")
	known, unknown := send(b.ws.Email), send("nobody@example.org")
	if diff := cmp.Diff(known, unknown); diff != "" || len(known) == 0 {
		t.Errorf("the statements differ (-known +unknown):\n%s", diff)
	}
}

func TestAChosenProfileIsInTheAuditLog(t *testing.T) {
	b := newBench(t)
	start, err := b.App.StartConnect(t.Context(), b.ws.Owner, contract.Connect{Platform: "facebook"})
	must(t, err)
	offered, err := finish(t, b.Harness, b.ws, "facebook", b.ConsentAll(start.AuthorizeURL))
	must(t, err)
	n := len(auditLines(t, b.Harness))
	_, err = b.App.ConnectChosenProfiles(t.Context(), b.ws.Owner, offered.Choice, []string{offered.Profiles[0].ExternalID})
	must(t, err)
	if all := auditLines(t, b.Harness); len(all) != n+1 || !strings.HasPrefix(all[n], "account_connected ") {
		t.Errorf("after choosing a profile the audit log has %q", all[n:])
	}
}
