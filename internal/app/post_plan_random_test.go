package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	nt "belfry/internal/network/networktest"
	"belfry/internal/store"
)

const (
	crowds       = 4
	checks       = 100    // that rapid makes in each crowd
	planRequests = 10_000 // so many surely come to every code
)

// The plan says ok exactly when create succeeds, and what it says is what create does. It changes no row: it
// runs where nothing can be written.
func TestAPlanIsOKExactlyWhenCreateSucceeds(t *testing.T) {
	t.Parallel()
	limit := int64(60)
	h := apptest.New(t, func(c *app.Config) {
		plan := c.Plans[core.PlanOwner]
		plan.Posts = &limit
		c.Plans = core.Plans{core.PlanOwner: plan}
	})
	planner := h.Replica(func(c *app.Config) { c.Store = readOnly(t, h) })
	theirs := h.Workspace("theirs")
	foreign := strangers{account: theirs.Account("threads").ID, file: theirs.File("a", []byte("x")).ID}
	seen := tally{codes: map[string]int{}}
	t.Run("crowds", func(t *testing.T) {
		for i := range crowds {
			c := newCrowd(t, h, planner, fmt.Sprintf("crowd-%d", i), foreign)
			t.Run(c.ws.Slug, func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(rt *rapid.T) {
					c.spend(rapid.SampledFrom([]int64{0, 0, 0, limit - 3, limit - 1, limit}).Draw(rt, "used"))
					for range planRequests/(crowds*checks) + 1 {
						c.hold(rt, c.request(rt), &seen)
					}
				})
			})
		}
	})
	seen.check(t)
}

// readOnly is the database where nothing can be written.
func readOnly(t *testing.T, h *apptest.Harness) *store.Store {
	t.Helper()
	cfg := h.Pool.Config()
	cfg.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	must(t, err)
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), "DELETE FROM posts"); err == nil {
		t.Fatal("something was written")
	}
	db, err := store.New(pool)
	must(t, err)
	return db
}

// tally counts what the requests came to.
type tally struct {
	mu       sync.Mutex
	ok, bad  int
	codes    map[string]int
	problems int
}

func (s *tally) note(plan contract.Plan, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.codes[string(core.CodeOf(err))]++
		s.problems++
	case plan.OK:
		s.ok++
	default:
		s.bad++
	}
	for _, row := range plan.Rows {
		for _, i := range row.Issues {
			s.codes[i.Code]++
		}
	}
}

// check makes sure that the requests were of every kind.
func (s *tally) check(t *testing.T) {
	t.Helper()
	t.Logf("%d ok, %d with issues, %d refused: %v", s.ok, s.bad, s.problems, s.codes)
	if all := s.ok + s.bad + s.problems; all < planRequests || min(s.ok, s.bad, s.problems) < all/20 {
		t.Errorf("only so many: %d ok, %d with issues, %d refused", s.ok, s.bad, s.problems)
	}
	for code := range strings.FieldsSeq(`caption_too_long text_required text_not_allowed links_too_many title_too_long
		media_required media_not_ready media_failed media_purged media_kind_unsupported media_count_unsupported media_mixed_unsupported
		format_unsupported file_too_large aspect_unsupported resolution_unsupported duration_too_short duration_too_long setting_conflict
		account_expired account_revoked time_in_past time_too_far time_does_not_exist quota_exceeded invalid_request not_found`) {
		if s.codes[code] == 0 {
			t.Errorf("no request came to %s", code)
		}
	}
}

type strangers struct{ account, file string }

// crowd is a workspace with accounts and files of every kind and state.
type crowd struct {
	*apptest.Harness
	t        *testing.T
	ws       *apptest.Workspace
	planner  *app.App
	good     []string // accounts
	accounts []string // all of them, and some that are not there
	groups   []string
	fine     []string // files that are taken nearly everywhere
	films    []string // of every length
	files    []string // all of them, and some that are not there
	used     int64
}

func newCrowd(t *testing.T, h *apptest.Harness, planner *app.App, name string, foreign strangers) *crowd {
	t.Helper()
	ws := h.Workspace(name)
	c := &crowd{Harness: h, t: t, ws: ws, planner: planner}
	threads, facebook, expired, revoked := ws.Account("threads"), ws.Account("facebook"), ws.Account("threads"),
		ws.Account("facebook")
	tenant := h.Store.In(ws.ID)
	for status, a := range map[core.AccountStatus]contract.Account{core.AccountExpired: expired, core.AccountRevoked: revoked} {
		must(t, tenant.SetAccountStatusIfTokenUnchanged(t.Context(), ws.AccountID(a), func([]byte) bool { return true }, status, ""))
	}
	c.good = []string{threads.ID, facebook.ID}
	c.accounts = []string{
		threads.ID, facebook.ID, expired.ID, revoked.ID, foreign.account,
		core.NewID[core.AccountKind]().String(), "acc_1",
	}
	c.groups = []string{
		ws.Group("good", threads, facebook).ID, ws.Group("all", facebook, expired, threads, revoked).ID,
		ws.Group("none").ID, "grp_1",
	}
	for i, m := range assortment() {
		id := c.stock(m)
		c.files = append(c.files, id)
		if i < 4 {
			c.fine = append(c.fine, id)
		}
		if m.Kind == core.FileVideo && m.Mime == "video/mp4" {
			c.films = append(c.films, id)
		}
	}
	c.files = append(c.files, foreign.file, core.NewID[core.MediaKind]().String(), "med_1")
	return c
}

// assortment is files about every bound; the first are taken nearly everywhere.
func assortment() []core.Media {
	state := func(s core.MediaStatus) nt.Change { return func(m *core.Media) { m.Status = s } }
	removed := func(m *core.Media) { m.PurgedAt = apptest.Start() }
	return []core.Media{
		nt.Image(), nt.Image(nt.Mime("image/png")), nt.Video(), nt.Video(nt.Mime("video/quicktime")),
		nt.Image(nt.Mime("image/webp")), nt.Image(nt.Mime("image/webp"), nt.Convertible()), nt.Image(nt.Mime("image/gif")), nt.Image(nt.Bytes(8_000_001)),
		nt.Image(nt.Bytes(10_000_001)),
		nt.Image(nt.Size(1001, 100)), nt.Image(nt.Size(100, 1001)), nt.Video(nt.Bytes(1_000_000_001)),
		nt.Video(nt.Size(1921, 1080)),
		nt.Video(nt.Size(10, 1001)), nt.Video(nt.Duration(2_999)), nt.Video(nt.Duration(90_001)), nt.Video(nt.Duration(300_001)),
		nt.Video(nt.FPS(61)), nt.Video(nt.Codecs("prores", "mp3")), nt.Video(nt.BitRate(100_000_001)),
		nt.Video(nt.Sound(48_000, 6)), nt.Video(nt.Mime("video/webm")),
		nt.Image(state(core.MediaUploading)), nt.Video(state(core.MediaProcessing)), nt.Image(state(core.MediaFailed)),
		nt.Image(removed), nt.Video(removed),
	}
}

// stock puts a file into the workspace, of which nobody could bring that many bytes.
func (c *crowd) stock(m core.Media) string {
	c.t.Helper()
	id := core.NewID[core.MediaKind]()
	var purged any
	if !m.PurgedAt.IsZero() {
		purged = m.PurgedAt
	}
	_, err := c.Pool.Exec(c.Context(), `
		INSERT INTO media (id, workspace_id, status, original_name, kind, mime, size, width, height, duration_ms, fps, video_codec, audio_codec,
			bit_rate, frames, charged, created_at, purged_at, audio_rate, audio_channels, convertible)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, clock(), $16, $17, $18, $19)`,
		id.Bytes(), c.ws.ID.Bytes(), m.Status, m.Name, m.Kind, m.Mime, m.Bytes, m.Width, m.Height, m.DurationMs, m.FPS,
		m.VideoCodec, m.AudioCodec,
		m.BitRate, m.Frames, purged, m.AudioRate, m.AudioChannels, m.Convertible)
	must(c.t, err)
	return id.String()
}

// spend makes the month's quota as used up as that.
func (c *crowd) spend(used int64) {
	c.t.Helper()
	_, err := c.Pool.Exec(c.Context(), `INSERT INTO usage_month (workspace_id, period, used) VALUES ($1, '2026-10', $2)
		ON CONFLICT (workspace_id, period) DO UPDATE SET used = excluded.used`, c.ws.ID.Bytes(), used)
	must(c.t, err)
	c.used = used
}

// hold plans a request and then makes it.
func (c *crowd) hold(rt *rapid.T, in contract.CreatePosts, seen *tally) {
	plan, planErr := c.planner.PlanPosts(c.Context(), c.ws.Owner, in.PlanPosts)
	made, err := c.App.CreatePosts(c.Context(), c.ws.Owner, in)
	seen.note(plan, planErr)
	if planErr != nil {
		if core.CodeOf(planErr) == core.CodeInternal || fmt.Sprint(planErr) != fmt.Sprint(err) {
			rt.Fatalf("%s\nplan: %v\ncreate: %v", written(in), planErr, err)
		}
		return
	}
	if plan.OK != (err == nil) || plan.Quota.Used != c.used {
		rt.Fatalf("%s\nplan: %+v\ncreate: %v; %d slots were used", written(in), plan, err, c.used)
	}
	if err != nil {
		if why := refusalOf(plan); core.CodeOf(err) != why {
			rt.Fatalf("%s\nplan: %+v\ncreate: %v; want %s", written(in), plan, err, why)
		}
		return
	}
	c.used += plan.Quota.Requested
	if len(made.Posts) != len(plan.Rows) {
		rt.Fatalf("%s\n%d posts; the plan has %d rows", written(in), len(made.Posts), len(plan.Rows))
	}
	for i, p := range made.Posts {
		row := plan.Rows[i]
		same := p.PublishAt == nil && row.PublishAt == nil || p.PublishAt != nil && row.PublishAt != nil &&
			p.PublishAt.Equal(row.PublishAt.Time)
		if p.AccountID != row.AccountID || p.Status != plan.Status || !same || !slices.Equal(p.MediaIDs, in.MediaIDs) &&
			len(in.MediaIDs) > 0 {
			rt.Fatalf("%s\nplan: %+v\npost: %+v", written(in), row, p)
		}
	}
}

// refusalOf is the code with which create refuses what a plan has issues with.
func refusalOf(plan contract.Plan) core.Code {
	codes := map[string]bool{}
	for _, row := range plan.Rows {
		for _, i := range row.Issues {
			codes[i.Code] = true
		}
	}
	switch {
	case codes["quota_exceeded"]:
		return core.CodeQuotaExceeded
	case codes["media_purged"]:
		return core.CodeMediaPurged
	}
	return core.CodePlanHasIssues
}

func written(in contract.CreatePosts) string {
	text, err := json.Marshal(in)
	return string(text) + fmt.Sprint(errors.Join(err))
}

// often draws one of the first list mostly, one of the second now and then.
func often[T any](rt *rapid.T, what string, mostly, rarely []T) T {
	if rapid.IntRange(0, 9).Draw(rt, what+"?") < 8 {
		return rapid.SampledFrom(mostly).Draw(rt, what)
	}
	return rapid.SampledFrom(rarely).Draw(rt, what)
}

func (c *crowd) request(rt *rapid.T) contract.CreatePosts {
	in := contract.CreatePosts{Confirm: true}
	for range rapid.IntRange(0, 2).Draw(rt, "accounts") {
		in.Targets.AccountIDs = append(in.Targets.AccountIDs, often(rt, "account", c.good, c.accounts))
	}
	if len(in.Targets.AccountIDs) == 0 || rapid.IntRange(0, 9).Draw(rt, "a group?") == 0 {
		in.Targets.GroupID = new(often(rt, "group", c.groups[:1], append(c.groups, "")))
	}
	for range often(rt, "files", []int{0, 0, 0, 1, 1, 2}, []int{3, 10, 11, 20, 21}) {
		in.MediaIDs = append(in.MediaIDs, often(rt, "file", c.fine, append(c.fine, c.files...)))
	}
	if n := len(in.MediaIDs); n > 3 { // many of one kind, or something stands against nearly all of them
		in.MediaIDs = slices.Repeat(in.MediaIDs[:1], n)
	}
	in.Text = often(rt, "text", plainTexts, oddTexts)
	in.Title = often(rt, "title", []string{""}, []string{"A title", strings.Repeat("t", 256)})
	in.Tags = often(rt, "tags", [][]string{nil}, [][]string{{"bread"}, {"a b", "c"}, {""}})
	in.When = often(rt, "when", usualTimes, oddTimes)
	in.PerPlatform = draws(rt, "settings", blocks, oddBlocks)
	if rapid.IntRange(0, 19).Draw(rt, "a reel?") == 0 {
		in.MediaIDs = []string{rapid.SampledFrom(c.films).Draw(rt, "film")}
		in.PerPlatform = map[string]json.RawMessage{"facebook": json.RawMessage(`{"contentType":"reels"}`)}
	}
	in.Overrides = draws(rt, "overrides", overrides, oddOverrides)
	return in
}

// draws draws values for some of the networks; of ten drawings one may be of what is never taken.
func draws[T any](rt *rapid.T, what string, mostly, rarely map[string][]T) map[string]T {
	drawn := map[string]T{}
	from := mostly
	if rapid.IntRange(0, 9).Draw(rt, "odd "+what+"?") == 9 {
		from = rarely
	}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if rapid.IntRange(0, 3).Draw(rt, what+" of "+name+"?") == 0 {
			drawn[name] = rapid.SampledFrom(from[name]).Draw(rt, what+" of "+name)
		}
	}
	return drawn
}
