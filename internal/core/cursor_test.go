package core_test

import (
	"encoding/base64"
	"testing"
	"time"

	"belfry/internal/core"
)

func FuzzCursor(f *testing.F) {
	for _, s := range []string{
		"", "x", "2026-11-21T18:00:00Z " + knownID, "2026-11-21T18:00:00.000001Z " + knownID, "2026-11-21T19:00:00+01:00 " + knownID,
		"0000-01-01T00:00:00Z " + knownID, "9999-12-31T23:59:59.999999999Z " + knownID, "2026-11-21T18:00:00Z med_01jd2v3m4n5p6q7r8s9t0v1w2x",
	} {
		f.Add(base64.RawURLEncoding.EncodeToString([]byte(s)), int64(len(s))*1e15)
		f.Add(s, int64(len(s)))
	}
	oldest := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string, nanoseconds int64) {
		switch c, err := core.ParseCursor[core.PostKind](s); {
		case err != nil && (c != nil || core.CodeOf(err) != core.CodeInvalidRequest):
			t.Errorf("%q is refused with %v, %v", s, c, err)
		case err == nil && (c == nil) != (s == ""):
			t.Errorf("%q is read as %v", s, c)
		case c != nil && (c.String() != s || c.ID.IsZero() || c.At.Year() < 2000 || c.At.Year() > 9999):
			t.Errorf("%q is read as %v and said as %q", s, c, c.String())
		}
		given := core.Cursor[core.MediaKind]{At: oldest.Add(time.Duration(nanoseconds).Abs()), ID: core.NewID[core.MediaKind]()}
		back, err := core.ParseCursor[core.MediaKind](given.String())
		if err != nil || !back.At.Equal(given.At) || back.ID != given.ID {
			t.Errorf("%v comes back as %v, %v", given, back, err)
		}
		if _, err := core.ParseCursor[core.PostKind](given.String()); err == nil {
			t.Errorf("the cursor %q of a file passes for that of a post", given)
		}
	})
}
