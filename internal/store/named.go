package store

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// statements caches the numbered arguments of each statement, by its SQL.
var statements sync.Map // *preparedSQL

// preparedSQL is SQL with numbered arguments, and their names in order.
type preparedSQL struct {
	sql   string
	names []string
	given int // how many different ones
}

// namedArgs are named arguments, as strict as pgx.StrictNamedArgs, which numbers a statement when it first runs and
// reports arguments that do not match later.
type namedArgs map[string]any

// RewriteQuery numbers the arguments.
func (n namedArgs) RewriteQuery(ctx context.Context, conn *pgx.Conn, sql string, rest []any) (string, []any, error) {
	known, ok := statements.Load(sql)
	if !ok {
		s, err := n.prepareSQL(ctx, conn, sql)
		if err != nil {
			return "", nil, err
		}
		known, _ = statements.LoadOrStore(sql, s)
	}
	s := known.(*preparedSQL) //nolint:errcheck,forcetypeassert // nothing else is kept there
	values := make([]any, len(s.names))
	for i, name := range s.names {
		value, ok := n[name]
		if !ok || len(n) != s.given {
			return pgx.StrictNamedArgs(n).RewriteQuery(ctx, conn, sql, rest) // which says what does not fit
		}
		values[i] = driverValue(value)
	}
	return s.sql, values, nil
}

// prepareSQL lets pgx number the arguments.
func (n namedArgs) prepareSQL(ctx context.Context, conn *pgx.Conn, sql string) (*preparedSQL, error) {
	names := pgx.StrictNamedArgs{}
	for name := range n {
		names[name] = name
	}
	numbered, order, err := names.RewriteQuery(ctx, conn, sql, nil)
	s := &preparedSQL{sql: numbered, given: len(n)}
	for _, name := range order {
		text, _ := name.(string)
		s.names = append(s.names, text)
	}
	return s, err
}

// driverValue converts a value for the driver: an id directly to a UUID, and an unset time or id to NULL.
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
