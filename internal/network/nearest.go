package network

import "strings"

// Nearest is the name that is most like a mistyped one; empty when none is like it.
func Nearest(name string, names []string) string {
	best, at := "", len(name)/2+1
	for _, known := range names {
		if n := distance(strings.ToLower(name), strings.ToLower(known)); n < at {
			best, at = known, n
		}
	}
	return best
}

// distance is how many letters must be put in, taken out or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j+1], row[j]) + 1
			if a[i] == b[j] {
				next = min(next, diagonal)
			} else {
				next = min(next, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
