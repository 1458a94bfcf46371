package store

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"belfry/internal/core"
)

// examinedFirst is how many posts a search examines before it uses the index. A text that does not fill a page with
// this many posts is rare enough for the index.
const examinedFirst = 5_000

// preferTextIndexSQL prepares a transaction for a search with a text index. With less memory, the index would return
// whole pages, and the texts of all their rows would be split again. While the index has many new texts, which
// autovacuum has not sorted yet, PostgreSQL would rather split all texts of the table, because it underestimates what
// that takes.
const preferTextIndexSQL = `SELECT set_config('work_mem', '32MB', true), set_config('enable_seqscan', 'off', true)`

// searchPosts first examines the first posts of the list. If the text is frequent, the matches among them fill a page.
// Otherwise, searchPosts uses the text index, which is fast for rare texts.
//
// The index contains parts of up to four characters. For a shorter text, search_query therefore looks for all parts
// that begin with the text, which takes longer. acquireSearchPlace limits how many searches of a workspace use the
// index at once.
func (t Tenant) searchPosts(ctx context.Context, f PostFilter, q postQuery) ([]core.Post, error) {
	matches := `(p.text ILIKE @q OR p.title ILIKE @q)` + q.unreplaced
	q.unreplaced = "" // is checked only for matches
	q.args["q"] = likePatternContaining(f.Contains)
	examined := fmt.Sprint(examinedFirst)
	if q.parts != "" {
		examined = fmt.Sprintf(`(SELECT %d / greatest(count(*), 1) FROM %s)`, examinedFirst, q.parts)
	}
	first := q.firstPostsSQL(examined)
	posts, err := t.readPosts(ctx, q, `SELECT p.* FROM (`+first+`) p WHERE `+matches)
	if err != nil || len(posts) == f.Limit {
		return posts, err
	}

	release, err := t.store.searches.acquireSearchPlace(ctx, t.ws)
	if err != nil {
		return nil, err
	}
	defer release()
	q.args["text"] = f.Contains
	var found []core.Post
	err = t.Tx(ctx, func(t Tenant) error {
		if err := t.store.exec(ctx, preferTextIndexSQL, nil); err != nil {
			return err
		}
		found, err = t.readPosts(ctx, q, `WITH found AS MATERIALIZED (
				SELECT post_id FROM post_texts WHERE workspace_id = @ws AND search_grams(text) @@ search_query(@text)
			) SELECT p.* FROM (
			`+listed+` WHERE `+q.whole+q.span+` AND p.id IN (SELECT post_id FROM found) AND `+matches+`
				AND (SELECT count(*) FROM (`+first+`) examined) >= `+examined+` -- or else there are no others
			OFFSET 0) p`)
		return err
	})
	if len(found) < len(posts) {
		return posts, err
	}
	return found, err
}

// searchMedia is searchPosts for files. It searches the same texts as the SQL function media_words joins for the index,
// but one by one, because PostgreSQL cannot inline that function.
func (t Tenant) searchMedia(ctx context.Context, f MediaFilter, whereSQL, orderBySQL string, a args) ([]Media, error) {
	const (
		texts    = `search_grams(media_words(m.original_name, m.title, m.description, m.tags))`
		contains = ` AND (m.original_name ILIKE @q OR m.title ILIKE @q OR m.description ILIKE @q
			OR array_to_string(m.tags, E'\n') ILIKE @q)`
	)
	a["q"], a["examined"] = likePatternContaining(f.Contains), examinedFirst
	orderSQL := orderBySQL + ` LIMIT @limit`
	first := `FROM (SELECT m.*` + mediaSource + whereSQL + orderBySQL + ` LIMIT @examined) m`
	files, err := queryMany[Media](t.queryReplanned(ctx,
		`SELECT`+mediaFields+` `+first+` WHERE true`+contains+orderSQL, a))
	if err != nil || len(files) == f.Limit {
		return files, err
	}

	release, err := t.store.searches.acquireSearchPlace(ctx, t.ws)
	if err != nil {
		return nil, err
	}
	defer release()
	a["text"] = f.Contains
	found, err := queryMany[Media](t.queryReplanned(ctx, `SELECT`+mediaColumns+whereSQL+
		` AND `+texts+` @@ search_query(@text)`+contains+
		` AND (SELECT count(*) `+first+`) >= @examined -- or else there are no others`+"\n"+orderSQL, a))
	if len(found) < len(files) {
		return files, err
	}
	return found, err
}

// likePatternContaining returns the LIKE pattern that matches texts with s in them.
func likePatternContaining(s string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s) + "%"
}

// slowSearches is how many searches of one workspace can use the index at the same time in this process.
const slowSearches = 2

// searchLimiter limits how many searches of each workspace use the index at the same time. The zero value is ready to
// use.
type searchLimiter struct {
	mu     sync.Mutex
	queues map[core.WorkspaceID]*searchPlaces
}

type searchPlaces struct {
	places chan struct{}
	users  int // how many searches run or wait; the last one removes the entry
}

// acquireSearchPlace waits until a search of the workspace may use the index. The caller calls release when the search
// has ended.
func (s *searchLimiter) acquireSearchPlace(ctx context.Context, ws core.WorkspaceID) (release func(), err error) {
	s.mu.Lock()
	q, ok := s.queues[ws]
	if !ok {
		if s.queues == nil {
			s.queues = map[core.WorkspaceID]*searchPlaces{}
		}
		q = &searchPlaces{places: make(chan struct{}, slowSearches)}
		s.queues[ws] = q
	}
	q.users++
	s.mu.Unlock()
	leave := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if q.users--; q.users == 0 {
			delete(s.queues, ws)
		}
	}
	select {
	case q.places <- struct{}{}:
		return func() { <-q.places; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
