package sim

import (
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"math/big"
)

// RandomDigits is a random number of n digits that begins with start.
func RandomDigits(start string, n int) string {
	width := n - len(start)
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(width)), nil)
	number, err := rand.Int(rand.Reader, limit)
	if err != nil {
		number = new(big.Int) // crypto/rand never fails on the systems Go supports
	}
	return start + fmt.Sprintf("%0*d", width, number)
}

// StableID is always the same id for a name, so that a lost journal does not make another account of it; one that is
// taken by another name is passed over.
func StableID(prefix, name string, taken func(id string) bool) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	for n := h.Sum64() % 1e10; ; n = (n + 1) % 1e10 {
		if id := fmt.Sprintf("%s%010d", prefix, n); !taken(id) {
			return id
		}
	}
}
