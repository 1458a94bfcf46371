package app_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"belfry/internal/core"
)

// recordTakings has the database note each time that a workspace takes slots or bytes, within the transaction
// that does, and how many it has then.
func (c *city) recordTakings() {
	c.t.Helper()
	_, err := c.Pool.Exec(c.Context(), `
		CREATE TABLE takings (workspace_id uuid, what text, used bigint);
		CREATE FUNCTION record_taking() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF TG_OP = 'INSERT' OR NEW.used > OLD.used THEN
				INSERT INTO takings VALUES (NEW.workspace_id, TG_TABLE_NAME, NEW.used);
			END IF;
			RETURN NULL;
		END $$;
		CREATE TRIGGER taking AFTER INSERT OR UPDATE ON usage_month FOR EACH ROW EXECUTE FUNCTION record_taking();
		CREATE TRIGGER taking AFTER INSERT OR UPDATE ON usage_storage FOR EACH ROW EXECUTE FUNCTION record_taking()`)
	must(c.t, err)
}

// broken finds what must never be, in words, by what each would mean.
func broken() map[string]string {
	return map[string]string{
		"slots are counted that no post holds, or held and not counted": `
			SELECT concat(workspace_id, ' in ', period, ': ', used, ' counted, ', held, ' held') FROM usage_month FULL JOIN
				(SELECT workspace_id, period, count(*) AS held FROM post_slots WHERE state = 'held' GROUP BY 1, 2) h USING (workspace_id, period)
			WHERE coalesce(used, 0) <> coalesce(held, 0)`,
		"bytes are counted that no file has, or had and not counted": `
			SELECT concat(workspace_id, ': ', used, ' counted, ', sum, ' had') FROM usage_storage FULL JOIN
				(SELECT workspace_id, sum(charged) FROM media GROUP BY 1) m USING (workspace_id)
			WHERE coalesce(used, 0) <> coalesce(sum, 0)`,
		"a file counts otherwise than what is kept of it": `
			SELECT concat(id, ': ', status, ', ', charged, ' of ', size) FROM media
			WHERE charged <> CASE WHEN status = 'failed' OR purged_at IS NOT NULL OR deleted_at IS NOT NULL THEN 0 ELSE size END`,
		"a post that was queued holds no slot, or a draft holds one": `
			SELECT concat(p.id, ': ', status, ', ', s.state) FROM posts p LEFT JOIN post_slots s ON s.post_id = p.id
			WHERE (status <> 'draft') <> (coalesce(s.state, '') = 'held')`,
		"a queued post is waited for by nobody, or a draft is due": `
			SELECT concat(p.id, ': ', status, ', ', u.step, ', ', u.rest) FROM posts p LEFT JOIN publications u ON u.post_id = p.id
			WHERE status = 'queued' AND u.next_action_at IS NULL AND (u.lease_until IS NULL OR u.lease_until <= clock())
				OR status = 'draft' AND u.next_action_at IS NOT NULL`,
		"drafts are counted that are not there, or there and not counted": `
			SELECT concat(workspace_id, ': ', used, ' counted, ', drafts, ' there') FROM usage_drafts FULL JOIN
				(SELECT workspace_id, count(*) AS drafts FROM posts WHERE status = 'draft' GROUP BY 1) d USING (workspace_id)
			WHERE coalesce(used, 0) <> coalesce(drafts, 0)`,
		"a queued post's bytes are gone": `
			SELECT concat(p.id, ': ', m.id) FROM posts p JOIN post_media pm ON pm.post_id = p.id JOIN media m ON m.id = pm.media_id
			WHERE p.status = 'queued' AND m.blob = ''`,
		"a file that is not done is waited for by nobody": `
			SELECT concat(id, ': ', status) FROM media WHERE status IN ('uploading', 'processing') AND deleted_at IS NULL AND next_at IS NULL`,
	}
}

// inspect looks at the whole, while nothing happens.
func (c *city) inspect() {
	c.t.Helper()
	for what, sql := range broken() {
		for _, one := range c.texts(sql) {
			c.t.Errorf("%s: %s", what, one)
		}
	}
	c.noLimitExceeded()
	c.nothingTwice()
}

func (c *city) texts(sql string, args ...any) (list []string) {
	c.t.Helper()
	must(c.t, c.Pool.QueryRow(c.Context(), `SELECT coalesce(array_agg(t.text), '{}') FROM (`+sql+`) t(text)`, args...).Scan(&list))
	return list
}

// noLimitExceeded compares what was taken with the largest plan that was in force since the last barrier.
func (c *city) noLimitExceeded() {
	c.t.Helper()
	for _, at := range c.houses {
		var posts, bytes int64
		for _, name := range at.plans {
			plan := c.Config.Plans[name]
			posts, bytes = max(posts, *plan.Posts), max(bytes, *plan.StorageBytes)
		}
		for _, over := range c.texts(`SELECT concat(what, ': ', max(used)) FROM takings
			WHERE workspace_id = $1 AND used > CASE what WHEN 'usage_month' THEN $2::bigint ELSE $3 END GROUP BY what`, at.ws.ID,
			posts, bytes) {
			c.t.Errorf("%s went over %d posts or %d bytes: %s", at.ws.Slug, posts, bytes, over)
		}
	}
}

// nothingTwice looks for a text that stands at an account twice, and for live posts that nobody can see.
func (c *city) nothingTwice() {
	c.t.Helper()
	seen, visible := map[[3]string]bool{}, map[string]bool{}
	for _, p := range c.Sim.Posts.All() {
		key := [3]string{p.Network, p.Account, p.Text}
		if seen[key] {
			c.t.Errorf("%v went out twice", key)
		}
		seen[key], visible[p.Network+" "+p.ID], visible[p.Network+" "+p.Account+" "+p.Text] = true, true, true
	}
	// A container may be known to be published when its post could not be looked up: then nothing has its id.
	for _, id := range c.texts(`SELECT p.platform || ' ' || CASE p.external_id WHEN '' THEN a.external_id || ' ' || p.text ELSE p.external_id END
		FROM posts p JOIN accounts a ON a.id = p.account_id WHERE p.status = 'live'`) {
		if !visible[id] {
			c.t.Errorf("%s is called live and is not there", id)
		}
	}
}

// drain lets the workers do all that is left to do for months.
func (c *city) drain() {
	c.t.Helper()
	c.Sim.Faults.Clear()
	e := &errand{city: c, ctx: c.Context(), app: c.replicas[0]}
	for range 60 {
		for _, op := range kinds() {
			if op.work {
				must(c.t, op.do(e))
			}
		}
		for n := 1; n > 0; {
			var err error
			n, err = e.workOn(1_000)
			must(c.t, err)
			sent, err := e.publishDue(1_000)
			must(c.t, err)
			n += sent
		}
		e.Clock.Advance(4 * time.Hour)
	}
}

// tryAtRest repeats what never succeeded among the others: an account, for one, cannot be disconnected while one of its
// posts is being published.
func (c *city) tryAtRest() {
	c.t.Helper()
	random := rand.New(rand.NewPCG(*operationSeed, uint64(*operations)))
	for _, op := range kinds() {
		for tries := 0; c.came[op.name]["ok"] == 0 && op.weight > 2 && tries < 100; tries++ {
			c.carryOut(op, random)
		}
	}
}

// nothingLeftOver wants no post to be stuck in the queue, and exactly those bytes kept that a file names.
func (c *city) nothingLeftOver() {
	c.t.Helper()
	for _, stuck := range c.texts(`SELECT concat(p.id, ': ', u.step, ', ', u.rest, ', ', u.next_action_at) FROM posts p JOIN publications u ON u.post_id = p.id WHERE p.status = 'queued'`) {
		c.t.Errorf("after all is done a post is still queued: %s", stuck)
	}
	kept, named := blobs(c.t, c.Harness), c.texts(`SELECT blob FROM media WHERE blob <> '' UNION SELECT thumbnail FROM media WHERE thumbnail <> ''`)
	slices.Sort(kept)
	slices.Sort(named)
	if !slices.Equal(kept, named) {
		c.t.Errorf("%d pieces are kept, %d are named", len(kept), len(named))
	}
}

// neverDeadlocked asks the server, once the connections are closed: only then has it counted all.
func (c *city) neverDeadlocked() {
	c.t.Helper()
	for _, pool := range c.pools {
		pool.Close()
	}
	var deadlocks int
	must(c.t, c.Pool.QueryRow(context.WithoutCancel(c.Context()), `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&deadlocks))
	if deadlocks > 0 {
		c.t.Errorf("the server broke up %d deadlocks", deadlocks)
	}
}

// everythingHappened makes sure that the operations were of every kind, and that limits were met.
func (c *city) everythingHappened() {
	c.t.Helper()
	for _, op := range kinds() {
		c.t.Logf("%-16s %v", op.name, c.came[op.name])
		if c.came[op.name]["ok"] == 0 && op.weight > 2 {
			c.t.Errorf("%s never succeeded", op.name)
		}
	}
	for _, count := range c.texts(`SELECT concat(count(*), ' posts ', status, ' ', error_code) FROM posts GROUP BY status, error_code UNION ALL
		SELECT concat(count(*), ' files ', status, purged) FROM
		(SELECT status, CASE WHEN purged_at IS NOT NULL THEN ', purged' END AS purged FROM media) m GROUP BY status, purged`) {
		c.t.Log(count)
	}
	if c.came["create"][core.CodeQuotaExceeded] == 0 || c.came["reserve"][core.CodeQuotaExceeded] == 0 {
		c.t.Error("no limit was met")
	}
}
