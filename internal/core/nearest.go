package core

import "strings"

// NearestName returns the known name that is most similar to a mistyped one, ignoring case, or "" if none is similar.
func NearestName(name string, known []string) (nearestOrEmpty string) {
	best, at := "", min(len(name)/2, max(2, len(name)/4))+1
	if len(name) < 3 {
		return "" // too short: it resembles too many names
	}
	for _, k := range known {
		if max(len(name), len(k))-min(len(name), len(k)) >= at {
			continue // the lengths differ too much, which also bounds the work for a very long name
		}
		if n := editDistance(strings.ToLower(name), strings.ToLower(k)); n < at {
			best, at = k, n
		}
	}
	return best
}

// editDistance returns the number of bytes to insert, delete or replace to turn a into b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
