package ui

import (
	"fmt"
	"strconv"

	"belfry/internal/core"
)

// FormatCappedCount formats a number of posts. Posts are counted up to core.MostCounted, which it formats as "200+".
func FormatCappedCount(n int) string {
	if n >= core.MostCounted {
		return fmt.Sprintf("%d+", core.MostCounted)
	}
	return fmt.Sprint(n)
}

// CountNoun returns a number with a noun: the noun one for 1, and many for other numbers.
func CountNoun[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return FormatThousands(int64(n)) + " " + many
}

// FormatThousands returns a number with a comma between thousands.
func FormatThousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
