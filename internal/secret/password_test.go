package secret_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"belfry/internal/secret"
)

func TestPasswordVerifiesAgainstItsHash(t *testing.T) {
	t.Parallel()
	p := secret.NewPasswordHasher()
	hash, err := p.Hash(t.Context(), "correct horse 🐴")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hash %q", hash)
	}
	for password, want := range map[string]bool{"correct horse 🐴": true, "correct horse": false, "Correct horse 🐴": false, "": false} {
		if got, err := p.Verify(t.Context(), hash, password); got != want || err != nil {
			t.Errorf("%q: %v, %v", password, got, err)
		}
	}
	if again, _ := p.Hash(t.Context(), "correct horse 🐴"); again == hash {
		t.Error("two hashes of one password are equal")
	}
}

// The hash was made when a hash cost less: raising the cost must not lock anyone out.
func TestHashOfAnotherCostStillVerifies(t *testing.T) {
	t.Parallel()
	p := secret.NewPasswordHasher()
	const hash = "$argon2id$v=19$m=8192,t=1,p=2$c2l4dGVlbiBieXRlcyBvaw$fhqdlS19NsrxZULABo4+2nbnJ0TgyUl12oZGKMXJXU4"
	if ok, err := p.Verify(t.Context(), hash, "old password"); !ok || err != nil {
		t.Error(ok, err)
	}
}

func TestDamagedHashIsAnErrorAndNotAWrongPassword(t *testing.T) {
	t.Parallel()
	p := secret.NewPasswordHasher()
	hash, err := p.Hash(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"empty": "", "bcrypt": "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		"argon2i":       strings.Replace(hash, "argon2id", "argon2i", 1),
		"other version": strings.Replace(hash, "v=19", "v=16", 1), "cut": hash[:len(hash)-4],
		"all memory": strings.Replace(hash, "m=19456", "m=4294967295", 1),
		"no memory":  strings.Replace(hash, "m=19456", "m=0", 1), "no threads": strings.Replace(hash, "p=1", "p=0", 1),
		"many threads": strings.Replace(hash, "p=1", "p=257", 1),
		"no passes":    strings.Replace(hash, "t=2", "t=0", 1), "more behind": hash + "$",
		"more cost": strings.Replace(hash, "p=1", "p=1,x=2", 1), "five dollars": "$$$$$",
	} {
		if ok, err := p.Verify(t.Context(), bad, "x"); ok || err == nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}

func TestDummyNeedsNoUser(t *testing.T) {
	t.Parallel()
	if err := secret.NewPasswordHasher().VerifyDummy(t.Context(), "whatever"); err != nil {
		t.Error(err)
	}
}

func TestWaitingForATurnEndsWithTheContext(t *testing.T) {
	t.Parallel()
	p := secret.NewPasswordHasher()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// Whoever asks with a dead context while two hash gets its error; whoever finds a free slot may be served.
	var wg sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for range 40 {
		wg.Go(func() {
			if _, err := p.Hash(ctx, "x"); errors.Is(err, context.Canceled) {
				mu.Lock()
				refused++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if refused == 0 {
		t.Error("nobody was refused")
	}
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, password, want string
	}{
		{"seven characters", "kX3#pq9", "The password is too short. Use at least 8 characters, ideally 15 or more."},
		{"eight characters", "kX3#pq9v", ""},
		{"eight characters of many bytes", "żółwżółw", ""},
		{"seven characters of many bytes", "żółwżół", "The password is too short. Use at least 8 characters, ideally 15 or more."},
		{"128 characters", strings.Repeat("abcdefgé", 16), ""},
		{"129 characters", strings.Repeat("abcdefgé", 16) + "x", "The password has 129 characters. The limit is 128."},
		{"nothing", "", "The password is too short. Use at least 8 characters, ideally 15 or more."},
		{"common", "password", "This password is too common. Choose another one."},
		{"common in capitals", "PassWord123", "This password is too common. Choose another one."},
		{"the first of the list", "!@#$%^&*", "This password is too common. Choose another one."},
		{"common and more", "password of mine", ""},
		{"half of a common one", "iloveyou and so on", ""},
		{"spaces", "four words like these", ""},
		{"not text", "abcdefgh\xff", "The password contains invalid characters. Choose another one."},
	} {
		got := ""
		if err := secret.CheckNewPassword(c.password); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Ten that every list of leaked passwords begins with.
func TestTheCommonestPasswordsAreKnown(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"12345678", "123456789", "1234567890", "password1", "qwertyuiop", "1q2w3e4r", "iloveyou", "11111111", "sunshine1",
		"Welcome123",
	} {
		if secret.CheckNewPassword(password) == nil {
			t.Errorf("%q is taken", password)
		}
	}
}
