package store

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"belfry/internal/core"
)

// rowToStruct reads a row into the fields with the names of its columns: times in UTC, and NULL as the zero time.
func rowToStruct[T any](row pgx.CollectableRow) (T, error) {
	return pgx.RowToStructByName[T](rowWithTimes{row})
}

type rowWithTimes struct{ pgx.CollectableRow }

// Scan reads the row.
func (r rowWithTimes) Scan(to ...any) error {
	for i := range to {
		if at, ok := to[i].(*time.Time); ok {
			to[i] = timeTo(at)
		}
	}
	return r.CollectableRow.Scan(to...)
}

// Rows that are read at every request name where each column goes, in terms that the driver knows: for any other
// type it searches a way anew at each query, which takes longer than reading the row.

// idTo returns the destination of a column with an id.
func idTo[K core.Kind](id *core.ID[K]) pgtype.UUIDScanner { return idColumn[K]{id} }

type idColumn[K core.Kind] struct{ to *core.ID[K] }

// ScanUUID reads the column's value; NULL is the unset id.
func (c idColumn[K]) ScanUUID(v pgtype.UUID) error {
	*c.to = core.IDOf[K](v.Bytes)
	return nil
}

// timeTo returns the destination of a column with a time.
func timeTo(t *time.Time) pgtype.TimestamptzScanner { return timeColumn{t} }

type timeColumn struct{ to *time.Time }

// ScanTimestamptz reads the column's value; NULL is the zero time.
func (c timeColumn) ScanTimestamptz(v pgtype.Timestamptz) error {
	if *c.to = v.Time; v.Valid {
		*c.to = v.Time.UTC()
	}
	return nil
}
