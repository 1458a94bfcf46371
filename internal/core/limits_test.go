package core_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"belfry/internal/core"
)

func TestUnitsCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ bytes, characters, utf16 int }{
		"":            {0, 0, 0},
		"plain":       {5, 5, 5},
		"naïve":       {6, 5, 5},
		"nai\u0308ve": {7, 6, 6}, // written with a combining mark
		"’":           {3, 1, 1},
		"привет":      {12, 6, 6},
		"日本":          {6, 2, 2},
		"😀":           {4, 1, 2},
		"👍🏽":          {8, 2, 4},  // with a skin tone
		"👩‍👩‍👧":       {18, 5, 8}, // a family of three, joined
		"🇩🇪":          {8, 2, 4},
		"a\xffb":      {3, 3, 3}, // a byte that is no character counts as one
		"\xf0\x9f":    {2, 2, 2},
		"\x00\n\r\t":  {4, 4, 4},
	} {
		for unit, n := range map[core.Unit]int{
			core.UnitBytes: want.bytes, core.UnitCharacters: want.characters, core.UnitUTF16: want.utf16,
		} {
			if got := unit.Length(text); got != n {
				t.Errorf("%q has %d %s, want %d", text, got, unit, n)
			}
		}
	}
}

func FuzzUnit(f *testing.F) {
	for _, s := range []string{"", "a", "ï", "👩‍👩‍👧", "\xff", "\xed\xa0\x80", strings.Repeat("😀", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		bytes, characters, units := core.UnitBytes.Length(s), core.UnitCharacters.Length(s), core.UnitUTF16.Length(s)
		if bytes != len(s) || characters != utf8.RuneCountInString(s) || units != len(utf16.Encode([]rune(s))) {
			t.Errorf("%q: %d bytes, %d characters, %d UTF-16 code units", s, bytes, characters, units)
		}
		if characters > bytes || units < characters || units > 2*characters {
			t.Errorf("%q: counts that cannot be: %d, %d, %d", s, bytes, characters, units)
		}
	})
}
