package secret

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

const (
	argonSalt = 16
	argonKey  = 32
)

// cost is the cost of one argon2id hash: memory in KiB, passes, threads.
type cost struct {
	memory, time uint32
	threads      uint8
}

// currentCost returns the cost of new hashes (OWASP's recommendation, security.md 4.3): about 65 ms and 19 MiB.
func currentCost() cost { return cost{memory: 19 * 1024, time: 2, threads: 1} }

// isSafeToCompute reports whether a hash with this cost can be computed, so that a damaged row can neither exhaust the
// memory nor make argon2 panic. It does not say whether the hash is strong enough.
func (c cost) isSafeToCompute() bool {
	return c.memory >= 8 && c.memory <= 256*1024 && c.time >= 1 && c.time <= 16 && c.threads >= 1 && c.threads <= 16
}

func (c cost) String() string { return fmt.Sprintf("m=%d,t=%d,p=%d", c.memory, c.time, c.threads) }

// formatPHC returns a hash in the PHC string format. It includes the cost, so existing hashes can still be verified
// after the cost of new ones has been increased.
func formatPHC(c cost, salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$%s$%s$%s", argon2.Version, c, b64.EncodeToString(salt), b64.EncodeToString(key))
}

func parsePHC(hash string) (c cost, salt, key []byte, err error) {
	part := strings.Split(hash, "$")
	if len(part) != 6 || part[0] != "" || part[1] != "argon2id" || part[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errors.New("this version of Belfry does not support the format of the stored password hash")
	}
	_, costErr := fmt.Sscanf(part[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.threads)
	b64 := base64.RawStdEncoding.Strict()
	salt, saltErr := b64.DecodeString(part[4])
	key, keyErr := b64.DecodeString(part[5])
	if errors.Join(costErr, saltErr, keyErr) != nil || c.String() != part[3] || !c.isSafeToCompute() ||
		len(salt) != argonSalt || len(key) != argonKey {
		return c, nil, nil, errors.New("the stored password hash is damaged")
	}
	return c, salt, key, nil
}
