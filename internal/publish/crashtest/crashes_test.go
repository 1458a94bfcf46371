package crashtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/postgres"
	"belfry/internal/publish"
	"belfry/internal/store/storetest"
)

// crashesPerAccount is after how many crashes the next account of each network takes the posts. With more, most accounts
// would reach TikTok's daily limit, toward which the simulator also counts posts whose photos a crash has cut off.
const crashesPerAccount = 5

// The database crashes again and again, as at `pg_ctl stop -m immediate`, while three workers publish posts that are
// being created: each post whose creation was confirmed goes out once.
func TestAPostGoesOutOnceAfterCrashesOfTheDatabase(t *testing.T) {
	t.Parallel()
	crashes := 3
	if *all {
		crashes = 200
	}
	server := startServer(t)
	w := newWorldOn(t, server.pool, shortLease)
	random := rand.New(rand.NewPCG(*first, 11))
	var kinds []apptest.Kind
	for _, kind := range apptest.Kinds() {
		if !kind.Wordless { // a post whose creation was not confirmed is known by its text
			kinds = append(kinds, kind)
		}
	}
	accounts := map[string][]contract.Account{} // the networks limit how many posts an account publishes in a day
	for _, kind := range kinds {
		for len(accounts[kind.Network]) <= crashes/crashesPerAccount {
			accounts[kind.Network] = append(accounts[kind.Network], w.connectAccount(kind.Network))
		}
		for _, file := range kind.Files {
			w.ws.Sample(file)
		}
	}
	var posts []post
	var texts []string
	var workers sync.WaitGroup
	ctx, stop := context.WithCancel(w.Context())
	lives := []*life{w.startLife(nil), w.startLife(nil), w.startLife(nil)}
	for _, l := range lives {
		workers.Go(func() {
			l.app.Engine().Run(ctx, publish.Worker{Owner: l.name, Poll: 20 * time.Millisecond, Posts: 8, Preparing: 2})
		})
	}
	passed := func() (n int) {
		for _, l := range lives {
			n += l.countPassed()
		}
		return n
	}
	for crash := range crashes {
		until := passed() + random.IntN(150)
		var creating sync.WaitGroup
		creating.Go(func() {
			for n := range 6 {
				kind := kinds[(crash+5*n)%len(kinds)]
				text := fmt.Sprintf("bell %d of crash %d", n, crash)
				texts = append(texts, text)
				if p, err := w.tryPost(kind, accounts[kind.Network][crash/crashesPerAccount], text); err == nil {
					posts = append(posts, p)
				}
			}
		})
		w.Eventually("the workers have got on", func() bool { return passed() >= until })
		server.crashNow(t)
		creating.Wait()
		w.Eventually("the clock moves on", func() bool { return w.Clock.TryAdvance(w.Config.Schedule.Lease+time.Second) == nil })
	}
	stop()
	workers.Wait()
	last := w.startLife(nil)
	w.runUntil(last, w.Clock.Now().Add(30*time.Hour), func() {}) // so that a daily limit has room again
	results := map[string]int{}
	for _, p := range posts {
		o := w.readOutcome(p)
		if wrong := o.complaintOfChanged(p); wrong != "" {
			t.Errorf("%s: %s: %+v", p.kind.Name, wrong, o)
		}
		results[o.Status+" "+o.Code]++
	}
	for _, text := range texts {
		if n := w.Visible(text); n > 1 {
			t.Errorf("%q is visible %d times", text, n)
		}
	}
	for _, l := range append(lives, last) {
		w.endLife(l)
	}
	t.Logf("%d crashes, %d of %d creations confirmed: %v", crashes, len(posts), len(texts), results)
}

// tryPost makes a post while the database may crash.
func (w *world) tryPost(kind apptest.Kind, account contract.Account, text string) (post, error) {
	made, err := w.ws.TryPostOf(kind, text, account, now())
	if err != nil {
		return post{}, err
	}
	id, err := core.ParseID[core.PostKind](made.ID)
	must(w.t, err)
	return post{kind, account, id, w.Clock.Now()}, nil
}

// server is a PostgreSQL that can crash, with a migrated database.
type server struct {
	dir  string
	pool *pgxpool.Pool
}

// startServer starts one as the product runs it: what it confirms is on disk.
func startServer(t *testing.T) *server {
	t.Helper()
	dir, err := os.MkdirTemp("", "belfry-crash") // which root's server can reach
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o711))
	s, err := postgres.Start(t.Context(), postgres.Config{Dir: dir})
	must(t, err)
	t.Cleanup(func() { must(t, s.Stop(context.WithoutCancel(t.Context()))) })
	address, _, err := storetest.Database(t.Context(), s.URL())
	must(t, err)
	pool, err := pgxpool.New(t.Context(), address)
	must(t, err)
	t.Cleanup(pool.Close)
	return &server{dir, pool}
}

// crashNow ends the server at once, and returns when it runs again.
func (s *server) crashNow(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "postgres", "postmaster.pid"))
	must(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	must(t, err)
	var before, after time.Time
	read := func(into *time.Time) error {
		return s.pool.QueryRow(t.Context(), `SELECT pg_postmaster_start_time()`).Scan(into)
	}
	must(t, read(&before))
	must(t, syscall.Kill(pid, syscall.SIGQUIT))
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for deadline := time.Now().Add(time.Minute); read(&after) != nil || !after.After(before); <-ticks.C {
		if time.Now().After(deadline) {
			t.Fatal("the database does not start again")
		}
	}
	s.pool.Reset()
}
