package ui

import "testing"

func TestNumbersHaveACommaBetweenThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 posts", 1: "1 post", 500: "500 posts", 63206: "63,206 posts", 1234567: "1,234,567 posts"} {
		if got := CountNoun(n, "post", "posts"); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}
