package core

import (
	"encoding/base64"
	"strings"
	"time"
)

// Cursor names a row of a list by its time and id, so that rows which come or go meanwhile are neither
// skipped nor shown twice (decisions.md, Shape of the API).
type Cursor[K Kind] struct {
	At time.Time
	ID ID[K]
}

// ParseCursor reads what String wrote; nil is "", the start of a list. Anything else is invalid_request.
func ParseCursor[K Kind](s string) (*Cursor[K], error) {
	if s == "" {
		return nil, nil
	}
	raw, _ := base64.RawURLEncoding.DecodeString(s)
	at, id, _ := strings.Cut(string(raw), " ")
	c := new(Cursor[K])
	var errAt, errID error
	c.At, errAt = time.Parse(time.RFC3339Nano, at)
	c.ID, errID = ParseID[K](id)
	// no row is older, and PostgreSQL knows no year 0
	if errAt != nil || errID != nil || c.String() != s || c.At.Year() < 2000 {
		return nil, Invalid("cursor", "The cursor is not valid.").WithHint("Send nextCursor from the previous page, unchanged.")
	}
	return c, nil
}

// String is the cursor as clients are given it.
func (c Cursor[K]) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.At.UTC().Format(time.RFC3339Nano) + " " + c.ID.String()))
}
