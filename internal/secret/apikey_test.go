package secret_test

import (
	"crypto/sha256"
	"regexp"
	"strings"
	"testing"

	"belfry/internal/secret"
)

func TestMintedKeyPassesItsCheck(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(secret.KeyPattern)
	seen := map[string]bool{}
	for range 2000 {
		key, hash, hint := secret.NewAPIKey()
		got, ok := secret.HashAPIKey(key)
		if !ok || got != hash || hash != sha256.Sum256([]byte(key)) {
			t.Fatalf("%q: %v", key, ok)
		}
		if hint != key[len("belfry_live_"):][:8] {
			t.Fatalf("hint %q of %q", hint, key)
		}
		if pattern.FindString("key="+key+".") != key || seen[key] {
			t.Fatalf("%q", key)
		}
		seen[key] = true
	}
}

// Computed once by another implementation of CRC-32, so that keys stay valid from release to release.
func TestKeyFormatStays(t *testing.T) {
	t.Parallel()
	const key = "belfry_live_0123456789ABCDEFGHIJKLMNOPQRSTUV" + "41vm1E"
	if _, ok := secret.HashAPIKey(key); !ok {
		t.Error("a key of the first release is refused")
	}
}

func TestMistypedKeyIsRefused(t *testing.T) {
	t.Parallel()
	key, _, _ := secret.NewAPIKey()
	swapped := []byte(key)
	i := 12
	for swapped[i] == swapped[i+1] {
		i++
	}
	swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
	for name, text := range map[string]string{
		"empty": "", "prefix alone": "belfry_live_", "other prefix": "belfry_test_" + key[12:],
		"upper case": strings.ToUpper(key),
		"cut":        key[:len(key)-1], "longer": key + "0", "space before": " " + key, "line break behind": key + "\n",
		"two letters swapped": string(swapped), "with Bearer": "Bearer " + key, "not base62": key[:20] + "-" + key[21:],
		"not ASCII": key[:20] + "é" + key[22:],
	} {
		if _, ok := secret.HashAPIKey(text); ok {
			t.Errorf("%s: accepted", name)
		}
	}
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- "
	for i := range len(key) {
		for _, b := range []byte(letters) {
			if _, ok := secret.HashAPIKey(key[:i] + string(b) + key[i+1:]); ok && b != key[i] {
				t.Fatalf("%q for %q at %d: accepted", b, key[i], i)
			}
		}
	}
}

// A lopsided choice of characters would show here: of 62 each comes about 1,000 times.
func TestKeysUseAllCharactersAlike(t *testing.T) {
	t.Parallel()
	count := map[byte]int{}
	for range 2000 {
		key, _, _ := secret.NewAPIKey()
		for i := range 32 {
			count[key[12+i]]++
		}
	}
	if len(count) != 62 {
		t.Fatalf("%d characters are in use", len(count))
	}
	for b, n := range count {
		if n < 800 || n > 1300 { // more than six standard deviations of 32 away
			t.Errorf("%q came %d times", b, n)
		}
	}
}

func FuzzCheckKey(f *testing.F) {
	key, _, _ := secret.NewAPIKey()
	for _, seed := range []string{key, "", "belfry_live_", key[:49], key + "x", strings.Repeat("é", 25), "belfry_live_" + strings.Repeat("0", 38)} {
		f.Add(seed, uint8(len(seed)), byte('x'))
	}
	pattern := regexp.MustCompile(`^(?:` + secret.KeyPattern + `)$`)
	f.Fuzz(func(t *testing.T, text string, at uint8, slip byte) {
		hash, ok := secret.HashAPIKey(text)
		if ok && (!pattern.MatchString(text) || hash != sha256.Sum256([]byte(text))) {
			t.Errorf("%q passes", text)
		}
		if !ok && hash != [32]byte{} {
			t.Errorf("%q is refused and has a hash", text)
		}
		typo := []byte(key)
		typo[int(at)%len(typo)] = slip
		if _, ok := secret.HashAPIKey(string(typo)); ok != (string(typo) == key) {
			t.Errorf("%q for %q: %v", typo, key, ok)
		}
	})
}
