package secret_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"belfry/internal/secret"
)

func ring(t *testing.T, pairs ...string) *secret.Ring {
	t.Helper()
	r, err := secret.ParseRing(pairs...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSealedValueOpensInItsPlace(t *testing.T) {
	t.Parallel()
	r := ring(t, secret.NewSecretKey())
	place := secret.EncryptionContext("accounts", "token", "row", "ws")
	for _, plain := range []string{"", "x", strings.Repeat("token", 1000)} {
		sealed := r.Seal("token", place, []byte(plain))
		got, err := r.Open("token", place, sealed)
		if err != nil || string(got) != plain {
			t.Fatalf("opened %q, %v", got, err)
		}
		if plain != "" && len(plain) > 4 && strings.Contains(string(sealed), plain[:5]) {
			t.Fatal("the sealed value shows its content")
		}
	}
}

func TestSealingTwiceGivesTwoValues(t *testing.T) {
	t.Parallel()
	r := ring(t, secret.NewSecretKey())
	one, two := r.Seal("p", "a", []byte("x")), r.Seal("p", "a", []byte("x"))
	if bytes.Equal(one, two) {
		t.Fatal("two seals of one value are equal")
	}
}

// Each place differs from the right one in a single part, as after a row, column or workspace was swapped.
func TestSealedValueIsRefusedElsewhere(t *testing.T) {
	t.Parallel()
	r := ring(t, secret.NewSecretKey())
	sealed := r.Seal("token", secret.EncryptionContext("accounts", "token", "row", "ws"), []byte("x"))
	for _, place := range []string{
		secret.EncryptionContext("publications", "token", "row", "ws"),
		secret.EncryptionContext("accounts", "verifier", "row", "ws"),
		secret.EncryptionContext("accounts", "token", "other", "ws"),
		secret.EncryptionContext("accounts", "token", "row", "other"),
		secret.EncryptionContext("accounts", "token", "row", ""),
		"",
	} {
		if got, err := r.Open("token", place, sealed); !errors.Is(err, secret.ErrSealed) {
			t.Errorf("place %q: opened %q, %v", place, got, err)
		}
	}
}

func TestChangedSealedValueIsRefused(t *testing.T) {
	t.Parallel()
	r := ring(t, secret.NewSecretKey())
	sealed := r.Seal("token", "place", []byte("value"))
	for i := range sealed {
		changed := append([]byte(nil), sealed...)
		changed[i] ^= 1
		if _, err := r.Open("token", "place", changed); err == nil {
			t.Errorf("byte %d changed and nobody noticed", i)
		}
		if _, err := r.Open("token", "place", sealed[:i]); err == nil {
			t.Errorf("cut after %d bytes and nobody noticed", i)
		}
	}
	if _, err := r.Open("token", "place", append(sealed, 0)); err == nil {
		t.Error("a byte too many and nobody noticed")
	}
}

func TestOnlyTheRightPurposeOpens(t *testing.T) {
	t.Parallel()
	r := ring(t, secret.NewSecretKey())
	purposes := []string{"token", "handle", "verifier", "", "token/x"}
	for _, made := range purposes {
		sealed := r.Seal(made, "place", []byte("x"))
		for _, asked := range purposes {
			if _, err := r.Open(asked, "place", sealed); (err == nil) != (made == asked) {
				t.Errorf("sealed for %q, opened for %q: %v", made, asked, err)
			}
		}
	}
}

func TestOldKeyOpensWhileItIsOnTheRing(t *testing.T) {
	t.Parallel()
	older, newer := secret.NewSecretKey(), secret.NewSecretKey()
	sealed := ring(t, older).Seal("p", "a", []byte("x"))
	rotated := ring(t, newer, older)
	if got, err := rotated.Open("p", "a", sealed); err != nil || string(got) != "x" {
		t.Fatalf("opened %q, %v", got, err)
	}
	newID, _, _ := strings.Cut(newer, ":")
	if id, err := secret.SealingKeyID(rotated.Seal("p", "a", nil)); err != nil || id != newID {
		t.Fatalf("sealed with %q, %v; the first key is %q", id, err, newID)
	}
	_, err := ring(t, newer).Open("p", "a", sealed)
	oldID, _, _ := strings.Cut(older, ":")
	if !errors.Is(err, secret.ErrUnknownKey) || !strings.Contains(err.Error(), oldID) {
		t.Fatalf("without the old key: %v; want its id %q named", err, oldID)
	}
}

func TestSameIDWithAnotherKeyDoesNotOpen(t *testing.T) {
	t.Parallel()
	key := func(b byte) string {
		return "k1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(rune(b)), 32)))
	}
	sealed := ring(t, key('a')).Seal("p", "a", []byte("x"))
	if _, err := ring(t, key('b')).Open("p", "a", sealed); !errors.Is(err, secret.ErrSealed) {
		t.Fatal(err)
	}
}

func TestRingRefusesKeysThatCannotWork(t *testing.T) {
	t.Parallel()
	good := base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789ABCDEF"))
	for name, pairs := range map[string][]string{
		"no key":        nil,
		"no colon":      {good},
		"empty id":      {":" + good},
		"id with space": {"a b:" + good},
		"id too long":   {strings.Repeat("a", 33) + ":" + good},
		"not base64":    {"k:" + good[:40] + "!!!!"},
		"too short":     {"k:" + good[:40]},
		"too long":      {"k:AAAA" + good},
		"twice":         {"k:" + good, "k:" + good},
	} {
		_, err := secret.ParseRing(pairs...)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if strings.Contains(err.Error(), good[:12]) {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
}

func logged(values ...any) string {
	var out strings.Builder
	for _, v := range values {
		slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "v", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "v", v)
	}
	return out.String()
}

func TestRingHidesItsKeysInPrint(t *testing.T) {
	t.Parallel()
	pair := secret.NewSecretKey()
	_, text, _ := strings.Cut(pair, ":")
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	r := ring(t, pair)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		got := fmt.Sprintf(verb, r) + fmt.Sprintf(verb, []any{r}) + logged(r, []any{r})
		for _, part := range []string{
			strings.Trim(fmt.Sprint(key[:4]), "[]"), fmt.Sprintf("%x", key[:8]), string(key[:8]), text[:10],
		} {
			if strings.Contains(got, part) {
				t.Errorf("%s shows the key: %s", verb, got)
			}
		}
	}
}
