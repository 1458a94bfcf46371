// Package store contains all SQL. Tenant gives access to one workspace's data, and Store to the data of the whole
// server.
//
// A method that is named for what it returns only reads. If it returns a single row, the error is ErrNotFound when
// there is none; a lookup of several rows by id omits missing ones. A method whose name begins with Lock prevents
// changes to the rows until the transaction ends. Claim reserves work for one worker, and Consume deletes what it
// returns.
package store

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/core"
	"belfry/internal/queue"
)

// querier is the common interface of a pool and a transaction.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Store gives access to the database.
type Store struct {
	// Due receives a signal after each commit that makes a post due immediately or soon, for the worker of this
	// process. It has a capacity of one; with a nil channel, there are no signals.
	Due chan struct{}

	pool     *pgxpool.Pool
	jobs     *queue.Inserter
	q        querier
	tx       pgx.Tx // nil outside a transaction
	madeDue  *bool  // whether the transaction made a post due; nil outside one
	searches *searchLimiter
	arrivals *combiner[arrival, arrivalResult]
}

// New returns a store for a migrated database. The caller closes the pool.
func New(pool *pgxpool.Pool) (*Store, error) {
	jobs, err := queue.NewInserter()
	if err != nil {
		return nil, err
	}
	s := &Store{pool: pool, jobs: jobs, q: pool, searches: &searchLimiter{}}
	s.arrivals = &combiner[arrival, arrivalResult]{call: s.countArrivalsAndFindKeys}
	return s, nil
}

// Tx calls f in one transaction, which is committed if f returns nil and otherwise rolled back. Within a transaction,
// Tx calls f in that same transaction.
func (s *Store) Tx(ctx context.Context, f func(*Store) error) error {
	return s.runInNewOrCurrentTx(ctx, pgx.TxOptions{}, f)
}

// runInNewOrCurrentTx calls f in a new transaction with the given options or, within a transaction, in that same
// transaction, whatever its options.
func (s *Store) runInNewOrCurrentTx(ctx context.Context, options pgx.TxOptions, f func(*Store) error) error {
	if s.tx != nil {
		return f(s)
	}
	inner := *s
	inner.madeDue = new(bool)
	err := pgx.BeginTxFunc(ctx, s.pool, options, func(tx pgx.Tx) error {
		inner.q, inner.tx = tx, tx
		return f(&inner)
	})
	if err == nil && *inner.madeDue {
		s.signalDue()
	}
	return err
}

// signalDue sends a signal to Due; within a transaction, after the commit.
func (s *Store) signalDue() {
	if s.tx != nil {
		*s.madeDue = true
		return
	}
	select {
	case s.Due <- struct{}{}:
	default: // nobody listens, or a signal is already waiting
	}
}

// signalDueIfNoError calls signalDue if err is nil, and returns err. err is the result of a statement that makes a post
// due.
func (t Tenant) signalDueIfNoError(err error) error {
	if err == nil {
		t.store.signalDue()
	}
	return err
}

// In returns access to one workspace's data. It does not check rights; app.authorize does.
func (s *Store) In(ws core.WorkspaceID) Tenant { return Tenant{s, ws} }

// Tenant gives access to one workspace's data. It adds the workspace to every query's arguments as @ws. A query that
// does not use @ws fails when it first runs.
type Tenant struct {
	store *Store
	ws    core.WorkspaceID
}

// WorkspaceID returns the id of the workspace.
func (t Tenant) WorkspaceID() core.WorkspaceID { return t.ws }

// Tx is Store.Tx for one workspace's data.
func (t Tenant) Tx(ctx context.Context, f func(Tenant) error) error {
	return t.store.Tx(ctx, func(s *Store) error { return f(Tenant{s, t.ws}) })
}

// ReadSnapshot calls f in a read-only transaction. All statements of f read the data of the same moment.
func (t Tenant) ReadSnapshot(ctx context.Context, f func(Tenant) error) error {
	return t.store.runInNewOrCurrentTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(s *Store) error { return f(Tenant{s, t.ws}) })
}

// Enqueue inserts a job that exists only if the transaction commits; the zero time means that it runs immediately. It
// must be called within Tx.
func (t Tenant) Enqueue(ctx context.Context, job queue.Job, at time.Time) error {
	if t.store.tx == nil {
		return errors.New("cannot enqueue a job outside a transaction")
	}
	return t.store.jobs.Insert(ctx, t.store.tx, job, at)
}

// EnqueueMany inserts jobs that exist only if the transaction commits and that run immediately. It must be called
// within Tx.
func (s *Store) EnqueueMany(ctx context.Context, jobs []queue.Job) error {
	if s.tx == nil {
		return errors.New("cannot enqueue a job outside a transaction")
	}
	return s.jobs.InsertMany(ctx, s.tx, jobs)
}

type args = map[string]any

// withWorkspace adds the workspace's id to the arguments, as @ws.
func (t Tenant) withWorkspace(a args) namedArgs {
	all := make(namedArgs, len(a)+1)
	maps.Copy(all, a)
	all["ws"] = t.ws
	return all
}

func (t Tenant) exec(ctx context.Context, sql string, a args) error {
	return t.store.exec(ctx, sql, t.withWorkspace(a))
}

func (t Tenant) execChanged(ctx context.Context, sql string, a args) (changed bool, err error) {
	return t.store.execChanged(ctx, sql, t.withWorkspace(a))
}

func (t Tenant) execOne(ctx context.Context, sql string, a args) error {
	return t.store.execOne(ctx, sql, t.withWorkspace(a))
}

func (t Tenant) query(ctx context.Context, sql string, a args) (pgx.Rows, error) {
	return t.store.q.Query(ctx, sql, t.withWorkspace(a))
}

// queryReplanned is query for a statement whose best plan depends on its arguments. PostgreSQL plans it each time.
func (t Tenant) queryReplanned(ctx context.Context, sql string, a args) (pgx.Rows, error) {
	return t.store.q.Query(ctx, sql, pgx.QueryExecModeCacheDescribe, t.withWorkspace(a))
}

// exec runs a statement, which may write any number of rows.
func (s *Store) exec(ctx context.Context, sql string, a args) error {
	_, err := s.execChanged(ctx, sql, a)
	return err
}

// execChanged runs a statement and reports whether it wrote a row.
func (s *Store) execChanged(ctx context.Context, sql string, a args) (changed bool, err error) {
	tag, err := s.q.Exec(ctx, sql, namedArgs(a))
	return tag.RowsAffected() > 0, translateError(err)
}

// execOne runs a statement that writes one row. The error is ErrNotFound if it wrote none.
func (s *Store) execOne(ctx context.Context, sql string, a args) error {
	changed, err := s.execChanged(ctx, sql, a)
	if err == nil && !changed {
		return ErrNotFound
	}
	return err
}

func (s *Store) query(ctx context.Context, sql string, a args) (pgx.Rows, error) {
	return s.q.Query(ctx, sql, namedArgs(a))
}

// queryOne returns the only row. The error is ErrNotFound if there is none.
func queryOne[T any](rows pgx.Rows, err error) (T, error) {
	return collectOne(rows, err, rowToStruct[T])
}

// queryMany returns all rows.
func queryMany[T any](rows pgx.Rows, err error) ([]T, error) {
	return collectAll(rows, err, rowToStruct[T])
}

// queryValue returns the only column of the only row. The error is ErrNotFound if there is none.
func queryValue[T any](rows pgx.Rows, err error) (T, error) {
	return collectOne(rows, err, pgx.RowTo[T])
}

// queryValues returns the only column of all rows.
func queryValues[T any](rows pgx.Rows, err error) ([]T, error) {
	return collectAll(rows, err, pgx.RowTo[T])
}

// queryMap returns a map of all rows, which have two columns: a key and its value.
func queryMap[K comparable, V any](rows pgx.Rows, err error) (map[K]V, error) {
	type pair struct {
		Key   K
		Value V
	}
	pairs, err := collectAll(rows, err, pgx.RowToStructByPos[pair])
	found := make(map[K]V, len(pairs))
	for _, p := range pairs {
		found[p.Key] = p.Value
	}
	return found, err
}

func collectOne[T any](rows pgx.Rows, err error, to pgx.RowToFunc[T]) (v T, _ error) {
	if err == nil {
		v, err = pgx.CollectExactlyOneRow(rows, to)
	}
	return v, translateError(err)
}

func collectAll[T any](rows pgx.Rows, err error, to pgx.RowToFunc[T]) (list []T, _ error) {
	if err == nil {
		list, err = pgx.CollectRows(rows, to)
	}
	return list, translateError(err)
}
