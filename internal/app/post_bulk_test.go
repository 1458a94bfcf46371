package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func (b *bench) bulk(act core.Act, by core.Shift, posts ...contract.Post) app.BulkResult {
	b.t.Helper()
	got, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{Act: act, IDs: idsOf(posts), Shift: by})
	must(b.t, err)
	return got
}

func idsOf(posts []contract.Post) []string {
	var ids []string
	for _, p := range posts {
		ids = append(ids, p.ID)
	}
	return ids
}

// statuses returns the states of posts.
func (b *bench) statuses(posts ...contract.Post) []string {
	b.t.Helper()
	var list []string
	for _, p := range posts {
		list = append(list, b.ws.Post(p).Status)
	}
	return list
}

func (b *bench) wantsStatuses(want string, posts ...contract.Post) {
	b.t.Helper()
	for _, got := range b.statuses(posts...) {
		if got != want {
			b.t.Errorf("the posts are %v, want %s", b.statuses(posts...), want)
			return
		}
	}
}

func TestPostsAreMovedTogetherAndThoseThatCannotBeAreNamed(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	tomorrow := b.Clock.Now().AddDate(0, 0, 1)
	soon, late := b.ws.Queued("soon", account, tomorrow.Add(-20*time.Hour)), b.ws.Queued("late", account, tomorrow)
	sketch := b.ws.Draft("a sketch", account)
	got := b.bulk(core.ActReschedule, core.Shift{Hours: -5}, soon, late, sketch)
	if got.Done != 1 || len(got.Undo) != 1 || got.Undo[0].ID != late.ID || len(got.Refused) != 2 {
		t.Fatalf("the result is %+v", got)
	}
	if r := got.Refused[0]; r.ID != soon.ID || r.Cause.Rows[0].Issues[0].Code != core.IssueTimeInPast.Code {
		t.Errorf("the first refusal is %+v", r)
	}
	if r := got.Refused[1]; r.ID != sketch.ID || r.Cause.Message != "The draft has no time yet." {
		t.Errorf("the second refusal is %+v", r)
	}
	if at := b.ws.Post(late).PublishAt; !at.Equal(tomorrow.Add(-5 * time.Hour)) {
		t.Errorf("it is moved to %s", at)
	}
	if at := b.ws.Post(soon).PublishAt; !at.Equal(soon.PublishAt.Time) {
		t.Errorf("the refused one is moved to %s", at)
	}
}

func TestEachActionOnSeveralPosts(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	at := b.Clock.Now().Add(time.Hour)
	one, two := b.ws.Queued("one", account, at), b.ws.Queued("two", account, at)
	live := b.ws.Work(b.ws.Now("live", account))
	b.Fault(fault("create", "reject"))
	failed := b.ws.Work(b.ws.Now("failed", account))

	if got := b.bulk(core.ActCancel, core.Shift{}, one, two, live, failed); got.Done != 2 || len(got.Refused) != 2 {
		t.Errorf("cancelled: %+v", got)
	}
	b.wantsStatuses("draft", one, two)
	if got := b.bulk(core.ActDuplicate, core.Shift{}, one, live, failed); got.Done != 3 || len(got.Undo) != 0 {
		t.Errorf("duplicated: %+v", got)
	}
	if got := b.bulk(core.ActRetry, core.Shift{}, failed, one); got.Done != 1 || got.Refused[0].ID != one.ID {
		t.Errorf("retried: %+v", got)
	}
	b.wantsStatuses("queued", failed)
	if got := b.bulk(core.ActDelete, core.Shift{}, one, one, two, failed, live); got.Done != 2 || len(got.Refused) != 2 {
		t.Errorf("deleted: %+v", got)
	}
	if got := b.bulk(core.ActDelete, core.Shift{}, one); got.Refused[0].Cause.Message != "The post was deleted in the meantime." {
		t.Errorf("deleted twice: %+v", got)
	}
}

// The calendar showed three copies of one message as three entries.
func TestCopiesOfPostsOfOneRequestStayTogether(t *testing.T) {
	b := newBench(t)
	first, second := b.ws.Account("threads"), b.ws.Account("facebook")
	both, err := b.App.CreatePosts(b.Context(), b.ws.Owner, request("to both", draft(), first, second))
	must(t, err)
	b.Clock.Advance(time.Second)
	other := b.ws.Draft("another", first)
	made := b.bulk(core.ActDuplicate, core.Shift{}, both.Posts[0], other, both.Posts[1]).Made
	var created []time.Time
	for _, id := range made {
		created = append(created, b.ws.Post(contract.Post{ID: id}).CreatedAt.Time)
	}
	if len(created) != 3 || !created[0].Equal(created[2]) || created[0].Equal(created[1]) {
		t.Errorf("the copies were created at %v", created)
	}
}

func TestAPostThatMayBeLiveIsNotCopiedWithOthers(t *testing.T) {
	b := newBench(t)
	post := b.ws.Draft("perhaps live", b.ws.Account("threads"))
	_, err := b.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed', error_code = 'outcome_unknown'`)
	must(t, err)
	got := b.bulk(core.ActDuplicate, core.Shift{}, post)
	if got.Done != 0 || len(got.Refused) != 1 || !strings.HasPrefix(got.Refused[0].Cause.Message, "Belfry does not know") {
		t.Errorf("the result is %+v", got)
	}
}

func TestAnActionOnSeveralPostsIsUndone(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	at := b.Clock.Now().Add(time.Hour)
	one, two := b.ws.Queued("one", account, at), b.ws.Queued("two", account, at.Add(time.Hour))
	undo := func(r app.BulkResult) app.BulkResult {
		t.Helper()
		got, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, r.Undo)
		must(t, err)
		return got
	}
	asBefore := func(after string) {
		t.Helper()
		for _, p := range []contract.Post{one, two} {
			if got := b.ws.Post(p); got.Status != "queued" || !got.PublishAt.Equal(p.PublishAt.Time) || got.TZ != p.TZ {
				t.Errorf("after %s, a post is %s", after, got.StatusLine)
			}
		}
		if b.used() != 2 {
			t.Errorf("after %s, %d slots are used", after, b.used())
		}
	}
	undo(b.bulk(core.ActReschedule, core.Shift{Days: 3}, one, two))
	asBefore("moving")
	elsewhere := local("2026-10-31T10:00", "America/New_York")
	_, before, err := b.App.EditPostWithUndo(b.Context(), b.ws.Owner, contract.EditPost{ID: one.ID, When: &elsewhere})
	must(t, err)
	undo(app.BulkResult{Undo: []app.PostSchedule{before}})
	asBefore("a new zone")
	undo(b.bulk(core.ActCancel, core.Shift{}, one, two))
	asBefore("cancelling")

	cancelled := b.bulk(core.ActCancel, core.Shift{}, one, two)
	b.Clock.Set(at.Add(time.Hour))
	if got := undo(cancelled); got.Done != 1 || len(got.Refused) != 1 || got.Refused[0].ID != one.ID {
		t.Errorf("undone after the first one's time: %+v", got)
	}
}

func TestUndoLeavesWhatWasChangedSince(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	at := b.Clock.Now().Add(24 * time.Hour)
	when := local("2026-10-20T10:00", "UTC")
	for name, change := range map[string]func(contract.Post){
		"another time": func(p contract.Post) { b.edit(p, contract.EditPost{When: &when}) },
		"cancelled": func(p contract.Post) {
			_, err := b.App.CancelPost(b.Context(), b.ws.Owner, p.ID)
			must(t, err)
		},
	} {
		post := b.ws.Queued(name, account, at)
		moved := b.bulk(core.ActReschedule, core.Shift{Days: 1}, post)
		change(post)
		want := b.ws.Post(post).StatusLine
		got, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, moved.Undo)
		must(t, err)
		if is := b.ws.Post(post).StatusLine; is != want {
			t.Errorf("%s: it was %s, and undone is %s", name, want, is)
		}
		if len(got.Refused) != 1 || got.Refused[0].Cause.Message != "The post was changed in the meantime, so its time and status stay as they are." {
			t.Errorf("%s: %+v", name, got)
		}
	}
	draft := b.ws.Draft("a draft", account)
	sent, err := b.App.SendPostAfterUndoDelay(b.Context(), b.ws.Owner, draft.ID, "")
	must(t, err)
	b.edit(draft, contract.EditPost{When: &when})
	got, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, []app.PostSchedule{sent})
	must(t, err)
	if len(got.Refused) != 1 || b.ws.Post(draft).Status != "queued" {
		t.Errorf("a post with a new time is a draft again: %+v", got)
	}
}

// Undo turned a post into a draft that a colleague had queued, because only the content and the time were compared.
func TestUndoLeavesPostsThatSomebodyElseQueuedOrCancelled(t *testing.T) {
	b := newBench(t)
	when := local("2026-10-20T10:00", "UTC")
	account := b.ws.Account("threads")
	draft, queued := b.ws.Draft("a draft", account), b.ws.Queued("queued", account, b.Clock.Now().Add(time.Hour))
	var undo []app.PostSchedule
	for _, p := range []contract.Post{draft, queued} {
		_, before, err := b.App.EditPostWithUndo(b.Context(), b.ws.Owner, contract.EditPost{ID: p.ID, When: &when})
		must(t, err)
		undo = append(undo, before)
	}
	b.edit(draft, contract.EditPost{Status: "queued"})
	_, err := b.App.CancelPost(b.Context(), b.ws.Owner, queued.ID)
	must(t, err)
	b.edit(queued, contract.EditPost{When: &when})
	got, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, undo)
	must(t, err)
	if len(got.Refused) != 2 {
		t.Errorf("the result is %+v", got)
	}
	if is := b.statuses(draft, queued); !slices.Equal(is, []string{"queued", "draft"}) {
		t.Errorf("the posts are %v", is)
	}
}

func TestOnlyASchedulePostsCanHaveIsRestored(t *testing.T) {
	b := newBench(t)
	post := b.ws.Queued("hello", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour))
	before, err := b.App.SendPostAfterUndoDelay(b.Context(), b.ws.Owner, post.ID, "")
	must(t, err)
	with := func(status core.PostStatus, at time.Time) app.PostSchedule {
		return app.PostSchedule{ID: post.ID, Status: status, At: at, Revision: before.Revision}
	}
	for name, list := range map[string][]app.PostSchedule{
		"live":        {with(core.PostLive, before.At)},
		"no revision": {{ID: post.ID, Status: core.PostDraft}},
		"twice":       {before, with(core.PostDraft, before.At)},
	} {
		if _, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, list); core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, at := range []time.Time{b.Clock.Now().AddDate(2, 0, 0), b.Clock.Now().AddDate(-2, 0, 0)} {
		got, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, []app.PostSchedule{with(core.PostDraft, at)})
		must(t, err)
		if len(got.Refused) != 1 || got.Refused[0].Cause.Code != core.CodePlanHasIssues {
			t.Errorf("a draft for %s: %+v", at, got)
		}
	}
	if got := b.ws.Post(post); got.Status != "queued" || !got.PublishAt.Equal(b.Clock.Now().Add(10*time.Second)) {
		t.Errorf("it is %s", got.StatusLine)
	}
}

// The time of a draft may pass while it waits to be sent.
func TestADraftWhoseTimeHasPassedIsTakenBack(t *testing.T) {
	b := newBench(t)
	draft := b.ws.Draft("a draft", b.ws.Account("threads"))
	when := local("2026-10-06T10:00", "UTC")
	b.edit(draft, contract.EditPost{When: &when})
	b.Clock.Advance(72 * time.Hour)
	before, err := b.App.SendPostAfterUndoDelay(b.Context(), b.ws.Owner, draft.ID, "")
	must(t, err)
	got, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, []app.PostSchedule{before})
	must(t, err)
	if is := b.ws.Post(draft); got.Done != 1 || is.Status != "draft" || !is.PublishAt.Equal(before.At) {
		t.Errorf("it is %s: %+v", is.StatusLine, got)
	}
}

func TestAnErrorMidwayComesWithWhatIsDone(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	at := b.Clock.Now().Add(time.Hour)
	one, two := b.ws.Queued("one", account, at), b.ws.Queued("two", account, at)
	b.breakPost(two)
	got, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{
		Act: core.ActReschedule, IDs: idsOf([]contract.Post{one, two}), Shift: core.Shift{Hours: 1},
	})
	if err == nil || got.Done != 1 || len(got.Undo) != 1 || got.Undo[0].ID != one.ID {
		t.Errorf("the result is %+v with %v", got, err)
	}
}

// breakPost makes the database fail to change a post.
func (b *bench) breakPost(p contract.Post) {
	b.t.Helper()
	_, err := b.Pool.Exec(b.Context(), `ALTER TABLE posts ADD CONSTRAINT broken
		CHECK (text <> '`+p.Text+`') NOT VALID`)
	must(b.t, err)
}

func TestSendNowCanBeTakenBackForAWhile(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	dated := b.ws.Draft("a draft with a time", account)
	when := local("2026-10-06T10:00", "UTC")
	b.edit(dated, contract.EditPost{When: &when})
	posts := []contract.Post{
		b.ws.Draft("a draft", account), dated, b.ws.Queued("queued", account, b.Clock.Now().Add(time.Hour)),
	}
	for _, p := range posts {
		before := b.ws.Post(p)
		was, err := b.App.SendPostAfterUndoDelay(b.Context(), b.ws.Owner, p.ID, "")
		must(t, err)
		if got := b.ws.Work(p); got.Status != "queued" || !got.PublishAt.Equal(b.Clock.Now().Add(10*time.Second)) {
			t.Errorf("%s: it is %s", p.Text, got.StatusLine)
		}
		_, err = b.App.RestorePostSchedules(b.Context(), b.ws.Owner, []app.PostSchedule{was})
		must(t, err)
		if got := b.ws.Post(p); got.StatusLine != before.StatusLine {
			t.Errorf("%s: it was %s, and is %s", p.Text, before.StatusLine, got.StatusLine)
		}
	}
	was, err := b.App.SendPostAfterUndoDelay(b.Context(), b.ws.Owner, posts[0].ID, "")
	must(t, err)
	b.Clock.Advance(10 * time.Second)
	if got := b.ws.Work(posts[0]); got.Status != "live" {
		t.Errorf("it is %s", got.StatusLine)
	}
	got, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, []app.PostSchedule{was})
	must(t, err)
	if len(got.Refused) != 1 || b.ws.Post(posts[0]).Status != "live" {
		t.Errorf("a live post was taken back: %+v", got)
	}
}

// A malformed id was left out, so an Undo of nothing claimed success.
func TestAnActionOnSeveralPostsRefusesAMalformedIDLikeAnUnknownOne(t *testing.T) {
	b := newBench(t)
	mine := b.ws.Draft("mine", b.ws.Account("threads"))
	unknown := core.NewID[core.PostKind]().String()
	tomorrow := contract.When{PublishAt: b.Clock.Now().AddDate(0, 0, 1).Format("2006-01-02T15:04")}
	for _, act := range app.BulkActs() {
		got, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{
			Act: act, IDs: []string{"nonsense", unknown}, Shift: core.Shift{Days: 1}, First: tomorrow,
		})
		must(t, err)
		wantRefused(t, string(act), got, "nonsense", unknown)
	}
	got, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, []app.PostSchedule{
		{ID: "nonsense", Status: core.PostDraft, Revision: "any"}, {ID: unknown, Status: core.PostDraft, Revision: "any"},
	})
	must(t, err)
	wantRefused(t, "undo", got, "nonsense", unknown)
	got, err = b.App.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{
		Act: core.ActDelete, IDs: []string{mine.ID, "nonsense"},
	})
	must(t, err)
	wantRefused(t, "one of two", got, "nonsense")
	if got.Done != 1 {
		t.Errorf("beside a malformed id, %d posts are deleted", got.Done)
	}
}

// wantRefused fails unless exactly these ids were refused, as those of deleted posts.
func wantRefused(t *testing.T, name string, got app.BulkResult, ids ...string) {
	t.Helper()
	var refused []string
	for _, r := range got.Refused {
		if refused = append(refused, r.ID); r.Cause.Message != "The post was deleted in the meantime." {
			t.Errorf("%s: %s: %s", name, r.ID, r.Cause.Message)
		}
	}
	if !slices.Equal(refused, ids) {
		t.Errorf("%s: %v were refused", name, refused)
	}
}

func TestActionsOnSeveralPostsStayInTheirWorkspaceAndWithinLimits(t *testing.T) {
	b := newBench(t)
	mine := b.ws.Draft("mine", b.ws.Account("threads"))
	other := b.Workspace("other")
	foreign := other.Draft("theirs", other.Account("threads"))
	got := b.bulk(core.ActDelete, core.Shift{}, foreign)
	if len(got.Refused) != 1 || other.Post(foreign).ID != foreign.ID {
		t.Errorf("a foreign post: %+v", got)
	}
	unknown, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{
		Act: core.ActDelete, IDs: []string{core.NewID[core.PostKind]().String()},
	})
	must(t, err)
	if unknown.Refused[0].Cause.Message != got.Refused[0].Cause.Message {
		t.Error("a foreign post is refused in other words than an unknown one")
	}
	if _, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, []app.PostSchedule{{ID: foreign.ID, Status: core.PostDraft, Revision: "any"}}); err != nil {
		t.Error(err)
	}
	many := slices.Repeat([]string{mine.ID}, 101)
	for name, in := range map[string]app.BulkAction{
		"none":              {Act: core.ActDelete},
		"too many":          {Act: core.ActDelete, IDs: many},
		"an unknown action": {Act: core.ActSettle, IDs: many[:1]},
		"nowhere":           {Act: core.ActReschedule, IDs: many[:1]},
	} {
		if _, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, in); core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	viewer := b.ws.Member(core.RoleViewer)
	_, refused := b.App.ApplyBulkAction(b.Context(), viewer, app.BulkAction{Act: core.ActDelete, IDs: many[:1]})
	_, restored := b.App.RestorePostSchedules(b.Context(), viewer, []app.PostSchedule{{ID: mine.ID, Status: core.PostDraft}})
	_, sent := b.App.SendPostAfterUndoDelay(b.Context(), viewer, mine.ID, "")
	for _, err := range []error{refused, restored, sent} {
		if core.CodeOf(err) != core.CodeInsufficientScope {
			t.Errorf("a viewer: %v", err)
		}
	}
}
