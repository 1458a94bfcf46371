package store

import (
	"context"
	"reflect"
	"sync"

	"github.com/jackc/pgx/v5"

	"belfry/internal/core"
)

// cache is what all views of one database keep, so that it is worked out once: how a statement's named
// arguments are numbered, and the zones that rows name. Both are few.
type cache struct {
	statements sync.Map // by SQL: *statement
	zones      sync.Map // by name: core.Zone
}

// preparedSQL is SQL with its arguments numbered, and their names in that order.
type preparedSQL struct {
	sql   string
	names []string
	given int // how many different ones
}

// namedArgs are arguments by name, as strict as pgx.StrictNamedArgs: it numbers a statement when that first
// runs and judges whatever does not fit later.
type namedArgs struct {
	memory *cache
	args   args
}

// RewriteQuery numbers the arguments.
func (n namedArgs) RewriteQuery(ctx context.Context, conn *pgx.Conn, sql string, rest []any) (string, []any, error) {
	known, ok := n.memory.statements.Load(sql)
	if !ok {
		return n.rewriteFirst(ctx, conn, sql, rest)
	}
	s := known.(*preparedSQL) //nolint:errcheck,forcetypeassert // nothing else is kept there
	values := make([]any, len(s.names))
	for i, name := range s.names {
		value, ok := n.args[name]
		if !ok {
			return n.rewriteStrict(ctx, conn, sql, rest)
		}
		values[i] = driverValue(value)
	}
	if len(n.args) != s.given {
		return n.rewriteStrict(ctx, conn, sql, rest)
	}
	return s.sql, values, nil
}

// driverValue is an id as the driver writes it without a detour through text; any other value stays what it is.
func driverValue(value any) any {
	// a pointer may be nil
	if id, ok := value.(interface{ Bytes() [16]byte }); ok && reflect.TypeOf(value).Kind() != reflect.Pointer {
		return id.Bytes()
	}
	return value
}

func (n namedArgs) rewriteStrict(ctx context.Context, conn *pgx.Conn, sql string, rest []any) (string, []any, error) {
	return pgx.StrictNamedArgs(n.args).RewriteQuery(ctx, conn, sql, rest)
}

// rewriteFirst lets pgx number the names themselves and keeps what came of it.
func (n namedArgs) rewriteFirst(ctx context.Context, conn *pgx.Conn, sql string, rest []any) (string, []any, error) {
	names := pgx.StrictNamedArgs{}
	for name := range n.args {
		names[name] = name
	}
	numbered, order, err := names.RewriteQuery(ctx, conn, sql, rest)
	if err != nil {
		return "", nil, err
	}
	s := &preparedSQL{sql: numbered, given: len(n.args)}
	values := make([]any, len(order))
	for i, name := range order {
		text, _ := name.(string)
		s.names, values[i] = append(s.names, text), n.args[text]
	}
	n.memory.statements.Store(sql, s)
	return numbered, values, nil
}

// loadZone is a zone by its name. The first time it is read from the machine's files.
func (m *cache) loadZone(name string) (core.Zone, error) {
	if known, ok := m.zones.Load(name); ok {
		return known.(core.Zone), nil //nolint:errcheck,forcetypeassert // nothing else is kept there
	}
	zone, err := core.ParseZone(name)
	if err == nil {
		m.zones.Store(name, zone)
	}
	return zone, err
}
