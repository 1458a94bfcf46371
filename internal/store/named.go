package store

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"belfry/internal/core"
)

// statements caches the numbered arguments of each statement, by its SQL.
var statements sync.Map // *numberedSQL

// numberedSQL is SQL with numbered arguments, and the names of these arguments in order.
type numberedSQL struct {
	sql   string
	names []string
	given int // how many different arguments the statement has
}

// namedArgs are named arguments, as strict as pgx.StrictNamedArgs: a statement whose arguments do not match fails. The
// numbers of a statement's arguments are determined when it first runs, and then cached.
type namedArgs map[string]any

// RewriteQuery replaces the named arguments with numbered ones.
func (n namedArgs) RewriteQuery(ctx context.Context, conn *pgx.Conn, sql string, rest []any) (string, []any, error) {
	known, ok := statements.Load(sql)
	if !ok {
		s, err := n.numberArguments(ctx, conn, sql)
		if err != nil {
			return "", nil, err
		}
		known, _ = statements.LoadOrStore(sql, s)
	}
	s := known.(*numberedSQL) //nolint:errcheck,forcetypeassert // nothing else is stored there
	values := make([]any, len(s.names))
	for i, name := range s.names {
		value, ok := n[name]
		if !ok || len(n) != s.given {
			return pgx.StrictNamedArgs(n).RewriteQuery(ctx, conn, sql, rest) // which reports the mismatch
		}
		values[i] = driverValue(value)
	}
	return s.sql, values, nil
}

// numberArguments lets pgx number the arguments.
func (n namedArgs) numberArguments(ctx context.Context, conn *pgx.Conn, sql string) (*numberedSQL, error) {
	names := pgx.StrictNamedArgs{}
	for name := range n {
		names[name] = name
	}
	numbered, order, err := names.RewriteQuery(ctx, conn, sql, nil)
	s := &numberedSQL{sql: numbered, given: len(n)}
	for _, name := range order {
		text, _ := name.(string)
		s.names = append(s.names, text)
	}
	return s, err
}

// driverValue converts a value for the driver: an id to a UUID, and an unset time or id to NULL.
func driverValue(value any) any {
	switch value := value.(type) {
	case time.Time:
		if value.IsZero() {
			return nil
		}
	case interface{ Bytes() [16]byte }:
		if reflect.TypeOf(value).Kind() == reflect.Pointer { // which may be nil
			return value
		}
		if id := value.Bytes(); id != [16]byte{} {
			return id
		}
		return nil
	}
	return value
}

// rowToStruct reads a row into the fields that have the names of its columns. Times are in UTC, and NULL is the zero
// time.
func rowToStruct[T any](row pgx.CollectableRow) (T, error) {
	return pgx.RowToStructByName[T](rowWithTimes{row})
}

// rowWithTimes is a row whose times are read by timeScanner.
type rowWithTimes struct{ pgx.CollectableRow }

// Scan reads the columns into the destinations. A *time.Time gets a time in UTC, or the zero time for NULL.
func (r rowWithTimes) Scan(to ...any) error {
	for i := range to {
		if at, ok := to[i].(*time.Time); ok {
			to[i] = timeScanner(at)
		}
	}
	return r.CollectableRow.Scan(to...)
}

// The destinations below are for rows that are read at every request. The driver knows their types; for any other type,
// it searches for a conversion at each query, which takes longer than reading the row.

// idScanner returns the destination of a column with an id.
func idScanner[K core.Kind](id *core.ID[K]) pgtype.UUIDScanner { return idColumn[K]{id} }

type idColumn[K core.Kind] struct{ to *core.ID[K] }

// ScanUUID reads the column's value; NULL is the unset id.
func (c idColumn[K]) ScanUUID(v pgtype.UUID) error {
	*c.to = core.IDFromUUID[K](v.Bytes)
	return nil
}

// timeScanner returns the destination of a column with a time.
func timeScanner(t *time.Time) pgtype.TimestamptzScanner { return timeColumn{t} }

type timeColumn struct{ to *time.Time }

// ScanTimestamptz reads the column's value; NULL is the zero time.
func (c timeColumn) ScanTimestamptz(v pgtype.Timestamptz) error {
	if *c.to = v.Time; v.Valid {
		*c.to = v.Time.UTC()
	}
	return nil
}
