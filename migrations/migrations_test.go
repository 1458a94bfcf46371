package migrations_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/store/storetest"
	"belfry/migrations"
)

func TestNumbersHaveNoGapAndNoTwin(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^(\d{4})_[a-z0-9_]+\.sql$`)
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	next := 1
	for _, e := range entries { // sorted by name, and so by number
		if !strings.HasSuffix(e.Name(), ".sql") {
			continue
		}
		m := form.FindStringSubmatch(e.Name())
		if m == nil {
			t.Errorf("%s is not named NNNN_what.sql", e.Name())
			continue
		}
		if n, err := strconv.Atoi(m[1]); err != nil || n != next {
			t.Errorf("%s comes where number %04d is due", e.Name(), next)
		}
		next++
	}
	if next == 1 {
		t.Error("there is no migration")
	}
}

// Tern reads files as templates, and treats what follows its separator line as the way back. We use neither.
func TestFilesArePlainForwardSQL(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sql") {
			continue
		}
		text, err := os.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"{{", "create above / drop below"} {
			if strings.Contains(string(text), bad) {
				t.Errorf("%s has %q in it", e.Name(), bad)
			}
		}
		if strings.HasPrefix(string(text), "---- tern: disable-tx ----\n") {
			checkRepeatable(t, e.Name(), string(text))
		}
	}
}

// repeatable are the beginnings of statements that can be run again after they, or one after them, failed half-way.
var repeatable = []string{
	"CREATE INDEX CONCURRENTLY ", "DROP INDEX CONCURRENTLY IF EXISTS ", "CREATE OR REPLACE FUNCTION ", "ANALYZE ",
	"UPDATE posts SET live_at = updated_at WHERE status = 'live' AND live_at IS NULL ",
	"DO $$", // its lines are indented
}

// checkRepeatable allows outside a transaction only what is repeatable.
func checkRepeatable(t *testing.T, name, text string) {
	t.Helper()
	made := regexp.MustCompile(`(?m)^CREATE INDEX CONCURRENTLY (\w+)`)
	for _, statement := range regexp.MustCompile(`(?m)^[A-Z].*`).FindAllString(text, -1) {
		if !slices.ContainsFunc(repeatable, func(begins string) bool { return strings.HasPrefix(statement, begins) }) {
			t.Errorf("%s: %q outside a transaction", name, statement)
		}
	}
	for _, index := range made.FindAllStringSubmatch(text, -1) {
		drop, create := "DROP INDEX CONCURRENTLY IF EXISTS "+index[1]+";", "CREATE INDEX CONCURRENTLY "+index[1]+" "
		if at := strings.Index(text, drop); at < 0 || at > strings.Index(text, create) {
			t.Errorf("%s builds %s without dropping what an earlier run left", name, index[1])
		}
	}
}

func TestAnIndexLeftInvalidIsBuiltAgain(t *testing.T) {
	t.Parallel()
	pool := open(t, storetest.URL(t))
	before := schema(t, pool)
	statements := []string{
		"DROP INDEX post_texts_grams", "CREATE INDEX post_texts_grams ON posts (tz)", "DROP INDEX posts_went_live",
		"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'post_texts_grams'::regclass",
	}
	for _, name := range []string{"0018_indexes_on_live_at.sql", "0022_post_texts_index.sql"} {
		migration, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, regexp.MustCompile(`(?m)^(UPDATE|DROP|CREATE INDEX|ANALYZE) .*`).
			FindAllString(string(migration), -1)...)
	}
	for _, sql := range statements {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if after := schema(t, pool); after != before {
		t.Errorf("the schema is\n%s\nwant\n%s", after, before)
	}
}

// A database from before post_texts has the texts of all its posts in it afterwards, more than one part of them.
func TestTheTextsOfPostsFromBeforeAreFound(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	if _, err := storetest.Fill(t.Context(), address, 12_000); err != nil {
		t.Fatal(err)
	}
	pool := open(t, address)
	migration, err := os.ReadFile("0022_post_texts_index.sql")
	if err != nil {
		t.Fatal(err)
	}
	fill, _, _ := strings.Cut(string(migration), "DROP INDEX")
	for _, sql := range []string{
		"DELETE FROM post_texts WHERE post_id IN (SELECT post_id FROM post_texts ORDER BY random() LIMIT 11000)", fill,
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if missing := text(t, pool, `SELECT count(*)::text FROM posts p LEFT JOIN post_texts t ON t.post_id = p.id
		WHERE t.text IS DISTINCT FROM p.text || E'\n' || p.title`); missing != "0" {
		t.Errorf("%s posts cannot be found by their texts", missing)
	}
}

func TestAMissingExtensionIsExplained(t *testing.T) {
	t.Parallel()
	_, err := empty(t).Exec(t.Context(), "CREATE EXTENSION no_such_extension")
	if err = migrations.Explain(err); err == nil || !strings.Contains(err.Error(), "install PostgreSQL's contrib package") {
		t.Errorf("error %v", err)
	}
	_, err = empty(t).Exec(t.Context(), "SELECT no_such_function()")
	if same := migrations.Explain(err); same != err { //nolint:errorlint // the very same
		t.Errorf("another error became %v", same)
	}
}

func TestFromEmptyAndAgain(t *testing.T) {
	t.Parallel()
	pool := empty(t)
	first := readState(t, pool)
	if first.Have != 0 || first.Want < 2 || !first.Empty || !first.IsBehind() {
		t.Fatalf("at first: %+v", first)
	}
	if err := migrations.Run(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if state := readState(t, pool); state.Have != first.Want || state.Empty || state.CheckCompatible() != nil {
		t.Fatalf("after the first run: %+v", state)
	}
	before := schema(t, pool)
	if err := migrations.Run(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if after := schema(t, pool); after != before {
		t.Errorf("the second run changed\n%s\ninto\n%s", before, after)
	}
	if lock := text(t, pool, "SELECT current_setting('lock_timeout')"); lock != "0" {
		t.Errorf("the pool's connections keep a lock_timeout of %s", lock)
	}
}

func TestReplicasMigrateOneAfterTheOther(t *testing.T) {
	t.Parallel()
	address := storetest.EmptyURL(t)
	var starts sync.WaitGroup
	for range 4 {
		pool := open(t, address)
		starts.Go(func() {
			if err := migrations.Run(t.Context(), pool); err != nil {
				t.Error(err)
			}
		})
	}
	starts.Wait()
	if state := readState(t, open(t, address)); state.Have != state.Want {
		t.Errorf("%+v", state)
	}
}

// A run cut off between our step and River's must be seen as unfinished.
func TestAHalfMigratedDatabaseIsBehind(t *testing.T) {
	t.Parallel()
	pool := open(t, storetest.URL(t))
	if _, err := pool.Exec(t.Context(), "DELETE FROM river_migration WHERE version = (SELECT max(version) FROM river_migration)"); err != nil {
		t.Fatal(err)
	}
	if state := readState(t, pool); state.Have != state.Want-1 || !state.IsBehind() {
		t.Errorf("%+v", state)
	}
}

// After an upgrade the program before it refused to start: there was no way back.
func TestAProgramRunsOnASchemaOneVersionNewer(t *testing.T) {
	t.Parallel()
	pool := open(t, storetest.URL(t))
	for _, sql := range []string{"UPDATE schema_version SET version = version + 1", "INSERT INTO river_migration (line, version) VALUES ('main', 99)"} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	before := schema(t, pool)
	state := readState(t, pool)
	if state.Have != state.Want+2 || state.IsBehind() || state.CheckCompatible() != nil {
		t.Errorf("%+v, %v", state, state.CheckCompatible())
	}
	if err := migrations.Run(t.Context(), pool); err != nil {
		t.Error(err)
	}
	if after := schema(t, pool); after != before {
		t.Errorf("the older program changed\n%s\ninto\n%s", before, after)
	}
}

func TestAProgramBelowTheFloorIsRefused(t *testing.T) {
	t.Parallel()
	pool := open(t, storetest.URL(t))
	for _, sql := range []string{"UPDATE schema_version SET version = version + 1", "UPDATE schema_floor SET version = (SELECT version FROM schema_version)"} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := readState(t, pool).CheckCompatible(); err == nil || !strings.Contains(err.Error(), "Run the newer version") {
		t.Errorf("error %v", err)
	}
	err := migrations.Run(t.Context(), pool)
	if err == nil || !strings.Contains(err.Error(), "created by a newer version of Belfry") {
		t.Errorf("error %v", err)
	}
}

// breaking finds what the program before a migration could not work with.
var breaking = regexp.MustCompile(`(?i)\b(DROP (TABLE|COLUMN|FUNCTION|VIEW|TYPE)|RENAME|SET NOT NULL|ALTER COLUMN \S+ (SET DATA )?TYPE|ADD COLUMN [^,;]* NOT NULL(?:[^,;]*))`)

func TestAMigrationThatBreaksTheProgramBeforeItRaisesTheFloor(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names[11:] { // programs from before the floor refuse every newer schema
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if number, _ := strconv.Atoi(name[:4]); breaks(string(text)) &&
			!strings.Contains(string(text), fmt.Sprintf("UPDATE schema_floor SET version = %d;", number)) {
			t.Errorf("%s takes away what the program before it uses, and does not raise schema_floor to %d", name, number)
		}
	}
	for sql, want := range map[string]bool{
		"ALTER TABLE posts DROP COLUMN tz;": true, "DROP TABLE posts;": true, "ALTER TABLE a RENAME b TO c;": true,
		"ALTER TABLE a ADD COLUMN b int NOT NULL;": true, "ALTER TABLE a ADD COLUMN b int NOT NULL DEFAULT 0;": false,
		"CREATE TABLE a (b int NOT NULL);": false, "DROP INDEX a;": false, "ALTER TABLE a ALTER COLUMN b TYPE text;": true,
	} {
		if breaks(sql) != want {
			t.Errorf("%s: %v", sql, !want)
		}
	}
}

func breaks(sql string) bool {
	for _, found := range breaking.FindAllString(sql, -1) {
		if !strings.Contains(strings.ToUpper(found), "DEFAULT") {
			return true
		}
	}
	return false
}

func readState(t *testing.T, pool *pgxpool.Pool) migrations.State {
	t.Helper()
	state, err := migrations.ReadState(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// Somebody else's database is neither empty nor ours.
func TestAForeignDatabaseIsNotEmpty(t *testing.T) {
	t.Parallel()
	pool := empty(t)
	if _, err := pool.Exec(t.Context(), "CREATE TABLE theirs ()"); err != nil {
		t.Fatal(err)
	}
	if state := readState(t, pool); state.Have != 0 || state.Empty {
		t.Errorf("%+v", state)
	}
}

func TestAPoolOfOneIsRefused(t *testing.T) {
	t.Parallel()
	cfg, err := pgxpool.ParseConfig(storetest.EmptyURL(t))
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if err := migrations.Run(t.Context(), pool); err == nil ||
		!strings.Contains(err.Error(), "must allow at least two connections") {
		t.Errorf("error %v", err)
	}
}

func TestTheHashIsStable(t *testing.T) {
	t.Parallel()
	one, err := migrations.SchemaHash()
	if err != nil {
		t.Fatal(err)
	}
	if two, err := migrations.SchemaHash(); err != nil || one != two || len(one) != 16 {
		t.Errorf("%s, then %s, error %v", one, two, err)
	}
}

func empty(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return open(t, storetest.EmptyURL(t))
}

func open(t *testing.T, address string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(context.WithoutCancel(t.Context()), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// schema describes every column, constraint and index.
func schema(t *testing.T, pool *pgxpool.Pool) string {
	t.Helper()
	return text(t, pool, `SELECT string_agg(line, E'\n' ORDER BY line) FROM (
		SELECT attrelid::regclass || ' ' || attname || ' ' || format_type(atttypid, atttypmod) AS line
		FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
		WHERE relnamespace = 'public'::regnamespace AND attnum > 0
		UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT 'version ' || version FROM schema_version
		UNION ALL SELECT 'river ' || version || created_at FROM river_migration) lines`)
}

func text(t *testing.T, pool *pgxpool.Pool, sql string) string {
	t.Helper()
	var s string
	if err := pool.QueryRow(t.Context(), sql).Scan(&s); err != nil {
		t.Fatal(err)
	}
	return s
}
