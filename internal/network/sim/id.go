package sim

import (
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"math/big"
)

// RandomDigits returns a random number of n digits that begins with start.
func RandomDigits(start string, n int) string {
	width := n - len(start)
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(width)), nil)
	number, err := rand.Int(rand.Reader, limit)
	if err != nil {
		number = new(big.Int) // crypto/rand never fails on the systems Go supports
	}
	return start + fmt.Sprintf("%0*d", width, number)
}

// StableID returns the same id for the same name, so that an account keeps its id even if the journal is lost. It skips
// ids that are taken.
func StableID(prefix, name string, taken func(id string) bool) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	for n := h.Sum64() % 1e10; ; n = (n + 1) % 1e10 {
		if id := fmt.Sprintf("%s%010d", prefix, n); !taken(id) {
			return id
		}
	}
}
