package core_test

import (
	"slices"
	"testing"
	"time"

	"belfry/internal/core"
)

func TestActsThatAPostAllows(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	unknown := &core.PostError{Code: "outcome_unknown"}
	for _, test := range []struct {
		name string
		post core.Post
		want []core.Act
	}{
		{
			"a draft without a time",
			core.Post{Status: core.PostDraft},
			[]core.Act{core.ActEdit, core.ActSendNow, core.ActReschedule, core.ActDuplicate, core.ActDelete},
		},
		{
			"a draft with a time to come",
			core.Post{Status: core.PostDraft, PublishAt: now.Add(time.Hour)},
			[]core.Act{core.ActEdit, core.ActQueue, core.ActSendNow, core.ActReschedule, core.ActDuplicate, core.ActDelete},
		},
		{
			"a draft whose account is lost",
			core.Post{Status: core.PostDraft, PublishAt: now.Add(time.Hour), AccountStatus: core.AccountRevoked},
			[]core.Act{core.ActEdit, core.ActReschedule, core.ActDuplicate, core.ActDelete},
		},
		{
			"a queued post",
			core.Post{Status: core.PostQueued},
			[]core.Act{core.ActEdit, core.ActSendNow, core.ActReschedule, core.ActCancel, core.ActDuplicate},
		},
		{
			"a queued post whose account is lost",
			core.Post{Status: core.PostQueued, AccountStatus: core.AccountRevoked},
			[]core.Act{core.ActEdit, core.ActReschedule, core.ActCancel, core.ActDuplicate},
		},
		{
			"a queued post that a person has just sent",
			core.Post{Status: core.PostQueued, PublishAt: now.Add(core.UndoDelay)},
			[]core.Act{core.ActEdit, core.ActReschedule, core.ActCancel, core.ActDuplicate},
		},
		{
			"a queued post that is due a little later",
			core.Post{Status: core.PostQueued, PublishAt: now.Add(core.UndoDelay + 1)},
			[]core.Act{core.ActEdit, core.ActSendNow, core.ActReschedule, core.ActCancel, core.ActDuplicate},
		},
		{"a queued post in a worker's hand", core.Post{Status: core.PostQueued, Busy: true}, []core.Act{core.ActDuplicate}},
		{"a failed post", core.Post{Status: core.PostFailed}, []core.Act{core.ActRetry, core.ActDuplicate, core.ActDelete}},
		{
			"a failed post that will be tried again",
			core.Post{Status: core.PostFailed, NextTryAt: now.Add(time.Minute)},
			[]core.Act{core.ActRetry, core.ActCancel, core.ActDuplicate, core.ActDelete},
		},
		{
			"a failed post whose account is lost",
			core.Post{Status: core.PostFailed, AccountStatus: core.AccountRevoked},
			[]core.Act{core.ActDuplicate, core.ActDelete},
		},
		{
			"a failed post of which a copy is live",
			core.Post{Status: core.PostFailed, ReplacedBy: core.NewID[core.PostKind]()},
			[]core.Act{core.ActDuplicate, core.ActDelete},
		},
		{
			"an unknown outcome",
			core.Post{Status: core.PostFailed, Error: unknown},
			[]core.Act{core.ActDelete, core.ActSettle},
		},
		{
			"an unknown outcome that is being asked about",
			core.Post{Status: core.PostFailed, Error: unknown, Busy: true},
			[]core.Act{core.ActDelete},
		},
		{"a live post", core.Post{Status: core.PostLive}, []core.Act{core.ActDuplicate}},
	} {
		if test.post.AccountStatus == "" {
			test.post.AccountStatus = core.AccountOK
		}
		got := slices.DeleteFunc(core.Acts(), func(a core.Act) bool { return !test.post.Allows(a, now) })
		if !slices.Equal(got, test.want) {
			t.Errorf("%s allows %v, want %v", test.name, got, test.want)
		}
	}
	if (core.Post{Status: core.PostDraft}).Allows("nonsense", now) {
		t.Error("an unknown act is allowed")
	}
}

func TestActsOnASelectionThatAPostAllows(t *testing.T) {
	now := time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)
	later, before := now.Add(time.Hour), now.Add(-time.Hour)
	bulkActs := []core.Act{
		core.ActQueue, core.ActReschedule, core.ActCancel, core.ActRetry, core.ActDuplicate, core.ActDelete,
	}
	for name, test := range map[string]struct {
		post core.Post
		want []core.Act
	}{
		"a draft without a time": {
			core.Post{Status: core.PostDraft}, []core.Act{core.ActQueue, core.ActDuplicate, core.ActDelete},
		},
		"a draft with a time in the past": {
			core.Post{Status: core.PostDraft, PublishAt: before},
			[]core.Act{core.ActQueue, core.ActReschedule, core.ActDuplicate, core.ActDelete},
		},
		"a queued post": {
			core.Post{Status: core.PostQueued, PublishAt: later},
			[]core.Act{core.ActReschedule, core.ActCancel, core.ActDuplicate},
		},
		"a failed post with a pending retry": {
			core.Post{Status: core.PostFailed, PublishAt: before, NextTryAt: later},
			[]core.Act{core.ActRetry, core.ActDuplicate, core.ActDelete},
		},
	} {
		test.post.AccountStatus = core.AccountOK
		got := slices.DeleteFunc(slices.Clone(bulkActs), func(a core.Act) bool { return !test.post.AllowsInBulk(a, now) })
		if !slices.Equal(got, test.want) {
			t.Errorf("%s allows %v, want %v", name, got, test.want)
		}
	}
}
