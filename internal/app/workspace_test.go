package app_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestTheAPIStatesTheBoundsThatTheAppChecks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		record any
		field  string
		bound  int
	}{
		{contract.EditWorkspace{}, "Name", app.MaxName},
		{contract.EditWorkspace{}, "Slug", app.MaxSlug},
		{contract.SetUp{}, "Workspace", app.MaxName},
		{contract.SetUp{}, "Name", app.MaxName},
		{contract.CreateKey{}, "Name", app.MaxName},
		{contract.InviteMember{}, "Name", app.MaxName},
		{contract.InviteMember{}, "Email", app.MaxEmail},
		{contract.CreateGroup{}, "Name", app.MaxName},
		{contract.CreateGroup{}, "Description", app.MaxDescription},
		{contract.EditGroup{}, "Name", app.MaxName},
		{contract.EditGroup{}, "Description", app.MaxDescription},
		{contract.CreateFolder{}, "Name", app.MaxName},
		{contract.EditFolder{}, "Name", app.MaxName},
	} {
		record := reflect.TypeOf(c.record)
		field, _ := record.FieldByName(c.field)
		if stated := field.Tag.Get("maxLength"); stated != strconv.Itoa(c.bound) {
			t.Errorf("%s.%s: maxLength is %q, want %d", record.Name(), c.field, stated, c.bound)
		}
	}
}

func TestAWorkspaceIsChanged(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, other := h.Workspace("one"), h.Workspace("two")
	edit := func(c core.Caller, in contract.EditWorkspace) (contract.Workspace, error) {
		return h.App.EditWorkspace(t.Context(), c, in)
	}
	before, err := h.App.Whoami(t.Context(), ws.Owner)
	must(t, err)
	for _, in := range []contract.EditWorkspace{
		{},
		{Name: new("Bell & Rope")},
		{Slug: new("bell-rope")},
		{TZ: new("Europe/Berlin")},
		{Name: new("A"), Slug: new("a"), TZ: new("Asia/Kathmandu")},
	} {
		after := before.Workspace
		if in.Name != nil {
			after.Name = *in.Name
		}
		if in.Slug != nil {
			after.Slug = *in.Slug
		}
		if in.TZ != nil {
			after.TZ = *in.TZ
		}
		got, err := edit(ws.Owner, in)
		if err != nil || got != after {
			t.Errorf("%+v: %+v, %v; want %+v", in, got, err, after)
		}
		before, err = h.App.Whoami(t.Context(), ws.Owner)
		if err != nil || before.Workspace != after {
			t.Errorf("afterwards it is %+v, %v", before.Workspace, err)
		}
	}
	for name, in := range map[string]contract.EditWorkspace{
		"no name": {Name: new(" ")}, "long name": {Name: new(strings.Repeat("a", 81))}, "no slug": {Slug: new("")},
		"slug":    {Slug: new("Bell Rope")},
		"hyphens": {Slug: new("a--b")}, "zone": {TZ: new("Berlin")}, "no zone": {TZ: new("")}, "local": {TZ: new("Local")},
	} {
		if _, err := edit(ws.Owner, in); core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = edit(ws.Owner, contract.EditWorkspace{Name: new("B"), Slug: &other.Slug})
	want(t, core.CodeConflict, err)
	_, err = edit(ws.Member(core.RoleEditor), contract.EditWorkspace{Name: new("B")})
	want(t, core.CodeInsufficientScope, err)
	_, err = edit(ws.Key(core.Write).Caller, contract.EditWorkspace{Name: new("B")})
	want(t, core.CodeInsufficientScope, err)
	_, err = edit(ws.Member(core.RoleAdmin), contract.EditWorkspace{})
	must(t, err)
	if now, err := h.App.Whoami(t.Context(), ws.Owner); err != nil || now.Workspace != before.Workspace {
		t.Errorf("refusals left %+v, %v", now.Workspace, err)
	}
}

// A slot stays in the month that it was taken in, whatever the zone is when it returns.
func TestSlotsAreCountedExactlyWhileTheZoneChanges(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads")
	h.Clock.Set(time.Date(2026, 10, 31, 23, 30, 0, 0, time.UTC)) // November in Berlin, October in New York
	exact := func() {
		t.Helper()
		rows := map[string][2]int{}
		for i, sql := range []string{
			`SELECT period, used FROM usage_month WHERE used > 0`,
			`SELECT period, count(*) FROM post_slots WHERE state = 'held' GROUP BY period`,
		} {
			found, err := h.Pool.Query(t.Context(), sql)
			must(t, err)
			for found.Next() {
				var period string
				var n int
				must(t, found.Scan(&period, &n))
				pair := rows[period]
				pair[i] = n
				rows[period] = pair
			}
			must(t, found.Err())
		}
		for period, n := range rows {
			if n[0] != n[1] {
				t.Errorf("of %s %d are counted and %d held", period, n[0], n[1])
			}
		}
	}
	zones := []string{"Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Pacific/Pago_Pago"}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			post := ws.Queued(fmt.Sprint("post ", n), account, h.Clock.Now().Add(time.Hour))
			if n%2 == 0 {
				if _, err := h.App.CancelPost(t.Context(), ws.Owner, post.ID); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			if _, err := h.App.EditWorkspace(t.Context(), ws.Owner, contract.EditWorkspace{TZ: &zones[n%4]}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	exact()
	list, err := h.App.ListPosts(t.Context(), ws.Owner, contract.ListPosts{Status: "queued"})
	must(t, err)
	for n, p := range list.Posts {
		_, err := h.App.EditWorkspace(t.Context(), ws.Owner, contract.EditWorkspace{TZ: &zones[n%4]})
		must(t, err)
		if after, err := h.App.GetPost(t.Context(), ws.Owner, p.ID); err != nil || after.TZ != p.TZ ||
			!after.PublishAt.Equal(p.PublishAt.Time) {
			t.Errorf("with another zone of the workspace the post is %+v, %v", after, err)
		}
		_, err = h.App.CancelPost(t.Context(), ws.Owner, p.ID)
		must(t, err)
		exact()
	}
	var used int
	must(t, h.Pool.QueryRow(t.Context(), `SELECT sum(used) FROM usage_month`).Scan(&used))
	if used != 0 || len(list.Posts) != 4 {
		t.Errorf("%d slots are used after all %d posts were cancelled", used, len(list.Posts))
	}
}

func TestAPostThatIsScheduledOrSentIsAFirstStep(t *testing.T) {
	for name, act := range map[string]func(b *bench, draft contract.Post){
		"scheduled": func(b *bench, draft contract.Post) {
			b.ws.Queued("tomorrow", contract.Account{ID: draft.AccountID}, b.Clock.Now().Add(24*time.Hour))
		},
		"sent": func(b *bench, draft contract.Post) {
			_, err := b.App.SendPostAfterUndoDelay(b.Context(), b.ws.Owner, draft.ID, "")
			must(b.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			draft := b.ws.Draft("a draft", b.ws.Account("threads"))
			if steps, err := b.App.GetFirstSteps(b.Context(), b.ws.Owner); err != nil || steps.Post || !steps.Account {
				t.Errorf("with a draft: %+v, %v", steps, err)
			}
			act(b, draft)
			if steps, err := b.App.GetFirstSteps(b.Context(), b.ws.Owner); err != nil || !steps.Post {
				t.Errorf("after a post was %s: %+v, %v", name, steps, err)
			}
		})
	}
}

// The scheduled post is stored last, and the hundred others were sent at once.
func TestTheLastHundredPostsDecideTheFirstSteps(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.ws.Queued("now", account, b.Clock.Now())
	_, err := b.Pool.Exec(t.Context(), `
		INSERT INTO posts SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
		FROM posts p, generate_series(1, 120)`)
	must(t, err)
	b.ws.Queued("tomorrow", account, b.Clock.Now().Add(24*time.Hour))
	steps, err := b.App.GetFirstSteps(b.Context(), b.ws.Owner)
	if must(t, err); !steps.Post {
		t.Error("the latest post, which was scheduled, is not seen")
	}
}

func TestAWorkspaceReservesFewSlugs(t *testing.T) {
	b := newBench(t)
	rename := func(slug string) error {
		_, err := b.App.EditWorkspace(b.Context(), b.ws.Owner, contract.EditWorkspace{Slug: &slug})
		return err
	}
	for i := range 20 {
		must(t, rename(fmt.Sprintf("name-%d", i)))
	}
	want(t, core.CodeConflict, rename("one-more"))
	must(t, rename("name-19"))
	must(t, rename("name-3"))
	want(t, core.CodeConflict, rename("one-more"))
}
