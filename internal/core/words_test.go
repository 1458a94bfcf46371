package core

import "testing"

func TestAnExcerptIsOneLineOfAtMostSoManyCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " \n": "", "Rye bread": "Rye bread", "Rye\n\n bread ": "Rye bread", "Rye bread is": "Rye bread…",
		"Rye breads, warm": "Rye bread…", "Brötchen äöü!": "Brötchen…",
		"A warm roll": "A warm…", "https://a.example": "https://a…",
	} {
		if got := Excerpt(text, 10); got != want {
			t.Errorf("the excerpt of %q is %q, want %q", text, got, want)
		}
	}
}
