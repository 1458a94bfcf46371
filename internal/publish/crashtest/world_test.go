// Package crashtest kills, freezes and cuts off workers at every boundary of their input and output, and then asks the
// simulated networks and the database whether each post went out once. docs/publishing.md, Proof, tells what is proved.
package crashtest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/mail/mailtest"
	"belfry/internal/store/storetest"
)

var (
	all   = flag.Bool("all", false, "run every case instead of a sample of them")
	many  = flag.Uint64("seeds", 100, "how many seeds of random faults to try")
	first = flag.Uint64("seed", uint64(time.Now().UnixNano()%1_000_000), "which cases a sample has; the first seed of random faults")
)

// world is an installation whose workers are killed: one workspace, with a clock that stands still.
type world struct {
	*apptest.Harness
	t       *testing.T
	ws      *apptest.Workspace
	media   *mediaFront
	lives   int
	made    int
	letters *mailtest.Server // of tests of email

	mu        sync.Mutex
	pending   loss      // of the next call to a network
	hosts     []string  // of a network that cannot be reached
	reachable time.Time // when it can be reached again
}

func newWorld(t *testing.T, options ...func(*app.Config)) *world {
	t.Helper()
	return newWorldOn(t, storetest.Pool(t), options...)
}

// shortLease makes a worker give up sooner that waits for the database, which it does in real time.
func shortLease(c *app.Config) { c.Schedule.Lease = 12 * time.Second }

func newWorldOn(t *testing.T, pool *pgxpool.Pool, options ...func(*app.Config)) *world {
	t.Helper()
	w := &world{t: t, media: newMediaFront(t), pending: lossNone}
	w.Harness = apptest.NewOn(t, pool, append(options, func(c *app.Config) {
		c.Log, c.MediaURL = quiet, w.media.URL
		c.LimitCreate.Max = 1_000_000
	})...)
	w.media.target = w.MediaURL
	for _, quota := range []string{"youtube.uploads_per_day", "youtube.units_per_day"} {
		must(t, w.Sim.SetOption(quota, "1000000")) // all channels share them
	}
	w.ws = w.Workspace("one")
	return w
}

// mediaFront gives the files to the networks, until the clock moves on: then a network that still waits for a closed
// gate has waited for too long.
type mediaFront struct {
	*httptest.Server
	target string
	mu     sync.Mutex
	pulls  map[*http.Request]context.CancelFunc
}

func newMediaFront(t *testing.T) *mediaFront {
	t.Helper()
	f := &mediaFront{pulls: map[*http.Request]context.CancelFunc{}}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		f.mu.Lock()
		f.pulls[r] = cancel
		f.mu.Unlock()
		defer func() {
			f.mu.Lock()
			delete(f.pulls, r)
			f.mu.Unlock()
			cancel()
		}()
		target, err := url.Parse(f.target)
		must(t, err)
		proxy := &httputil.ReverseProxy{
			Rewrite:      func(p *httputil.ProxyRequest) { p.SetURL(target) },
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { drop(w) },
		}
		proxy.ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(f.Close)
	return f
}

// endPulls ends the pulls of the files for which has returns true.
func (f *mediaFront) endPulls(has func(fileURL string) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r, end := range f.pulls {
		if has(r.URL.Path) {
			end()
		}
	}
}

// gated is what the token of a file's address contains if the file is behind a gate.
var gated = regexp.MustCompile(`(ws_\w+) .* (post_\w+\.\d+\.\d+)$`)

// isBehindClosedGate reports whether a pull of a file waits for a gate that is not open.
func (w *world) isBehindClosedGate(filePath string) bool {
	w.t.Helper()
	token, _, _ := strings.Cut(strings.TrimPrefix(filePath, contract.FilePath), "/")
	signed, err := base64.RawURLEncoding.DecodeString(token)
	must(w.t, err)
	found := gated.FindSubmatch(signed[:len(signed)-sha256.Size])
	if found == nil {
		return false
	}
	workspace, err := core.ParseID[core.WorkspaceKind](string(found[1]))
	must(w.t, err)
	open, err := w.Store.In(workspace).IsGateOpen(w.Context(), string(found[2]))
	must(w.t, err)
	return !open
}

// startLife starts a worker that does what the acts say at its boundaries.
func (w *world) startLife(acts map[int]act) *life {
	w.t.Helper()
	w.lives++
	return startLife(w.t, lifeConfig{
		Name: fmt.Sprintf("life %d", w.lives), Database: w.Pool.Config().ConnString(), NetworksURL: w.NetworksURL,
		Script: newScript(acts), OnCall: w.takeLoss, AfterCall: func() { w.waitIdle(20 * time.Millisecond) },
		NewApp: func(c apptest.Connections, change func(*app.Config)) *app.App { return w.Replica(w.Through(c), change) },
	})
}

// endLife ends a worker and waits until the database has noticed that it is gone.
func (w *world) endLife(l *life) {
	w.t.Helper()
	l.endQuietly()
	w.waitUntilGone(l.name)
}

func (w *world) waitUntilGone(name string) {
	w.t.Helper()
	w.Eventually("the database knows of the end of "+name, func() (gone bool) {
		must(w.t, w.Pool.QueryRow(w.Context(),
			`SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1)`,
			name).Scan(&gone))
		return gone
	})
}

// takeLoss says what becomes of a call that a worker makes now.
func (w *world) takeLoss(r *http.Request) loss {
	w.mu.Lock()
	defer w.mu.Unlock()
	host, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if w.Clock.Now().Before(w.reachable) && slices.Contains(w.hosts, host) {
		return lossRequest
	}
	lost := w.pending
	w.pending = lossNone
	return lost
}

func (w *world) loseNextCall(l loss) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = l
}

// waitIdle waits until the networks have done what they do by themselves. Some of it waits for a gate.
func (w *world) waitIdle(most time.Duration) bool {
	ctx, cancel := context.WithTimeout(w.Context(), most)
	defer cancel()
	return w.Sim.WaitIdle(ctx) == nil
}

// gateLooks is longer than the pause between two looks at a gate.
const gateLooks = 250 * time.Millisecond

// moveTo moves the clock forward. What the networks had begun is over by then.
func (w *world) moveTo(to time.Time) {
	w.t.Helper()
	for !w.waitIdle(gateLooks) {
		w.media.endPulls(w.isBehindClosedGate)
	}
	if to.After(w.Clock.Now()) {
		w.Clock.Set(to)
	}
}

// claimable is the condition under which a worker may claim a row of publications, apart from its times.
const claimable = `(lease_until IS NULL OR lease_until <= clock())`

// duePosts lists the posts that a worker would claim now.
func (w *world) duePosts() []core.PostID {
	w.t.Helper()
	rows, err := w.Pool.Query(w.Context(), `SELECT post_id FROM publications WHERE `+claimable+`
		AND (next_action_at <= clock() OR prepare_at <= clock() AND due_at > clock()) ORDER BY post_id`)
	must(w.t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[core.PostID])
	must(w.t, err)
	return ids
}

// nextDue is when a worker will have something to do; zero when nothing.
func (w *world) nextDue() time.Time {
	w.t.Helper()
	var next *time.Time
	must(w.t, w.Pool.QueryRow(w.Context(), `SELECT min(greatest(lease_until,
		least(next_action_at, CASE WHEN due_at > clock() THEN prepare_at END))) FROM publications
		WHERE next_action_at IS NOT NULL`).Scan(&next))
	if next == nil {
		return time.Time{}
	}
	return *next
}

// publishDue lets a life publish all that is due, again and again until it rests or is dead. It returns false if posts
// are left: a worker that stands still has locked them.
func (w *world) publishDue(l *life) bool {
	w.t.Helper()
	for range 10 {
		due := w.duePosts()
		for _, post := range due {
			l.publish(w.ws.ID, post)
		}
		if len(due) == 0 || l.isDead() {
			return true
		}
	}
	return false
}

// runUntil lets a life work, and moves the clock, until nothing is due before the time given, or the life can do no
// more. before is called before each step.
func (w *world) runUntil(l *life, until time.Time, before func()) {
	w.t.Helper()
	for range 1000 {
		before()
		next := w.nextDue()
		if next.IsZero() || next.After(until) || l.isDead() {
			w.waitIdle(gateLooks)
			return
		}
		w.moveTo(next)
		if !w.publishDue(l) {
			return
		}
	}
	w.t.Fatalf("the posts never rest: %s", w.ledger())
}

// post is a post of a test.
type post struct {
	kind    apptest.Kind
	account contract.Account
	id      core.PostID
	at      time.Time
}

// connectAccount connects a new account on a network, which has published nothing.
func (w *world) connectAccount(network string) contract.Account {
	w.t.Helper()
	w.made++
	return w.ws.Account(network, fmt.Sprintf("bell_%d", w.made))
}

// makePost makes a post of a kind on an account.
func (w *world) makePost(kind apptest.Kind, account contract.Account, when contract.When) post {
	w.t.Helper()
	w.made++
	text := fmt.Sprintf("bell number %d", w.made)
	id, err := core.ParseID[core.PostKind](w.ws.PostOf(kind, text, account, when).ID)
	must(w.t, err)
	return post{kind, account, id, w.Clock.Now()}
}

func now() contract.When { return contract.When{Word: "now"} }

// outcome is what became of a post.
type outcome struct {
	Status, Code string
	Visible      int
	Calls        int // publishing calls for it that reached the network
	Timeline     string
}

// readOutcome reads what became of a post. It fails for a post that shows what it should not, or where it should not.
func (w *world) readOutcome(p post) (o outcome) {
	w.t.Helper()
	var profile, text string
	must(w.t, w.Pool.QueryRow(w.Context(), `SELECT p.status, p.error_code, p.text, a.external_id,
			(SELECT string_agg(kind, ' ' ORDER BY e.id) FROM post_events e WHERE e.post_id = p.id)
		FROM posts p JOIN accounts a ON a.id = p.account_id WHERE p.id = $1`, p.id).Scan(
		&o.Status, &o.Code, &text, &profile, &o.Timeline))
	for _, shown := range w.Sim.Posts.All() {
		ours := shown.Text == text
		if p.kind.Wordless { // it is alone on its account
			ours = shown.Network == p.kind.Network && shown.Account == profile
		}
		if !ours {
			continue
		}
		o.Visible++
		o.Calls = max(o.Calls, shown.PublishCalls)
		if shown.Network != p.kind.Network || shown.Account != profile || len(shown.Media) != len(p.kind.Files) {
			w.t.Errorf("%s shows on %s of %s with %d files", text, shown.Account, shown.Network, len(shown.Media))
		}
	}
	return o
}

// unknowable lists the kinds of posts whose outcome nobody can know if a worker dies in the middle of their one call
// (cell U1 of the design): they have no object at the network that could be asked about.
var unknowable = []string{"Facebook text", "Facebook photos"}

// story is the timeline of a post that nobody changes.
var story = regexp.MustCompile(`^created queued publishing( queued| failed retried publishing)* (live|failed|failed live)$`)

// complaint says what is wrong with an outcome; "" when nothing is. A post whose outcome is unknown may be visible if
// a call was late.
func (o outcome) complaint(p post, calls int, late bool) string {
	switch {
	case !story.MatchString(o.Timeline) || !strings.HasSuffix(o.Timeline, o.Status):
		return "its timeline contradicts it"
	case o.Calls > calls:
		return "the network was called too often"
	case o.Status == "live" && o.Visible == 1:
		return ""
	case o.Status == "failed" && o.Code == core.ErrorOutcomeUnknown:
		if !slices.Contains(unknowable, p.kind.Name) {
			return "its outcome can be known"
		}
		if o.Visible == 0 || o.Visible == 1 && late {
			return ""
		}
	case o.Status == "failed" && o.Visible == 0:
		return ""
	}
	return "the database and the network disagree"
}

// isFinal tells whether a post has come to its end.
func (w *world) isFinal(p post) (final bool) {
	w.t.Helper()
	must(w.t, w.Pool.QueryRow(w.Context(), `SELECT status <> 'queued' AND rest <> 'retry' FROM posts
		JOIN publications ON post_id = id WHERE id = $1`, p.id).Scan(&final))
	return final
}

// ledger shows the rows of publications that are not done.
func (w *world) ledger() string {
	w.t.Helper()
	rows, err := w.Pool.Query(w.Context(), `SELECT concat_ws(' ', post_id, step, rest, 'armed', armed, 'open', open, 'due',
		due_at, 'next', next_action_at, 'lease', lease_until, 'now', clock()) FROM publications WHERE next_action_at IS NOT NULL`)
	must(w.t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(w.t, err)
	return strings.Join(lines, "\n")
}
