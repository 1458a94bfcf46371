package core

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAnExcerptIsOneLineOfAtMostSoManyCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " \n": "", "Rye bread": "Rye bread", "Rye\n\n bread ": "Rye bread", "Rye bread is": "Rye bread…",
		"Rye breads, warm": "Rye bread…", "Brötchen äöü!": "Brötchen…",
		"A warm roll": "A warm…", "Rye. And oats": "Rye. And…", "At noon. Rye": "At noon…", "Warm... rolls": "Warm…", "https://a.example": "https://a…",
	} {
		if got := Excerpt(text, 10); got != want {
			t.Errorf("the excerpt of %q is %q, want %q", text, got, want)
		}
	}
}

func TestAnExcerptShowsTheFirstMatchOfAPhrase(t *testing.T) {
	t.Parallel()
	const text = "Rye or oats? Warm\nCinnamon rolls from seven, and cinnamon tea at noon."
	for phrase, want := range map[string]string{
		"rye": "Rye or oats? Warm Cinnamon…", "cinnamon": "…Warm Cinnamon rolls from…",
		"warm  CINNAMON": "…Warm Cinnamon rolls from…", "innamon ro": "…Cinnamon rolls from seven,…",
		"noon.": "…and cinnamon tea at noon.", "seven, and cinnamon tea at noon": "…seven, and cinnamon tea at noon…",
		"seven, and cinnamon tea at noon.": "…seven, and cinnamon tea at noon.", "rolls from seven, and ci": "…rolls from seven, and ci…",
		"%": "", "": "", "\xff": "", "barley": "",
	} {
		if got := ExcerptAround(text, phrase, 28); got != want {
			t.Errorf("around %q, the excerpt is %q, want %q", phrase, got, want)
		}
	}
	if got := ExcerptAround("Brötchen", "BRÖT", 28); got != "Brötchen" {
		t.Errorf("a short text becomes %q", got)
	}
	if got := ExcerptAround("日本語の長い文章にはスペースがありません", "スペース", 12); got != "…にはスペースがありま…" {
		t.Errorf("a text without spaces becomes %q", got)
	}
}

func TestAnExcerptAroundALongPhraseHasAMatch(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("warm rolls ", 20)
	for _, before := range []string{"", "Rye or oats? "} {
		for n := 1; n < len(words); n++ {
			phrase := words[:n]
			got := ExcerptAround(before+words+"at noon", phrase, 90)
			if len(FindPhrase(got, phrase)) == 0 {
				t.Fatalf("around %q, the excerpt is %q", phrase, got)
			}
			if length := utf8.RuneCountInString(got); length > 90 {
				t.Fatalf("around %q, the excerpt has %d characters", phrase, length)
			}
		}
	}
}
