package ui

import (
	"fmt"

	"belfry/internal/core"
)

// Counted formats a number of posts, which is not known above core.MostCounted.
func Counted(n int) string {
	if n >= core.MostCounted {
		return fmt.Sprintf("%d+", core.MostCounted)
	}
	return fmt.Sprint(n)
}

// CountNoun is a number with the noun that it counts.
func CountNoun[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
