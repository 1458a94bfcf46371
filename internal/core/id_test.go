package core_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
)

const (
	knownUUID = "0190163d-8694-739b-aea5-966c26f8ad90"
	knownID   = "post_01j0b3v1mmeedtx9cpdgkfhbcg"
)

func TestIDPrintsAsTypeID(t *testing.T) {
	t.Parallel()
	var id core.PostID
	if err := id.Scan(knownUUID); err != nil {
		t.Fatal(err)
	}
	if got := id.String(); got != knownID {
		t.Errorf("String: %s, want %s", got, knownID)
	}
	back, err := core.ParseID[core.PostKind](knownID)
	if err != nil || back != id {
		t.Errorf("ParseID: %v, %v", back, err)
	}
	if stored, err := back.Value(); err != nil || stored != knownUUID {
		t.Errorf("Value: %v, %v", stored, err)
	}
}

func roundTrip[K core.Kind](t *testing.T, prefix string) {
	t.Helper()
	id := core.NewID[K]()
	if !strings.HasPrefix(id.String(), prefix+"_") {
		t.Errorf("%s does not start with %s_", id, prefix)
	}
	if back, err := core.ParseID[K](id.String()); err != nil || back != id {
		t.Errorf("ParseID of %s: %v, %v", id, back, err)
	}
	var fromJSON core.ID[K]
	text, err := json.Marshal(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &fromJSON); err != nil || fromJSON != id {
		t.Errorf("JSON of %s: %v, %v", id, fromJSON, err)
	}
	var fromSQL core.ID[K]
	value, err := id.Value()
	if err != nil {
		t.Fatal(err)
	}
	if err := fromSQL.Scan(value); err != nil || fromSQL != id {
		t.Errorf("Scan of %s: %v, %v", id, fromSQL, err)
	}
}

func TestIDRoundTrip(t *testing.T) {
	t.Parallel()
	roundTrip[core.WorkspaceKind](t, "ws")
	roundTrip[core.UserKind](t, "usr")
	roundTrip[core.KeyKind](t, "key")
	roundTrip[core.AccountKind](t, "acc")
	roundTrip[core.GroupKind](t, "grp")
	roundTrip[core.MediaKind](t, "med")
	roundTrip[core.FolderKind](t, "fld")
	roundTrip[core.PostKind](t, "post")
}

// A malformed id must not be told from an unknown one (Spec §7), so all of these are the same error.
func TestMalformedIDIsNotFound(t *testing.T) {
	t.Parallel()
	body := strings.TrimPrefix(knownID, "post_")
	for name, s := range map[string]string{
		"empty":                   "",
		"a prefix alone":          "post_",
		"a body alone":            body,
		"another type":            "acc_" + body,
		"a prefix of the prefix":  "pos_" + body,
		"a longer prefix":         "posts_" + body,
		"capital prefix":          "Post_" + body,
		"capital body":            "post_" + strings.ToUpper(body),
		"a hyphen for the line":   "post-" + body,
		"one character short":     "post_" + body[:25],
		"one character long":      "post_" + body + "0",
		"a letter not in use, i":  "post_" + body[:25] + "i",
		"a letter not in use, l":  "post_" + body[:25] + "l",
		"a letter not in use, o":  "post_" + body[:25] + "o",
		"a letter not in use, u":  "post_" + body[:25] + "u",
		"more than 128 bits":      "post_8" + body[1:],
		"a space in front":        " " + knownID,
		"a space behind":          knownID + " ",
		"a newline within":        "post_" + body[:12] + "\n" + body[13:],
		"newlines only":           "post_0" + strings.Repeat("\n", 25),
		"padding":                 "post_" + body[:25] + "=",
		"a NUL":                   "post_" + body[:25] + "\x00",
		"invalid UTF-8":           "post_" + body[:25] + "\xff",
		"a wide letter":           "post_" + body[:23] + "０",
		"a UUID":                  knownUUID,
		"a UUID with the prefix":  "post_" + knownUUID,
		"the id of nothing":       "post_00000000000000000000000000",
		"a path":                  knownID + "/events",
		"two ids":                 knownID + "," + knownID,
		"something quite foreign": "'; DROP TABLE posts; --",
	} {
		id, err := core.ParseID[core.PostKind](s)
		if core.CodeOf(err) != core.CodeNotFound || !id.IsZero() {
			t.Errorf("%s: %q gives %v, %v", name, s, id, err)
		}
		if err != nil && err.Error() != core.NotFound().Error() {
			t.Errorf("%s: %q is told apart: %v", name, s, err)
		}
	}
}

func TestIDsSortByTime(t *testing.T) {
	t.Parallel()
	ids := make([]string, 2000)
	for i := range ids {
		ids[i] = core.NewID[core.PostKind]().String()
	}
	if !slices.IsSorted(ids) {
		t.Error("ids made one after another do not sort so")
	}
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("an id was made twice")
	}
}

func TestUnsetIDSurvivesText(t *testing.T) {
	t.Parallel()
	var none, back core.KeyID
	text, err := none.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if err := back.UnmarshalText(text); err != nil || !back.IsZero() {
		t.Errorf("unset id after %s: %v, %v", text, back, err)
	}
}

func TestScanNamesTheKindOfABrokenID(t *testing.T) {
	t.Parallel()
	var id core.AccountID
	if err := id.Scan("nonsense"); err == nil || !strings.Contains(err.Error(), "acc id") {
		t.Errorf("Scan of nonsense: %v", err)
	}
}

func FuzzParseID(f *testing.F) {
	for _, s := range []string{knownID, "post_7zzzzzzzzzzzzzzzzzzzzzzzzz", "post_8zzzzzzzzzzzzzzzzzzzzzzzzz", "acc_\n", "_", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := core.ParseID[core.PostKind](s)
		switch {
		case err != nil && !id.IsZero():
			t.Errorf("%q is refused and gives %s", s, id)
		case err == nil && (id.String() != s || id.IsZero()):
			t.Errorf("%q is read as %s", s, id)
		}
	})
}
