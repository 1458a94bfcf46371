package ui

import (
	"fmt"
	"hash/fnv"
	"strconv"
)

// HashValues returns a short hash of the values. For a pointer, it hashes what it points to.
func HashValues(values ...any) string {
	sum := fnv.New64a()
	for _, value := range values {
		_, _ = fmt.Fprintf(sum, "%q ", value) // writing to a hash cannot fail
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}
