package secret

import (
	"context"
	"crypto/subtle"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/sync/semaphore"
)

// Limits of a password's length in characters (security.md 4.3).
const (
	minPassword = 8
	maxPassword = 128
)

// commonPasswords has one password per line in lower case, with a line break before the first one too.
//
//go:embed passwords.txt
var commonPasswords string

// CheckNewPassword returns an error with a sentence for the person if a new password is not acceptable. It checks only
// the length and a list of common passwords, not the kinds of characters.
func CheckNewPassword(password string) error {
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return errors.New("The password contains invalid characters. Choose another one.")
	case n < minPassword:
		return fmt.Errorf("The password is too short. Use at least %d characters, ideally 15 or more.", minPassword)
	case n > maxPassword:
		return fmt.Errorf("The password has %d characters. The limit is %d.", n, maxPassword)
	case strings.Contains(commonPasswords, "\n"+strings.ToLower(password)+"\n"):
		return errors.New("This password is too common. Choose another one.")
	}
	return nil
}

// argonAtOnce is how many hashes are computed at the same time. It limits the memory and processor time of sign-ins.
const argonAtOnce = 2

// PasswordHasher hashes and verifies passwords with argon2id, a few at a time. It is safe for concurrent use.
type PasswordHasher struct {
	slots *semaphore.Weighted
	dummy string
}

// NewPasswordHasher returns the hasher of a process. A second hasher would double the number of hashes that are
// computed at the same time.
func NewPasswordHasher() *PasswordHasher {
	return &PasswordHasher{
		slots: semaphore.NewWeighted(argonAtOnce),
		dummy: formatPHC(currentCost(), randomBytes(argonSalt), randomBytes(argonKey)),
	}
}

// Hash returns the stored form of a password. It fails only if ctx ends while it waits.
func (p *PasswordHasher) Hash(ctx context.Context, password string) (string, error) {
	salt := randomBytes(argonSalt)
	key, err := p.awaitSlotAndHashPassword(ctx, password, currentCost(), salt)
	if err != nil {
		return "", err
	}
	return formatPHC(currentCost(), salt, key), nil
}

// Verify reports whether the password matches the hash. It returns an error if ctx has ended or the hash is invalid.
func (p *PasswordHasher) Verify(ctx context.Context, hash, password string) (matches bool, err error) {
	c, salt, want, err := parsePHC(hash)
	if err != nil {
		return false, err
	}
	got, err := p.awaitSlotAndHashPassword(ctx, password, c, salt)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// VerifyDummy takes as long as Verify. It is for a sign-in of a person who does not exist, so that the response time
// does not reveal who exists.
func (p *PasswordHasher) VerifyDummy(ctx context.Context, password string) error {
	_, err := p.Verify(ctx, p.dummy, password)
	return err
}

// awaitSlotAndHashPassword computes an argon2id hash, once fewer than argonAtOnce others are being computed.
func (p *PasswordHasher) awaitSlotAndHashPassword(
	ctx context.Context, password string, c cost, salt []byte,
) ([]byte, error) {
	if err := p.slots.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait to hash a password: %w", err)
	}
	defer p.slots.Release(1)
	return argon2.IDKey([]byte(password), salt, c.time, c.memory, c.threads, argonKey), nil
}
