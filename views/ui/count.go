package ui

import (
	"fmt"

	"belfry/internal/core"
)

// Counted writes a number of posts, which is not known above core.MostCounted.
func Counted(n int64) string {
	if n >= core.MostCounted {
		return fmt.Sprintf("%d+", core.MostCounted)
	}
	return fmt.Sprint(n)
}
