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

// Bounds of a password's length in characters (security.md 4.3).
const (
	minPassword = 8
	maxPassword = 128
)

// commonPasswords has one password a line in lower case, with a line break before the first one too.
//
//go:embed passwords.txt
var commonPasswords string

// CheckPassword returns a sentence for the person when a new password must not be taken, else nil.
// Length and rarity are all that counts: no rule about kinds of characters.
func CheckPassword(password string) error {
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return errors.New("The password contains invalid characters.")
	case n < minPassword:
		return fmt.Errorf("The password has %d characters. Use at least %d, ideally 15 or more.", n, minPassword)
	case n > maxPassword:
		return fmt.Errorf("The password has %d characters. The limit is %d.", n, maxPassword)
	case strings.Contains(commonPasswords, "\n"+strings.ToLower(password)+"\n"):
		return errors.New("This password is too common. Choose another one.")
	}
	return nil
}

// argonAtOnce bounds the memory and the processors that people signing in can take from the rest.
const argonAtOnce = 2

// Passwords hashes and verifies passwords with argon2id, a few at a time. It is safe for concurrent use.
type Passwords struct {
	slots *semaphore.Weighted
	dummy string
}

// NewPasswords makes the one instance of a process; a second one would double the bound.
func NewPasswords() *Passwords {
	return &Passwords{
		slots: semaphore.NewWeighted(argonAtOnce),
		dummy: formatPHC(currentCost(), randomBytes(argonSalt), randomBytes(argonKey)),
	}
}

// Hash makes the stored form of a password. The only error is the context's, while waiting for a turn.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	salt := randomBytes(argonSalt)
	key, err := p.deriveKey(ctx, password, currentCost(), salt)
	if err != nil {
		return "", err
	}
	return formatPHC(currentCost(), salt, key), nil
}

// Verify tells whether the password is the one that hash was made of. An error means that it could not
// be told: the context ended, or hash is not one of ours.
func (p *Passwords) Verify(ctx context.Context, hash, password string) (bool, error) {
	c, salt, want, err := parsePHC(hash)
	if err != nil {
		return false, err
	}
	got, err := p.deriveKey(ctx, password, c, salt)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// Dummy spends what Verify spends, for a person who does not exist, so that time does not tell the two
// apart.
func (p *Passwords) Dummy(ctx context.Context, password string) error {
	_, err := p.Verify(ctx, p.dummy, password)
	return err
}

func (p *Passwords) deriveKey(ctx context.Context, password string, c cost, salt []byte) ([]byte, error) {
	if err := p.slots.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait to hash a password: %w", err)
	}
	defer p.slots.Release(1)
	return argon2.IDKey([]byte(password), salt, c.time, c.memory, c.threads, argonKey), nil
}
