package core

import (
	"encoding/base64"
	"strings"
	"time"
)

// Cursor identifies a position in a list by the time and id of a row, so that no row is skipped or repeated when
// others are added or deleted (decisions.md, Shape of the API).
type Cursor[K Kind] struct {
	At time.Time
	ID ID[K]
}

// ParseCursor parses a cursor. The result is nil for "", the start of a list. The error is invalid_request.
func ParseCursor[K Kind](s string) (cursorOrNil *Cursor[K], err error) {
	if s == "" {
		return nil, nil
	}
	raw, _ := base64.RawURLEncoding.DecodeString(s)
	at, id, _ := strings.Cut(string(raw), " ")
	c := new(Cursor[K])
	var errAt, errID error
	c.At, errAt = time.Parse(time.RFC3339Nano, at)
	c.ID, errID = ParseID[K](id)
	// no row is older, and PostgreSQL has no year 0
	if errAt != nil || errID != nil || c.String() != s || c.At.Year() < 2000 {
		return nil, Invalid("cursor", "The cursor is not valid.").WithHint("Send nextCursor from the previous page, unchanged.")
	}
	return c, nil
}

// String returns the text that clients send back to continue the list.
func (c Cursor[K]) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.At.UTC().Format(time.RFC3339Nano) + " " + c.ID.String()))
}
