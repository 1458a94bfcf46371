package core_test

import (
	"encoding/json"
	"testing"
	"time"

	"belfry/internal/core"
)

// Spec §3 and the two moves that decisions.md adds; everything not listed is refused.
var allowedMoves = map[core.Move]map[core.PostStatus]core.PostStatus{
	core.MoveQueue:   {core.PostDraft: core.PostQueued},
	core.MoveTake:    {core.PostQueued: core.PostDraft},
	core.MovePublish: {core.PostQueued: core.PostLive},
	core.MoveFail:    {core.PostQueued: core.PostFailed},
	core.MoveRetry:   {core.PostFailed: core.PostQueued},
	core.MoveSettle:  {core.PostFailed: core.PostLive},
	core.MoveDelete:  {core.PostDraft: "", core.PostFailed: ""},
}

func TestMovesOfAPost(t *testing.T) {
	t.Parallel()
	states := []core.PostStatus{core.PostDraft, core.PostQueued, core.PostLive, core.PostFailed}
	for move, allowed := range allowedMoves {
		for _, from := range states {
			to, ok := move.ResultFrom(from)
			wantTo, wantOK := allowed[from]
			if to != wantTo || ok != wantOK {
				t.Errorf("%s from %s: %q, %v; want %q, %v", move, from, to, ok, wantTo, wantOK)
			}
			if ok && from == core.PostLive {
				t.Errorf("%s leads away from live", move)
			}
		}
	}
	if to, ok := core.Move("nonsense").ResultFrom(core.PostDraft); ok {
		t.Errorf("an unknown move leads to %s", to)
	}
}

func TestStatusLine(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 5, 9, 7, 0, 0, time.UTC)
	later := at.Add(5 * time.Minute)
	berlin := zone(t, "Europe/Berlin")
	for want, p := range map[string]core.Post{
		"Draft · Network · Ann": {Status: core.PostDraft},
		"Draft · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin)":  {Status: core.PostDraft, PublishAt: at},
		"Queued · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin)": {Status: core.PostQueued, PublishAt: at},
		"Live · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin)":   {Status: core.PostLive, PublishAt: at},
		"Failed · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin)": {Status: core.PostFailed, PublishAt: at},
		"Failed · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin) · next try Sun 5 Jul 2026, 11:12 CEST (Europe/Berlin)": {
			Status: core.PostFailed, PublishAt: at, NextTryAt: later,
		},
		"Queued · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin) · held until Sun 5 Jul 2026, 11:12 CEST (Europe/Berlin)": {
			Status: core.PostQueued, PublishAt: at, NextTryAt: later, Held: true,
		},
		"Queued · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin) · Network is processing it": {
			Status: core.PostQueued, PublishAt: at, Preparing: true,
		},
		"Queued · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin) · waiting for another post from this account": {
			Status: core.PostQueued, PublishAt: at, Waiting: true,
		},
		"Queued · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin) · will ask Network at 11:12 CEST whether it published the post": {
			Status: core.PostQueued, PublishAt: at, Asking: true, AskAt: later,
		},
		"Queued · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin) · waiting for another post from this account, will then ask Network whether it published the post": {
			Status: core.PostQueued, PublishAt: at, Asking: true, Waiting: true,
		},
		"Queued · Network · Ann · Sun 5 Jul 2026, 11:07 CEST (Europe/Berlin) · asking Network whether it published the post": {
			Status: core.PostQueued, PublishAt: at, Asking: true,
		},
	} {
		p.AccountName, p.Zone = "Ann", berlin
		if got := p.StatusLine("Network"); got != want {
			t.Errorf("%s", got)
			t.Errorf("want %s", want)
		}
	}
}

// The header of such a post said that it had failed, although it may be live.
func TestTheScreenDoesNotCallAPostFailedThatMayBeLive(t *testing.T) {
	t.Parallel()
	p := core.Post{Status: core.PostFailed, AccountName: "Ann", Error: &core.PostError{Code: core.ErrorOutcomeUnknown}}
	if got := p.StatusLineWithoutAccount("Network"); got != "Not confirmed" {
		t.Errorf("the screen says %q", got)
	}
	if got := p.StatusLine("Network"); got != "Failed · Network · Ann" {
		t.Errorf("the API says %q", got)
	}
}

func TestARevisionChangesWithEveryChangeOfAPost(t *testing.T) {
	t.Parallel()
	berlin, err := core.ParseZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	post := core.Post{ID: core.NewID[core.PostKind](), Text: "text", Settings: json.RawMessage(`{}`), Status: core.PostQueued}
	seen := map[string]bool{post.Revision(): true}
	for name, change := range map[string]func(*core.Post){
		"text":     func(p *core.Post) { p.Text = "other" },
		"title":    func(p *core.Post) { p.Title = "title" },
		"tags":     func(p *core.Post) { p.Tags = []string{"a", "b"} },
		"one tag":  func(p *core.Post) { p.Tags = []string{"a b"} },
		"files":    func(p *core.Post) { p.MediaIDs = []core.MediaID{core.NewID[core.MediaKind]()} },
		"settings": func(p *core.Post) { p.Settings = json.RawMessage(`{"link":"x"}`) },
		"time":     func(p *core.Post) { p.PublishAt = time.Date(2026, 12, 24, 18, 0, 0, 0, time.UTC) },
		"zone":     func(p *core.Post) { p.Zone = berlin },
		"draft":    func(p *core.Post) { p.Status = core.PostDraft },
		"failed":   func(p *core.Post) { p.Status = core.PostFailed },
		"copy":     func(p *core.Post) { p.ReplacedBy = core.NewID[core.PostKind]() },
		"undone":   func(p *core.Post) { p.UpdatedAt = time.Date(2026, 12, 1, 18, 0, 0, 0, time.UTC) },
	} {
		changed := post
		if change(&changed); seen[changed.Revision()] {
			t.Errorf("%s: the revision is not new", name)
		}
		seen[changed.Revision()] = true
	}
	prepared := post
	prepared.Attempts, prepared.Busy, prepared.Preparing = 1, true, true
	if prepared.Revision() != post.Revision() {
		t.Error("preparing the post changes the revision")
	}
}

func TestALivePostIsNeverScheduledForTheFuture(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	early, armed := now.Add(-time.Hour), now.Add(-time.Minute)
	for _, status := range []core.PostStatus{core.PostQueued, core.PostFailed} {
		for _, c := range []struct{ planned, armed, want time.Time }{
			{planned: early, armed: armed, want: early},
			{planned: now.Add(time.Hour), armed: armed, want: armed},
			{planned: now.Add(time.Hour), want: now},
		} {
			change, err := core.Post{Status: status, PublishAt: c.planned}.MakeLiveChange(now, c.armed, "")
			if err != nil || change.Post.Status != core.PostLive || !change.Post.PublishAt.Equal(c.want) {
				t.Errorf("a %s post with %+v is %s at %s: %v", status, c, change.Post.Status, change.Post.PublishAt, err)
			}
		}
	}
}
