package app_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/mail"
	"belfry/internal/mail/mailtest"
	"belfry/internal/network/sim"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// postOffice is a harness with a mail server.
type postOffice struct {
	*apptest.Harness
	t      *testing.T
	server *mailtest.Server
}

func newPostOffice(t *testing.T) *postOffice {
	t.Helper()
	server := mailtest.New(t)
	h := apptest.New(t, func(c *app.Config) {
		sender, err := mail.NewSender(server.URL(), "Belfry <belfry@example.org>")
		must(t, err)
		c.Mail = sender
	})
	return &postOffice{h, t, server}
}

// jobsOf returns the arguments of jobs of a kind.
func jobsOf[J queue.Job](t *testing.T, h *apptest.Harness) []J {
	t.Helper()
	var kind J
	rows, err := h.Pool.Query(t.Context(), `SELECT args FROM river_job WHERE kind = $1 ORDER BY id`, kind.Kind())
	must(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[J])
	must(t, err)
	return all
}

// deliver works all jobs about mail, and returns what has arrived since the last call.
func (o *postOffice) deliver() []mailtest.Mail {
	o.t.Helper()
	before := len(o.server.Received())
	for _, job := range jobsOf[queue.PasswordReset](o.t, o.Harness) {
		must(o.t, o.App.QueuePasswordResetEmailIfValid(o.t.Context(), job.Sealed))
	}
	_, err := o.Pool.Exec(o.t.Context(), `DELETE FROM river_job WHERE kind = 'password_reset'`)
	must(o.t, err)
	for _, job := range jobsOf[queue.Mail](o.t, o.Harness) {
		must(o.t, o.App.SendAndDeleteQueuedMail(o.t.Context(), job.ID))
	}
	return o.server.Received()[before:]
}

func (o *postOffice) waitingMails() (n int) {
	o.t.Helper()
	must(o.t, o.Pool.QueryRow(o.t.Context(), `SELECT count(*) FROM mails`).Scan(&n))
	return n
}

// linkIn returns the link with a path in a text.
func linkIn(t *testing.T, text, path string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, apptest.PublicURL+path)
	if !ok {
		t.Fatalf("no link to %s in:\n%s", path, text)
	}
	token, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(token)
}

func TestAnInvitationIsMailedOnceAndItsLinkWorks(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("Harbour Bakery")
	made := ws.Invite("ben@example.org", core.RoleEditor)
	got := o.deliver()
	if len(got) != 1 || got[0].To != "ben@example.org" || !strings.Contains(got[0].Subject, "Harbour Bakery") {
		t.Fatalf("received %+v", got)
	}
	if !strings.Contains(got[0].Text, "Owner of Harbour Bakery") || !strings.Contains(got[0].Text, "as an editor") {
		t.Errorf("the email does not say who invites, and as what: %s", got[0].Text)
	}
	if link := apptest.PublicURL + "/invitations/" + linkIn(t, got[0].Text, "/invitations/"); link != made.InviteURL {
		t.Errorf("the email links to %s, the answer to %s", link, made.InviteURL)
	}
	if again := o.deliver(); len(again) != 0 {
		t.Errorf("the same email arrived twice: %+v", again)
	}
	if o.waitingMails() != 0 {
		t.Error("an email that was sent is kept")
	}
}

func TestARefusedInvitationMailsNothing(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.WorkspaceOn(core.PlanFree, "one", "UTC")
	_, err := o.App.InviteMember(t.Context(), ws.Owner, contract.InviteMember{Email: "ben@example.org", Role: "editor"})
	want(t, core.CodeQuotaExceeded, err)
	if len(o.deliver()) != 0 || o.waitingMails() != 0 {
		t.Error("an email was queued")
	}
}

func TestARefusedInvitationCountsForNoAddress(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	full, other := o.WorkspaceOn(core.PlanFree, "one", "UTC"), o.Workspace("other")
	for range 3 {
		_, err := o.App.InviteMember(t.Context(), full.Owner, contract.InviteMember{Email: "ben@example.org", Role: "editor"})
		want(t, core.CodeQuotaExceeded, err)
	}
	if made := other.Invite("ben@example.org", core.RoleEditor); !made.Emailed {
		t.Error("three refused invitations used up the address's emails")
	}
}

func TestAWorkspaceSendsFewInvitationsAtOnce(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	for range 30 {
		ws.Invite("ben@example.org", core.RoleEditor)
	}
	_, err := o.App.InviteMember(t.Context(), ws.Owner, contract.InviteMember{Email: "ben@example.org", Role: "editor"})
	want(t, core.CodeRateLimited, err)
}

// Sixty invitations of two workspaces sent 26 emails to somebody who knew neither.
func TestAStrangerGetsFewInvitationsByEmailFromAllWorkspaces(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	one, two := o.Workspace("one"), o.Workspace("two")
	for i := range 10 {
		for _, ws := range []*apptest.Workspace{one, two} {
			made := ws.Invite([]string{"ben@example.org", "Ben@example.org"}[i%2], core.RoleEditor)
			if made.InviteURL == "" || made.Emailed && i > 1 {
				t.Errorf("invitation %d: %+v", i, made)
			}
		}
	}
	if got := o.deliver(); len(got) != 3 {
		t.Errorf("%d emails arrived", len(got))
	}
	if !one.Invite("ada@example.org", core.RoleEditor).Emailed {
		t.Error("another address gets none")
	}
	o.deliver()
	o.Clock.Advance(24 * time.Hour)
	if !one.Invite("ben@example.org", core.RoleEditor).Emailed || len(o.deliver()) != 1 {
		t.Error("no email on the next day")
	}
}

func TestTheDatabaseHoldsNoLinkInPlain(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	token := linkIn(t, o.Workspace("one").Invite("ben@example.org", core.RoleEditor).InviteURL, "/invitations/")
	for _, sql := range []string{
		`SELECT coalesce(string_agg(args::text, ''), '') FROM river_job`,
		`SELECT coalesce(string_agg(encode(sealed, 'escape'), ''), '') FROM mails`,
	} {
		var all string
		must(t, o.Pool.QueryRow(t.Context(), sql).Scan(&all))
		if all == "" || strings.Contains(all, token) || strings.Contains(all, "ben@example.org") {
			t.Errorf("%s gives %q", sql, all)
		}
	}
}

func TestMailIsTriedAgainUntilTheServerRefusesItForGood(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	o.Workspace("one").Invite("ben@example.org", core.RoleEditor)
	id := jobsOf[queue.Mail](t, o.Harness)[0].ID
	o.server.Refuse("451 later")
	if err := o.App.SendAndDeleteQueuedMail(t.Context(), id); err == nil || errors.Is(err, mail.ErrRefused) || o.waitingMails() != 1 {
		t.Errorf("not tried again: %v", err)
	}
	o.server.Refuse("550 no such mailbox")
	if err := o.App.SendAndDeleteQueuedMail(t.Context(), id); err != nil || o.waitingMails() != 0 {
		t.Errorf("tried for ever: %v", err)
	}
}

func TestAMailThatCameTooLateIsNotSent(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	o.Workspace("one").Invite("ben@example.org", core.RoleEditor)
	o.Clock.Advance(7 * 24 * time.Hour)
	if len(o.deliver()) != 0 || o.waitingMails() != 0 {
		t.Error("an expired invitation was sent, or is kept")
	}
}

func TestKeptMailIsShownAndNotSent(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, func(c *app.Config) { c.Outbox = true })
	made := h.Workspace("one").Invite("ben@example.org", core.RoleEditor)
	must(t, h.App.SendAndDeleteQueuedMail(t.Context(), jobsOf[queue.Mail](t, h)[0].ID))
	kept, err := h.App.ListNewestKeptMails(t.Context())
	must(t, err)
	if len(kept) != 1 || kept[0].To != "ben@example.org" || kept[0].Letter.Action.URL != made.InviteURL {
		t.Errorf("the outbox has %+v", kept)
	}
	off := apptest.New(t)
	off.Workspace("one").Invite("ben@example.org", core.RoleEditor)
	if _, err := off.App.ListNewestKeptMails(t.Context()); core.CodeOf(err) != core.CodeNotFound || len(jobsOf[queue.Mail](t, off)) != 0 {
		t.Errorf("a server without email has an outbox: %v", err)
	}
}

// fail makes posts that their network refuses.
func (o *postOffice) fail(ws *apptest.Workspace, by core.Caller, account contract.Account, texts ...string) {
	o.t.Helper()
	for _, text := range texts {
		o.Fault(sim.Fault{Network: account.Platform, Call: "create", Kind: sim.Reject, Message: "Not today"})
		made, err := o.App.CreatePosts(o.t.Context(), by, contract.CreatePosts{
			PlanPosts: contract.PlanPosts{
				Targets: contract.Targets{AccountIDs: []string{account.ID}}, Text: text, When: &contract.When{Word: "now"},
			}, Confirm: true,
		})
		must(o.t, err)
		if p := ws.Work(made.Posts[0]); p.Status != string(core.PostFailed) {
			o.t.Fatalf("the post is %s", p.StatusLine)
		}
	}
}

// tell lets the worker tell about problems after a while, and returns what arrives, by reader.
func (o *postOffice) tell(after time.Duration) map[string]mailtest.Mail {
	o.t.Helper()
	o.Clock.Advance(after)
	must(o.t, o.App.QueueAlertEmails(o.t.Context()))
	byReader := map[string]mailtest.Mail{}
	for _, m := range o.deliver() {
		if _, twice := byReader[m.To]; twice {
			o.t.Errorf("%s gets two emails at once", m.To)
		}
		byReader[m.To] = m
	}
	return byReader
}

func (o *postOffice) email(ws *apptest.Workspace, c core.Caller) string {
	o.t.Helper()
	list, err := o.App.ListMembersAndInvitations(o.t.Context(), ws.Owner)
	must(o.t, err)
	for _, m := range list.Members {
		if m.ID == c.AttributedUser().String() {
			return m.Email
		}
	}
	o.t.Fatal("no such member")
	return ""
}

func TestTenPostsThatFailForOneReasonAreOneMail(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	account := ws.Account("threads")
	var texts []string
	for i := range 10 {
		texts = append(texts, fmt.Sprintf("Post number %d", i))
	}
	o.fail(ws, ws.Owner, account, texts...)
	if early := o.tell(time.Minute); len(early) != 0 {
		t.Errorf("told before all are in: %v", early)
	}
	got := o.tell(2 * time.Minute)[ws.Email]
	if got.Subject != "10 posts in one failed" {
		t.Errorf("the subject is %q", got.Subject)
	}
	for _, text := range append(texts, "Not today") {
		if !strings.Contains(got.Text, text) {
			t.Errorf("the email lacks %q:\n%s", text, got.Text)
		}
	}
	// More of the same soon after is told later, and then once.
	o.fail(ws, ws.Owner, account, "Once more")
	if soon := o.tell(5 * time.Minute); len(soon) != 0 {
		t.Errorf("told again at once: %v", soon)
	}
	if later := o.tell(30 * time.Minute)[ws.Email]; !strings.HasPrefix(later.Subject, "A post to ") ||
		strings.Contains(later.Text, "Post number") {
		t.Errorf("told later: %+v", later)
	}
	if again := o.tell(time.Hour); len(again) != 0 {
		t.Errorf("told once more: %v", again)
	}
}

func TestAMailListsTwentyFailedPostsAndCountsTheOthers(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	account, editor := ws.Account("threads"), ws.Member(core.RoleEditor)
	for by, n := range map[core.Caller]int{ws.Owner: 22, editor: 3} {
		for i := range n {
			_, err := o.App.CreatePosts(t.Context(), by, contract.CreatePosts{PlanPosts: contract.PlanPosts{
				Targets: contract.Targets{AccountIDs: []string{account.ID}}, Text: fmt.Sprintf("By %s, %d", by.Role(), i),
				When: &contract.When{Word: "draft"},
			}, Confirm: true})
			must(t, err)
		}
	}
	_, err := o.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed', error_code = 'rejected'`)
	must(t, err)
	found, err := o.Store.In(ws.ID).FailedPostsWithoutRetryAmong(t.Context(), postIDs(t, o.Harness), 20)
	if err != nil || len(found) != 23 {
		t.Errorf("%d posts are read: %v", len(found), err)
	}
	got := o.tell(3 * time.Minute)
	if m := got[ws.Email]; m.Subject != "25 posts in one failed" || !strings.Contains(m.Text, "and 5 more") {
		t.Errorf("the owner gets %s", m.Text)
	}
	if m := got[o.email(ws, editor)]; m.Subject != "3 posts in one failed" || strings.Contains(m.Text, " more") {
		t.Errorf("the editor gets %s", m.Text)
	}
}

func TestAMailNamesAPostByItsTitleOnlyIfThatIsPublished(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	_, err := o.App.CreatePosts(t.Context(), ws.Owner, contract.CreatePosts{PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{ws.Account("threads").ID, ws.Account("facebook").ID}},
		Title:   "At dawn", Text: "A quiet minute", When: &contract.When{Word: "draft"},
	}, Confirm: true})
	must(t, err)
	_, err = o.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed', error_code = 'rejected'`)
	must(t, err)
	text := o.tell(3 * time.Minute)[ws.Email].Text
	if strings.Count(text, "At dawn") != 1 || strings.Count(text, "A quiet minute") != 1 {
		t.Errorf("the owner gets %s", text)
	}
}

func postIDs(t *testing.T, h *apptest.Harness) []core.PostID {
	t.Helper()
	rows, err := h.Pool.Query(t.Context(), `SELECT id FROM posts`)
	must(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[core.PostID])
	must(t, err)
	return ids
}

func TestAWorkspaceThatCannotBeToldDoesNotKeepOthersFromIt(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	one, two := o.Workspace("one"), o.Workspace("two")
	accounts := map[*apptest.Workspace]contract.Account{one: one.Account("threads"), two: two.Account("threads")}
	for told, broken := range map[*apptest.Workspace]*apptest.Workspace{one: two, two: one} { // whichever comes first
		for ws, account := range accounts {
			o.fail(ws, ws.Owner, account, "Refused")
		}
		id, err := broken.ID.Value()
		must(t, err)
		_, err = o.Pool.Exec(t.Context(),
			fmt.Sprintf(`ALTER TABLE mails ADD CONSTRAINT broken CHECK (workspace_id <> '%s')`, id))
		must(t, err)
		o.Clock.Advance(time.Hour)
		if o.App.QueueAlertEmails(t.Context()) == nil {
			t.Error("the error is not returned")
		}
		if got := o.deliver(); len(got) != 1 || got[0].To != told.Email {
			t.Errorf("received %+v", got)
		}
		_, err = o.Pool.Exec(t.Context(), `ALTER TABLE mails DROP CONSTRAINT broken`)
		must(t, err)
	}
}

func TestMembersAreNotToldAboutOldProblems(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	o.fail(ws, ws.Owner, ws.Account("threads"), "Long ago")
	if got := o.tell(8 * 24 * time.Hour); len(got) != 0 {
		t.Errorf("told: %v", got)
	}
	must(t, o.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
	var left int
	must(t, o.Pool.QueryRow(t.Context(), `SELECT count(*) FROM alerts`).Scan(&left))
	if left != 0 {
		t.Error("old alerts are kept")
	}
}

// The trigger that writes alerts knows the same codes as core.LostAccessCodes.
func TestAPostThatLostItsAccountIsAnAlertAboutTheAccount(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	ws.Draft("A draft", ws.Account("threads"))
	codes := append(core.LostAccessCodes(), core.ErrorRejected, core.ErrorUnreachable, core.ErrorOutcomeUnknown)
	for _, issue := range core.AllIssueTexts() {
		codes = append(codes, string(issue.Code))
	}
	for _, code := range codes {
		_, err := o.Pool.Exec(t.Context(), `DELETE FROM alerts`)
		must(t, err)
		_, err = o.Pool.Exec(t.Context(), `UPDATE posts SET status = 'draft'`)
		must(t, err)
		_, err = o.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed', error_code = $1`, code)
		must(t, err)
		var account bool
		must(t, o.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM alerts WHERE kind = 'account')`).Scan(&account))
		if lost := (core.PostError{Code: code}).IsLostAccess(); account != lost {
			t.Errorf("%s: an alert about the account %v, lost %v", code, account, lost)
		}
	}
}

func TestMembersAreToldAboutTheProblemsTheyChose(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	account := ws.Account("threads")
	admin, editor, other := ws.Member(core.RoleAdmin), ws.Member(core.RoleEditor), ws.Member(core.RoleEditor)
	quiet, viewer, curious := ws.Member(core.RoleAdmin), ws.Member(core.RoleViewer), ws.Member(core.RoleViewer)
	must(t, o.App.SetMailChoice(t.Context(), quiet, string(core.MailNone)))
	must(t, o.App.SetMailChoice(t.Context(), curious, string(core.MailAll)))
	o.fail(ws, editor, account, "The editor's post")
	got := o.tell(3 * time.Minute)
	for who, gets := range map[core.Caller]bool{
		ws.Owner: true, admin: true, editor: true, other: false, quiet: false, viewer: false, curious: true,
	} {
		if _, told := got[o.email(ws, who)]; told != gets {
			t.Errorf("%s %s told: %v", who.Role(), o.email(ws, who), told)
		}
	}
}

func TestAnAccountThatNeedsReconnectingIsOneMail(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	account := ws.Account("threads")
	editor := ws.Member(core.RoleEditor)
	_, err := o.Pool.Exec(t.Context(), `UPDATE accounts SET status = 'revoked', status_reason = 'Access was removed.'`)
	must(t, err)
	p, err := o.App.CreatePosts(t.Context(), editor, contract.CreatePosts{PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{account.ID}}, Text: "Later", When: &contract.When{Word: "draft"},
	}, Confirm: true})
	must(t, err)
	_, err = o.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed', error_code = 'account_revoked'`)
	must(t, err)
	got := o.tell(3 * time.Minute)
	if m := got[ws.Email]; m.Subject != "Reconnect "+account.DisplayName+" on Threads" ||
		!strings.Contains(m.Text, "Access was removed.") {
		t.Errorf("the owner gets %+v", m)
	}
	if m := got[o.email(ws, editor)]; !strings.HasPrefix(m.Subject, "A post to ") ||
		!strings.Contains(m.Text, p.Posts[0].ID) {
		t.Errorf("the editor gets %+v", m)
	}
}

// The email about an account covers the posts that failed for want of access. Once the account was reconnected, there was
// no such email, and nobody was told about the posts.
func TestAPostWhoseAccountWasReconnectedInTheMeantimeIsToldAboutAsAFailedPost(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	account, lost := ws.Account("threads", "one"), ws.Account("threads", "two")
	for text, a := range map[string]contract.Account{"Unheard of": account, "Covered": lost} {
		o.Fault(sim.Fault{Network: "threads", Call: "create", Kind: sim.TokenRevoked, Times: new(1)})
		if p := ws.Work(ws.Now(text, a)); p.Error == nil || p.Error.Code != "account_revoked" {
			t.Fatalf("the post is %s", p.StatusLine)
		}
	}
	ws.Reconnect(account)
	o.Clock.Advance(3 * time.Minute)
	must(t, o.App.QueueAlertEmails(t.Context()))
	var subjects []string
	for _, m := range o.deliver() {
		subjects = append(subjects, m.Subject)
		if strings.HasPrefix(m.Subject, "A post") &&
			(!strings.Contains(m.Text, "Unheard of") || strings.Contains(m.Text, "Covered")) {
			t.Errorf("the email about the post is %s", m.Text)
		}
	}
	slices.Sort(subjects)
	want := []string{
		"A post to " + account.DisplayName + " on Threads failed", "Reconnect " + lost.DisplayName + " on Threads",
	}
	if !slices.Equal(subjects, want) {
		t.Errorf("told: %q, want %q", subjects, want)
	}
}

// The post failed before the backup, and a retry after the backup may have published it.
func TestAPostThatMayBePublishedAfterARestoreIsToldAboutByEmailAndInTheTimeline(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	o.fail(ws, ws.Owner, ws.Account("threads"), "Refused, then retried")
	o.tell(3 * time.Minute)
	list, err := o.App.ListPosts(t.Context(), ws.Owner, contract.ListPosts{})
	must(t, err)
	id, err := core.ParseID[core.PostKind](list.Posts[0].ID)
	must(t, err)
	receipts := []store.RestoredReceipt{{Workspace: ws.ID, Post: id, ArmedAt: o.Clock.Now()}}
	must(t, o.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, receipts))
	_, err = o.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
	must(t, err)
	got := o.tell(3 * time.Minute)[ws.Email]
	if !strings.HasSuffix(got.Subject, "may not have been published") || !strings.Contains(got.Text, "restored backup") {
		t.Errorf("the email is %+v", got)
	}
	events, err := o.App.ListPostEventsAndNextRetry(t.Context(), ws.Owner, id.String())
	must(t, err)
	last := events.Events[len(events.Events)-1]
	if last.Kind != "failed" || !strings.Contains(last.Message, "restored backup") {
		t.Errorf("the timeline says %+v", last)
	}
}

func TestWhatWasSolvedMeanwhileIsNotTold(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	account := ws.Account("threads")
	o.fail(ws, ws.Owner, account, "Soon retried")
	list, err := o.App.ListPosts(t.Context(), ws.Owner, contract.ListPosts{})
	must(t, err)
	if p := ws.Work(ws.Retry(list.Posts[0])); p.Status == string(core.PostFailed) {
		t.Fatal(p.StatusLine)
	}
	must(t, o.App.DisconnectAccount(t.Context(), ws.Owner, ws.Account("facebook").ID))
	if got := o.tell(3 * time.Minute); len(got) != 0 {
		t.Errorf("told: %v", got)
	}
}

func TestReplicasTellOnce(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	o.fail(ws, ws.Owner, ws.Account("threads"), "Told once")
	o.Clock.Advance(3 * time.Minute)
	told := make(chan error)
	for range 4 {
		replica := o.Replica()
		go func() { told <- replica.QueueAlertEmails(t.Context()) }()
	}
	for range 4 {
		must(t, <-told)
	}
	if n := len(o.deliver()); n != 1 {
		t.Errorf("%d emails", n)
	}
}

// The person whose account it is asks the network to have their data deleted. This ends what the workspace has planned.
func TestAnErasureIsToldAboutByEmailAndInTheTimeline(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	post := ws.Queued("queued", ws.Account("facebook", "Harbour Bakery"), o.Clock.Now().Add(time.Hour))
	request := signedRequest("data-deletion", person, o.Clock.Now())
	_, err := o.App.VerifyCallbackAndUpdateAccounts(t.Context(), "facebook", request)
	must(t, err)
	o.WorkErasures()
	got := o.tell(3 * time.Minute)[ws.Email]
	if got.Subject != "An account on Facebook was disconnected" || !strings.Contains(got.Text, "now drafts") ||
		strings.Contains(got.Text, "Reconnect") || strings.Contains(got.Text, "Harbour Bakery") {
		t.Errorf("the email is %+v", got)
	}
	events, err := o.App.ListPostEventsAndNextRetry(t.Context(), ws.Owner, post.ID)
	must(t, err)
	last := events.Events[len(events.Events)-1]
	if last.Kind != "cancelled" || !strings.Contains(last.Message, "delete their data") {
		t.Errorf("the timeline says %+v", last)
	}
}

// Reconnecting cannot bring back an erased account, and what is lost with it does not concern the other account.
func TestAnErasureIsNotToldAboutWithAnAccountThatNeedsReconnecting(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	ws := o.Workspace("one")
	lost := ws.Account("threads")
	ws.Account("facebook", "Harbour Bakery")
	request := signedRequest("data-deletion", person, o.Clock.Now())
	_, err := o.App.VerifyCallbackAndUpdateAccounts(t.Context(), "facebook", request)
	must(t, err)
	o.WorkErasures()
	_, err = o.Pool.Exec(t.Context(), `UPDATE accounts SET status = 'revoked', status_reason = 'Access was removed.'
		WHERE platform = 'threads'`)
	must(t, err)
	o.Clock.Advance(3 * time.Minute)
	must(t, o.App.QueueAlertEmails(t.Context()))
	got := map[string]string{}
	for _, m := range o.deliver() {
		got[m.Subject] = m.Text
	}
	reconnect, erasure := got["Reconnect "+lost.DisplayName+" on Threads"], got["An account on Facebook was disconnected"]
	if len(got) != 2 || !strings.Contains(reconnect, "Access was removed.") || strings.Contains(reconnect, "on Facebook") {
		t.Errorf("the email about the lost account is %q of %v", reconnect, got)
	}
	if !strings.Contains(erasure, "now drafts") || strings.Contains(erasure, "on Threads") {
		t.Errorf("the email about the erased account is %q", erasure)
	}
}
