package store_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"belfry/internal/core"
	"belfry/internal/store"
	"belfry/internal/store/storetest"
)

// What a real server and a missing one say, each by its type.
func TestADatabaseThatDoesNotAnswerIsAway(t *testing.T) {
	t.Parallel()
	pool := storetest.Pool(t)
	connect := func() *pgx.Conn {
		conn, err := pgx.ConnectConfig(t.Context(), pool.Config().ConnConfig)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
		return conn
	}
	slow, ended, closed, reading := connect(), connect(), connect(), connect()
	run := func(c *pgx.Conn, sql string) error {
		_, err := c.Exec(t.Context(), sql)
		return err
	}
	if err := errors.Join(run(slow, "SET statement_timeout = '10ms'"), run(reading, "SET default_transaction_read_only = on"), closed.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), "SELECT pg_terminate_backend($1)", ended.PgConn().PID()); err != nil {
		t.Fatal(err)
	}
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	go hangUp(nobody)
	_, missing := pgx.Connect(t.Context(), "postgres://nobody@"+nobody.Addr().String()+"/none?sslmode=disable")
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, outOfTime := pool.Exec(late, "SELECT 1")

	for name, c := range map[string]struct {
		err  error
		away bool
	}{
		"a statement that took too long":  {run(slow, "SELECT pg_sleep(10)"), true},
		"a session that the server ended": {run(ended, "SELECT 1"), true},
		"a connection that is closed":     {run(closed, "SELECT 1"), true},
		"no server":                       {missing, true},
		"too many connections":            {&pgconn.PgError{Code: "53300"}, true},
		"a full disk":                     {&pgconn.PgError{Code: "53100"}, true},
		"too little memory":               {&pgconn.PgError{Code: "53200"}, true},
		"a server that only reads":        {run(reading, "CREATE TABLE t ()"), true},
		"wrong SQL":                       {run(connect(), "SELECT nothing FROM nowhere"), false},
		"a time that ran out":             {outOfTime, false},
		"words that sound like it":        {errors.New("conn closed: unexpected EOF"), false},
		"a missing row":                   {core.NotFound(), false},
	} {
		if got := store.IsUnavailable(c.err); c.err == nil || got != c.away {
			t.Errorf("%s (%v) is away: %v", name, c.err, got)
		}
	}
}

// hangUp takes connections and says nothing.
func hangUp(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_ = conn.Close()
	}
}

func TestForeignKeyViolationNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := store.Group{ID: core.NewID[core.GroupKind](), Name: "all", CreatedAt: start, UpdatedAt: start}
	must(t, w.one.AddEmptyGroup(t.Context(), group))
	inTx := func(write func(store.Tenant) error) error { return w.one.Tx(t.Context(), write) }
	for missing, err := range map[string]error{
		"account": inTx(func(one store.Tenant) error {
			return one.SetGroupAccounts(t.Context(), group.ID, []core.AccountID{core.NewID[core.AccountKind]()})
		}),
		"post": w.one.AddPostEvent(t.Context(), core.NewID[core.PostKind](), core.Event{At: start}),
		"user": w.one.AddKey(t.Context(), core.Key{ID: core.NewID[core.KeyKind](), CreatedBy: w.two.owner, CreatedAt: start}, []byte("hash")),
	} {
		if !store.IsMissingReference(err, missing) || errors.Is(err, store.ErrNotFound) || core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("a missing %s is reported as %v", missing, err)
		}
	}
	_, err := w.one.ConnectedAccount(t.Context(), core.NewID[core.AccountKind]())
	if !errors.Is(err, store.ErrNotFound) || store.IsMissingReference(err, "account") || core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("an unknown id is reported as %v", err)
	}
}
