package core_test

import (
	"encoding/base64"
	"testing"
	"time"

	"belfry/internal/core"
)

// A text is tried as it is and as what a cursor holds inside, where one can be come upon.
func FuzzCursor(f *testing.F) {
	for i, inside := range []string{
		"", "x", "2026-11-21T18:00:00Z " + knownID, "2026-11-21T18:00:00.000001Z " + knownID, "2026-11-21T19:00:00+01:00 " +
			knownID,
		"0000-01-01T00:00:00Z " + knownID, "9999-12-31T23:59:59.999999999Z " + knownID, "2026-11-21T18:00:00Z med_" +
			knownID[5:],
	} {
		f.Add(inside, int64(i)<<34, int64(i))
	}
	oldest := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, inside string, seconds, nanoseconds int64) {
		for _, s := range []string{inside, base64.RawURLEncoding.EncodeToString([]byte(inside))} {
			switch c, err := core.ParseCursor[core.PostKind](s); {
			case err != nil && (c != nil || core.CodeOf(err) != core.CodeInvalidRequest):
				t.Errorf("%q is refused with %v, %v", s, c, err)
			case err == nil && (c == nil) != (s == ""):
				t.Errorf("%q is read as %v", s, c)
			case c != nil && (c.String() != s || c.ID.IsZero() || c.At.Before(oldest) || c.At.Year() > 9999):
				t.Errorf("%q is read as %v and said as %q", s, c, c.String())
			}
		}
		given := core.Cursor[core.MediaKind]{
			At: time.Unix(seconds%(1<<38), nanoseconds%1e9).UTC(),
			ID: core.NewID[core.MediaKind](),
		}
		back, err := core.ParseCursor[core.MediaKind](given.String())
		if given.At.Before(oldest) || given.At.Year() > 9999 {
			if err == nil {
				t.Errorf("%v passes", given)
			}
		} else if err != nil || *back != given {
			t.Errorf("%v comes back as %v, %v", given, back, err)
		}
		if _, err := core.ParseCursor[core.PostKind](given.String()); err == nil {
			t.Errorf("the cursor %q of a file passes for that of a post", given)
		}
	})
}
