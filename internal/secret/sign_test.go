package secret_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"belfry/internal/secret"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestOnlyTheRightPurposeVerifies(t *testing.T) {
	t.Parallel()
	r := ring(t, secret.NewSecretKey())
	purposes := []string{"cursor", "upload", "reset", "", "seal/cursor"}
	for _, made := range purposes {
		signed := r.Sign(made, []byte("payload"), time.Time{})
		for _, asked := range purposes {
			if _, err := r.Verify(asked, signed, noon); (err == nil) != (made == asked) {
				t.Errorf("signed for %q, verified for %q: %v", made, asked, err)
			}
		}
	}
}

func TestSignedValueExpires(t *testing.T) {
	t.Parallel()
	r := ring(t, secret.NewSecretKey())
	for _, c := range []struct {
		name string
		exp  time.Time
		now  time.Time
		want error
	}{
		{"a second before its time", noon, noon.Add(-time.Second), nil},
		{"at its time", noon, noon, secret.ErrExpired},
		{"long after its time", noon, noon.AddDate(1, 0, 0), secret.ErrExpired},
		{"without a time", time.Time{}, noon.AddDate(100, 0, 0), nil},
		{"with a time before 1970", time.Unix(-5, 0), noon, secret.ErrExpired},
		{"at the beginning of time", time.Unix(0, 0), noon, secret.ErrExpired},
	} {
		got, err := r.Verify("p", r.Sign("p", []byte("x"), c.exp), c.now)
		if !errors.Is(err, c.want) || (c.want == nil && string(got) != "x") {
			t.Errorf("%s: %q, %v; want %v", c.name, got, err, c.want)
		}
	}
}

func TestSignedValueHasOneSpelling(t *testing.T) {
	t.Parallel()
	r := ring(t, secret.NewSecretKey())
	for _, payload := range []string{"", "a", "ab", "abc"} {
		signed := r.Sign("p", []byte(payload), noon)
		for i := range len(signed) {
			for _, b := range []byte("AZaz09-_=\n\r .") {
				other := signed[:i] + string(b) + signed[i+1:]
				if other == signed {
					continue
				}
				if _, err := r.Verify("p", other, noon.Add(-time.Hour)); !errors.Is(err, secret.ErrSigned) {
					t.Fatalf("%q instead of %q: %v", other, signed, err)
				}
			}
		}
		for _, other := range []string{signed + "=", signed + "\n", "\n" + signed, signed[:4] + "\r\n" + signed[4:], signed + "A", signed[1:], ""} {
			if _, err := r.Verify("p", other, noon.Add(-time.Hour)); !errors.Is(err, secret.ErrSigned) {
				t.Errorf("%q instead of %q: %v", other, signed, err)
			}
		}
	}
}

func TestSignatureOfAnotherRingIsRefused(t *testing.T) {
	t.Parallel()
	one, two := secret.NewSecretKey(), secret.NewSecretKey()
	signed := ring(t, one).Sign("p", []byte("x"), time.Time{})
	if _, err := ring(t, two).Verify("p", signed, noon); !errors.Is(err, secret.ErrSigned) {
		t.Error(err)
	}
	if got, err := ring(t, two, one).Verify("p", signed, noon); err != nil || string(got) != "x" {
		t.Errorf("after a rotation: %q, %v", got, err)
	}
}

// A sealed value and a signed one must not be taken for each other, whatever their purposes.
func TestSealAndSignDoNotMix(t *testing.T) {
	t.Parallel()
	r := ring(t, secret.NewSecretKey())
	sealed := r.Seal("p", "", []byte("x"))
	if _, err := r.Verify("p", base64.RawURLEncoding.EncodeToString(sealed), noon); !errors.Is(err, secret.ErrSigned) {
		t.Error(err)
	}
	signed, err := base64.RawURLEncoding.DecodeString(r.Sign("p", bytes.Repeat([]byte("x"), 40), time.Time{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open("p", "", signed); err == nil {
		t.Error("a signed value was opened")
	}
}

func TestHashDiffersByPurpose(t *testing.T) {
	t.Parallel()
	if secret.HashToken("state", "t") == secret.HashToken("session", "t") ||
		secret.HashToken("state", "t") == secret.HashToken("state", "u") ||
		secret.HashToken("a", "b/c") == secret.HashToken("a/b", "c") {
		t.Error("two hashes are equal")
	}
	if one, two := secret.HashToken("state", "t"), secret.HashToken("state", "t"); one != two {
		t.Error("a hash is not stable")
	}
}

func TestRandomIsLongURLSafeAndNew(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		s := secret.RandomText(32)
		if len(s) != 43 || strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" ||
			seen[s] {
			t.Fatalf("%q", s)
		}
		seen[s] = true
	}
}

// The example of RFC 7636, appendix B.
func TestChallengeIsThatOfTheStandard(t *testing.T) {
	t.Parallel()
	if got := secret.PKCEChallenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"); got != "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" {
		t.Error(got)
	}
	if v := secret.NewPKCEVerifier(); len(v) < 43 || len(v) > 128 {
		t.Error(v)
	}
}

func FuzzVerify(f *testing.F) {
	r, err := secret.ParseRing("k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	if err != nil {
		f.Fatal(err)
	}
	good := r.Sign("p", []byte("payload"), noon)
	for _, seed := range []string{good, good + "=", good[:len(good)-1], "", "AQJrMQ", "AQ", "AQA", "Af9rMQ", "\n", r.Sign("q", nil, time.Time{})} {
		f.Add(seed, []byte("payload"), uint8(len(seed)), byte(1))
	}
	f.Fuzz(func(t *testing.T, signed string, payload []byte, at uint8, change byte) {
		if _, err := r.Verify("p", signed, noon.Add(-time.Second)); err == nil && signed != good {
			t.Errorf("%q was not made by Sign and passes", signed)
		}
		s := r.Sign("upload", payload, noon)
		if back, err := r.Verify("upload", s, noon.Add(-time.Second)); err != nil || !bytes.Equal(back, payload) {
			t.Errorf("%q comes back from %q as %q, %v", payload, s, back, err)
		}
		if _, err := r.Verify("upload", s, noon); !errors.Is(err, secret.ErrExpired) {
			t.Errorf("%q outlives its time: %v", s, err)
		}
		changed := []byte(s)
		changed[int(at)%len(changed)] ^= change
		for purpose, forged := range map[string]string{"p": s, "upload": string(changed)} {
			if _, err := r.Verify(purpose, forged, noon.Add(-time.Second)); err == nil && (purpose == "p" || forged != s) {
				t.Errorf("%q, made from %q, passes for %s", forged, s, purpose)
			}
		}
	})
}

func FuzzOpen(f *testing.F) {
	r, err := secret.ParseRing("k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	if err != nil {
		f.Fatal(err)
	}
	good := r.Seal("p", "a", []byte("payload"))
	for _, seed := range [][]byte{good, good[:20], {1}, {1, 255}, {1, 2, 'k', '1'}, nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if plain, err := r.Open("p", "a", sealed); err == nil && string(plain) != "payload" {
			t.Errorf("%x was not made by Seal and opens", sealed)
		}
	})
}
