package meta_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

const appSecret network.Secret = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

// signRequest returns a request that is signed with a secret.
func signRequest(secret network.Secret, payload string) string {
	encoded := base64.RawURLEncoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(encoded))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) + "." + encoded
}

func body(signed ...string) []byte { return []byte(url.Values{"signed_request": signed}.Encode()) }

func grantOf(person string) string { return "grant of " + person }

const about = `{"algorithm":"HMAC-SHA256","issued_at":1791190800,"user_id":"218471"}` // 2026-10-05 09:00

func TestASignedRequestIsRead(t *testing.T) {
	t.Parallel()
	signed := signRequest(appSecret, about)
	for name, c := range map[string]struct {
		event  string
		signed string
		kind   network.NoticeKind
	}{
		"the app was removed":   {"deauthorize", signed, network.AccessRemoved},
		"data must be deleted":  {"data-deletion", signed, network.DataUnwanted},
		"with padding":          {"deauthorize", strings.Replace(signed, ".", "=.", 1), network.AccessRemoved},
		"the id is a number":    {"deauthorize", signRequest(appSecret, strings.Replace(about, `"218471"`, `218471`, 1)), network.AccessRemoved},
		"with further members":  {"deauthorize", signRequest(appSecret, strings.Replace(about, "{", `{"expires":1,"user":{},`, 1)), network.AccessRemoved},
		"the algorithm in case": {"deauthorize", signRequest(appSecret, strings.Replace(about, "HMAC", `hmac`, 1)), network.AccessRemoved},
	} {
		got, err := meta.VerifyCallback(network.Callback{Event: c.event, Body: body(c.signed)}, appSecret, now, grantOf)
		want := network.Notice{Kind: c.kind, Grant: "grant of 218471", At: time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)}
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestARequestThatIsNotSignedIsRefused(t *testing.T) {
	t.Parallel()
	good := signRequest(appSecret, about)
	signature, payload, _ := strings.Cut(good, ".")
	other := signRequest(appSecret, strings.Replace(about, "218471", "218472", 1))
	for name, c := range map[string]struct {
		event  string
		secret network.Secret
		body   []byte
	}{
		"another secret":            {"deauthorize", "another-secret", body(good)},
		"no secret here":            {"deauthorize", "", body(signRequest("", about))},
		"another event":             {"webhook", appSecret, body(good)},
		"truncated":                 {"deauthorize", appSecret, body(good[:len(good)-1])},
		"a truncated signature":     {"deauthorize", appSecret, body(signature[:20] + "." + payload)},
		"no signature":              {"deauthorize", appSecret, body("." + payload)},
		"only a signature":          {"deauthorize", appSecret, body(signature)},
		"another one's payload":     {"deauthorize", appSecret, body(signature + "." + other[strings.Index(other, ".")+1:])},
		"nothing":                   {"deauthorize", appSecret, nil},
		"two requests":              {"deauthorize", appSecret, body(good, good)},
		"not a form":                {"deauthorize", appSecret, []byte("signed_request=%zz")},
		"from the future":           {"deauthorize", appSecret, body(signRequest(appSecret, strings.Replace(about, "17911908", "17911918", 1)))},
		"without a time":            {"deauthorize", appSecret, body(signRequest(appSecret, `{"algorithm":"HMAC-SHA256","user_id":"1"}`))},
		"without a person":          {"deauthorize", appSecret, body(signRequest(appSecret, `{"algorithm":"HMAC-SHA256","issued_at":1}`))},
		"of another algorithm":      {"deauthorize", appSecret, body(signRequest(appSecret, strings.Replace(about, "SHA256", "MD5", 1)))},
		"signed, but no JSON":       {"deauthorize", appSecret, body(signRequest(appSecret, "218471"))},
		"a person that is no id":    {"deauthorize", appSecret, body(signRequest(appSecret, strings.Replace(about, "218471", "../x", 1)))},
		"with a line break in it":   {"deauthorize", appSecret, body(good[:10] + "\n" + good[10:])},
		"signature in another case": {"deauthorize", appSecret, body(strings.ToUpper(signature) + "." + payload)},
	} {
		got, err := meta.VerifyCallback(network.Callback{Event: c.event, Body: c.body}, c.secret, now, grantOf)
		if !errors.Is(err, network.ErrNotSigned) || got != (network.Notice{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func FuzzReadCallback(f *testing.F) {
	good := body(signRequest(appSecret, about))
	f.Add("deauthorize", good)
	f.Add("data-deletion", good[:len(good)-3])
	f.Add("deauthorize", []byte("signed_request=.e30"))
	f.Fuzz(func(t *testing.T, event string, sent []byte) {
		n, err := meta.VerifyCallback(network.Callback{Event: event, Body: sent}, appSecret, now, grantOf)
		switch {
		case err != nil && (!errors.Is(err, network.ErrNotSigned) || n != network.Notice{}):
			t.Errorf("%+v, %v", n, err)
		case err == nil && n.Grant != "grant of 218471": // nobody else has signed anything
			t.Errorf("a forged call is read: %+v", n)
		}
	})
}

func TestAGrantToAnotherAppIsNotRevoked(t *testing.T) {
	t.Parallel()
	login := meta.PageLogin{ID: "1234", Secret: appSecret}
	other := meta.PageLogin{ID: "5678"}
	for _, grant := range []string{"", other.GrantID("1"), "pages/12345/1"} {
		e, ok := errors.AsType[*network.Error](login.RevokeGrant(t.Context(), network.Token{Grant: grant}))
		if !ok || e.Kind != network.Rejected {
			t.Errorf("%q: %v", grant, e)
		}
	}
	if shared := (meta.PageLogin{ID: "1234"}); shared.GrantID("1") != login.GrantID("1") || login.GrantID("") != "" {
		t.Error("two networks with the same app have different grants")
	}
}
