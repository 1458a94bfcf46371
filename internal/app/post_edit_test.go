package app_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// A block of another network is checked and otherwise ignored (decisions.md, Settings), on a draft as on a request.
func TestABlockOfAnotherNetworkLeavesADraftsOwn(t *testing.T) {
	b := newBench(t)
	in := request("a draft", draft(), b.ws.Account("threads"))
	in.PerPlatform = map[string]json.RawMessage{"threads": json.RawMessage(`{"topicTag":"bread"}`)}
	p := b.post(in)
	for block, want := range map[string]string{
		`{"facebook":{"link":"https://example.org/"}}`: `{"topicTag":"bread"}`,
		`{}`: `{}`,
	} {
		var blocks map[string]json.RawMessage
		must(t, json.Unmarshal([]byte(block), &blocks))
		copied, err := b.App.DuplicatePost(b.Context(), b.ws.Owner, p.ID)
		must(t, err)
		if got := b.edit(copied, contract.EditPost{Settings: &blocks}); strings.ReplaceAll(string(got.Settings), " ",
			"") != want {
			t.Errorf("%s: the draft's settings are %s, want %s", block, got.Settings, want)
		}
	}
}

// The row of a move that is refused shows the time that was asked for, as the row of a plan does.
func TestARefusedMoveShowsTheTimeAskedFor(t *testing.T) {
	b := newBench(t)
	p := b.ws.Queued("planned", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour))
	past, skipped := local("2020-01-01T10:00", "UTC"), local("2027-03-28T02:30", "Europe/Berlin")
	for want, when := range map[string]*contract.When{"2020-01-01T10:00:00Z": &past, "none": &skipped} {
		_, err := b.change(p, contract.EditPost{When: when})
		e := core.ErrorOrInternal(err)
		if e.Code != core.CodePlanHasIssues || len(e.Rows) != 1 {
			t.Fatalf("want plan_has_issues with a row, got %v", err)
		}
		got := "none"
		if at := e.Rows[0].PublishAt; !at.IsZero() {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("the row shows %s, want %s", got, want)
		}
	}
}

func TestAnUnknownIDIsShownItsPlace(t *testing.T) {
	b := newBench(t)
	known := b.ws.Account("threads").ID
	account, group, file := core.NewID[core.AccountKind]().String(), core.NewID[core.GroupKind]().String(),
		core.NewID[core.MediaKind]().String()
	plan := func(change func(*contract.PlanPosts)) error {
		in := contract.PlanPosts{Text: "x", Targets: contract.Targets{AccountIDs: []string{known}}}
		change(&in)
		_, err := b.App.PlanPosts(b.Context(), b.ws.Owner, in)
		return err
	}
	made := func(_ any, err error) error { return err }
	for place, err := range map[string]error{
		"targets.accountIds[1]": plan(func(in *contract.PlanPosts) { in.Targets.AccountIDs = []string{known, account} }),
		"targets.accountIds[0]": plan(func(in *contract.PlanPosts) { in.Targets.AccountIDs = []string{"maren"} }),
		"targets.groupId":       plan(func(in *contract.PlanPosts) { in.Targets.GroupID = &group }),
		"mediaIds[0]":           plan(func(in *contract.PlanPosts) { in.MediaIDs = []string{file} }),
		"accountIds[1]": made(b.App.CreateGroup(b.Context(), b.ws.Owner,
			contract.CreateGroup{Name: "all", AccountIDs: []string{known, account}})),
		"parentId": made(b.App.CreateFolder(b.Context(), b.ws.Owner,
			contract.CreateFolder{Name: "bread", ParentID: contract.Some("fld_x")})),
		"query.accountId": made(b.App.ListPosts(b.Context(), b.ws.Owner, contract.ListPosts{AccountID: account})),
		"query.groupId":   made(b.App.ListPosts(b.Context(), b.ws.Owner, contract.ListPosts{GroupID: group})),
	} {
		var e *core.Error
		if !errors.As(err, &e) || e.Code != core.CodeNotFound || e.Path != place {
			t.Errorf("%s: %v, path %q", place, err, core.ErrorOrInternal(err).Path)
		}
	}
}

func TestARefusedMoveSaysWhatThePostIs(t *testing.T) {
	b := newBench(t)
	queued := b.ws.Queued("planned", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour))
	sketch := b.post(request("a draft", draft(), b.ws.Account("threads")))
	_, again := b.App.CancelPost(b.Context(), b.ws.Owner, sketch.ID)
	for hint, err := range map[string]error{
		"This post is queued. Cancel it first.": b.App.DeletePost(b.Context(), b.ws.Owner, queued.ID),
		"This post is a draft.":                 again,
	} {
		if e := core.ErrorOrInternal(err); e.Code != core.CodeConflict || e.Hint != hint {
			t.Errorf("want a conflict and %q, got %v, %q", hint, err, e.Hint)
		}
	}
}
