package ui

import (
	"fmt"

	"belfry/internal/core"
)

// FormatCappedCount formats a number of posts. Posts are counted up to core.MostCounted, which is formatted as "200+".
func FormatCappedCount(n int) string {
	if n >= core.MostCounted {
		return fmt.Sprintf("%d+", core.MostCounted)
	}
	return fmt.Sprint(n)
}

// CountNoun returns a number with a noun: the word in one for the number 1, and the word in many for any other number.
func CountNoun[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return core.FormatThousands(int64(n)) + " " + many
}
