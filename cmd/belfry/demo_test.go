package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/network/all"
	"belfry/internal/sandbox"
	"belfry/internal/store/storetest"
)

func TestSeedGivesTheFirstOwnerThreeBrandsWithAPastAndAFuture(t *testing.T) {
	t.Parallel()
	database, data := storetest.URL(t), t.TempDir()
	env := []string{"BELFRY_DATABASE_URL=" + database, "BELFRY_DATA_DIR=" + data, "BELFRY_ADDR=127.0.0.1:0"}
	code, _, errs := belfryWith(t, env, "crooked bells ring\n",
		"workspace", "create", "--name", "Papercut", "--owner-email", "nia@example.org", "--password-stdin")
	if code != exitOK {
		t.Fatalf("workspace create exits with %d: %s", code, errs)
	}
	code, out, errs := belfry(t, env, "seed")
	if code != exitOK || errs != "" || !strings.Contains(out, "nia@example.org") {
		t.Fatalf("seed exits with %d and prints %q and %q", code, out, errs)
	}
	pool, err := pgxpool.New(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	// "Papercut" exists, so all three brands get a number.
	rows, err := pool.Query(t.Context(), `
		SELECT w.slug, w.name, p.status, count(*), count(*) FILTER (WHERE p.publish_at < now() - interval '4 days'),
			count(*) FILTER (WHERE p.publish_at > now() + interval '4 days'), count(*) FILTER (WHERE p.media_ids <> '{}'),
			count(*) FILTER (WHERE EXISTS (SELECT FROM post_events e WHERE e.post_id = p.id AND e.at > p.updated_at))
		FROM workspaces w JOIN members m ON m.workspace_id = w.id JOIN users u ON u.id = m.user_id
		JOIN posts p ON p.workspace_id = w.id WHERE u.email = 'nia@example.org' AND m.role = 'owner'
		GROUP BY w.slug, w.name, p.status`)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for rows.Next() {
		var slug, name, status string
		var all, past, future, withPicture, late int
		if err := rows.Scan(&slug, &name, &status, &all, &past, &future, &withPicture, &late); err != nil {
			t.Fatal(err)
		}
		found[name+", "+slug+": "+status] = all
		if status == "live" && past == 0 || status == "queued" && future == 0 || status == "live" && withPicture == 0 {
			t.Errorf("%s: of %d %s posts %d are in the past, %d in the future, and %d have a picture",
				name, all, status, past, future, withPicture)
		}
		if late > 0 {
			t.Errorf("%s: %d %s posts have an event that is later than their last change", name, late, status)
		}
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	for _, want := range []string{
		"Harbour Bakery 2, harbour-bakery-2: live", "Harbour Bakery 2, harbour-bakery-2: queued",
		"Harbour Bakery 2, harbour-bakery-2: draft", "Night Owl Cycles 2, night-owl-cycles-2: failed",
		"Papercut 2, papercut-2: live",
	} {
		if found[want] == 0 {
			t.Errorf("there are no posts of %q, only %v", want, found)
		}
	}
	checkEveryNetworkHasPosts(t, pool)
	checkNetworksShowTheTimesOfPosts(t, pool, data)
	checkWorkspacesAreOlderThanTheirPosts(t, pool)
}

// A network that allowed no more uploads that day made seed wait for a minute and fail.
func TestSeedSaysWhichPostsANetworksLimitHolds(t *testing.T) {
	t.Parallel()
	env := []string{
		"BELFRY_DATABASE_URL=" + storetest.URL(t), "BELFRY_DATA_DIR=" + t.TempDir(), "BELFRY_ADDR=127.0.0.1:0",
		"BELFRY_YOUTUBE_UPLOADS_PER_DAY=1",
	}
	code, out, errs := belfry(t, env, "seed", "--json")
	if code != exitOK || !strings.Contains(out, `"accounts"`) || !strings.Contains(errs, "YouTube allows 1 uploads a day") {
		t.Errorf("seed exits with %d and prints %q and %q", code, out, errs)
	}
}

// Without BELFRY_ADDR, seed did not find the service at another address. It connected accounts whose tokens the service
// did not know, and left workspaces without posts.
func TestSeedRefusesToRunBesideAServiceThatItDoesNotFind(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	service, err := sandbox.New(sandbox.Config{JournalDir: filepath.Join(data, "sandbox")})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	env := []string{"BELFRY_DATABASE_URL=" + storetest.URL(t), "BELFRY_DATA_DIR=" + data, "BELFRY_ADDR=127.0.0.1:0"}
	code, _, errs := belfry(t, env, "seed")
	if code == exitOK || !strings.Contains(errs, "set BELFRY_ADDR to the address of the service") {
		t.Errorf("seed exits with %d and prints %q", code, errs)
	}
	if code, out, errs := belfry(t, env, "workspace", "list"); code != exitOK || strings.Contains(out, "Papercut") {
		t.Errorf("workspace list exits with %d and prints %q and %q", code, out, errs)
	}
}

// checkEveryNetworkHasPosts fails unless a brand has an account on all networks, also on those that only take files,
// with a past and a future, and a group of some of its accounts.
func checkEveryNetworkHasPosts(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	rows, err := pool.Query(t.Context(), `
		SELECT a.platform, count(p.id) FILTER (WHERE p.status = 'live'), count(p.id) FILTER (WHERE p.status = 'queued'),
			count(DISTINCT g.group_id)
		FROM workspaces w JOIN accounts a ON a.workspace_id = w.id LEFT JOIN posts p ON p.account_id = a.id
		LEFT JOIN group_accounts g ON g.account_id = a.id
		WHERE w.name = 'Harbour Bakery 2' GROUP BY a.platform`)
	if err != nil {
		t.Fatal(err)
	}
	networks, grouped := 0, 0
	for rows.Next() {
		var network string
		var live, queued, groups int
		if err := rows.Scan(&network, &live, &queued, &groups); err != nil {
			t.Fatal(err)
		}
		if networks++; live == 0 || queued == 0 {
			t.Errorf("%s: %d live and %d queued posts", network, live, queued)
		}
		grouped += groups
	}
	if grouped < 2 || grouped >= networks {
		t.Errorf("of %d accounts, %d are in a group", networks, grouped)
	}
	if rows.Err() != nil || networks != len(all.Drivers()) {
		t.Errorf("the brand has accounts on %d networks: %v", networks, rows.Err())
	}
}

// checkNetworksShowTheTimesOfPosts fails unless the simulated networks in the folder data show each past live post with
// the time that Belfry shows, and the post's timeline begins at least a day earlier.
func checkNetworksShowTheTimesOfPosts(t *testing.T, pool *pgxpool.Pool, data string) {
	t.Helper()
	networks, err := sandbox.New(sandbox.Config{JournalDir: filepath.Join(data, "sandbox")})
	if err != nil {
		t.Fatal(err)
	}
	defer networks.Close()
	shown := map[string]time.Time{}
	for _, p := range networks.Kit().Posts.All() {
		shown[p.ID] = p.CreatedAt
	}
	rows, err := pool.Query(t.Context(), `
		SELECT p.external_id, p.live_at, (SELECT min(e.at) FROM post_events e WHERE e.post_id = p.id)
		FROM posts p WHERE p.status = 'live' AND p.publish_at < now() - interval '1 day'`)
	if err != nil {
		t.Fatal(err)
	}
	past := 0
	for rows.Next() {
		var id string
		var live, planned time.Time
		if err := rows.Scan(&id, &live, &planned); err != nil {
			t.Fatal(err)
		}
		if past++; live.Sub(shown[id]).Abs() > publishPatience || live.Sub(planned) < 24*time.Hour {
			t.Errorf("%s was planned at %v, is live since %v, and the network shows %v", id, planned, live, shown[id])
		}
	}
	if rows.Err() != nil || past == 0 {
		t.Errorf("there are %d past posts: %v", past, rows.Err())
	}
}

// checkWorkspacesAreOlderThanTheirPosts fails if a workspace, an account, a group or a file is younger than a post of
// the workspace, or a workspace is younger than what it contains.
func checkWorkspacesAreOlderThanTheirPosts(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for _, table := range []string{"members", "accounts", "groups", "media"} {
		var young int
		if err := pool.QueryRow(t.Context(), `
			SELECT count(*) FROM `+table+` one JOIN workspaces w ON w.id = one.workspace_id
			WHERE w.created_at > one.created_at OR one.created_at >
				(SELECT min(p.created_at) FROM posts p WHERE p.workspace_id = w.id)`).Scan(&young); err != nil {
			t.Fatal(err)
		}
		if young > 0 {
			t.Errorf("%d rows of %s are older than their workspace, or younger than its first post", young, table)
		}
	}
}

// An account's limit said "0 of 250 posts in 24 hours" beside a post that had just been published.
func TestUsedLimitsIncludeSeededPosts(t *testing.T) {
	t.Parallel()
	database := storetest.URL(t)
	env := []string{"BELFRY_DATABASE_URL=" + database, "BELFRY_DATA_DIR=" + t.TempDir(), "BELFRY_ADDR=127.0.0.1:0"}
	if code, _, errs := belfry(t, env, "seed", "--json"); code != exitOK {
		t.Fatalf("seed exits with %d: %s", code, errs)
	}
	pool, err := pgxpool.New(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	rows, err := pool.Query(t.Context(), `
		SELECT (f.facts->'quota'->>'used')::int, (SELECT count(*) FROM posts p
			WHERE p.account_id = f.account_id AND p.status = 'live' AND p.live_at > now() - interval '24 hours')
		FROM account_facts f JOIN accounts a ON a.id = f.account_id WHERE a.platform = 'threads'`)
	if err != nil {
		t.Fatal(err)
	}
	recent := 0
	for rows.Next() {
		var used, live int
		if err := rows.Scan(&used, &live); err != nil {
			t.Fatal(err)
		}
		if recent += live; used != live {
			t.Errorf("an account with %d posts in 24 hours has used %d of its limit", live, used)
		}
	}
	if rows.Err() != nil || recent == 0 {
		t.Errorf("the accounts on Threads have %d posts in 24 hours: %v", recent, rows.Err())
	}
}
