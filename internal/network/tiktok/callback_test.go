package tiktok_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/tiktok"
)

const (
	webhookKey    = "awclient"
	webhookSecret = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
)

var webhookNow = time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)

func receiver(t testing.TB, secret string) *tiktok.Network {
	t.Helper()
	n, err := tiktok.New(network.Environment{
		Now: func() time.Time { return webhookNow },
		Get: func(name string) string {
			return map[string]string{
				"TIKTOK_CLIENT_ID": webhookKey, "TIKTOK_CLIENT_SECRET": secret, "TIKTOK_PKCE": "hex", "TIKTOK_SETTLE": "60s",
			}[name]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func event(name string) string {
	return fmt.Sprintf(`{"client_key":%q,"event":%q,"create_time":%d,"user_openid":"-000a","content":"{}"}`,
		webhookKey, name, webhookNow.Add(-time.Hour).Unix())
}

func sign(secret, body string, at time.Time) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "." + body))
	return "t=" + stamp + ",s=" + hex.EncodeToString(mac.Sum(nil))
}

func webhook(signature, body string) network.Callback {
	return network.Callback{
		Event: "webhook", Header: http.Header{"Tiktok-Signature": {signature}}, Body: []byte(body),
	}
}

func TestASignedEventIsRead(t *testing.T) {
	t.Parallel()
	n := receiver(t, webhookSecret)
	for name, kind := range map[string]network.NoticeKind{
		"authorization.removed": network.AccessRemoved, "post.publish.complete": network.PostsChanged,
		"post.publish.failed": network.PostsChanged, "post.publish.publicly_available": network.PostsChanged,
		"post.publish.no_longer_publicaly_available": network.PostsChanged, //nolint:misspell // as TikTok spells it
		"video.upload.failed":                        "",
	} {
		for _, age := range []time.Duration{0, time.Hour, 72 * time.Hour, -time.Minute} {
			got, err := n.VerifyCallback(webhook(sign(webhookSecret, event(name), webhookNow.Add(-age)), event(name)))
			want := network.Notice{
				Kind: kind, Grant: "open.tiktokapis.com/awclient/-000a", At: webhookNow.Add(-time.Hour),
			}
			if err != nil || got != want {
				t.Errorf("%s, signed %s ago: %+v, %v", name, age, got, err)
			}
		}
	}
}

func TestAnEventThatIsNotSignedIsRefused(t *testing.T) {
	t.Parallel()
	removed := event("authorization.removed")
	good := sign(webhookSecret, removed, webhookNow)
	stamp, signature, _ := strings.Cut(good, ",")
	foreign := strings.Replace(removed, webhookKey, "another", 1)
	timeless := strings.Replace(removed, `"create_time"`, `"time"`, 1)
	twice := webhook(good, removed)
	twice.Header["Tiktok-Signature"] = []string{good, good}
	elsewhere := webhook(good, removed)
	elsewhere.Event = "deauthorize"
	for name, c := range map[string]network.Callback{
		"another secret":        webhook(sign("another", removed, webhookNow), removed),
		"another body":          webhook(good, removed+" "),
		"another time":          webhook("t="+strconv.FormatInt(webhookNow.Unix()+1, 10)+","+signature, removed),
		"truncated":             webhook(good[:len(good)-2], removed),
		"no signature":          webhook(stamp, removed),
		"no time":               webhook(signature, removed),
		"no header":             {Event: "webhook", Header: http.Header{}, Body: []byte(removed)},
		"two headers":           twice,
		"another address":       elsewhere,
		"replayed after days":   webhook(sign(webhookSecret, removed, webhookNow.Add(-74*time.Hour)), removed),
		"from the future":       webhook(sign(webhookSecret, removed, webhookNow.Add(time.Hour)), removed),
		"for another app":       webhook(sign(webhookSecret, foreign, webhookNow), foreign),
		"without a time":        webhook(sign(webhookSecret, timeless, webhookNow), timeless),
		"signed, but no JSON":   webhook(sign(webhookSecret, "removed", webhookNow), "removed"),
		"signed, but truncated": webhook(sign(webhookSecret, removed[:20], webhookNow), removed[:20]),
	} {
		got, err := receiver(t, webhookSecret).VerifyCallback(c)
		if !errors.Is(err, network.ErrNotSigned) || got != (network.Notice{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := receiver(t, "").VerifyCallback(webhook(sign("", removed, webhookNow), removed)); !errors.Is(err,
		network.ErrNotSigned) {
		t.Errorf("a server without a secret takes everything: %v", err)
	}
}

func FuzzReadCallback(f *testing.F) {
	removed := event("authorization.removed")
	good := sign(webhookSecret, removed, webhookNow)
	f.Add(good, removed)
	f.Add(good[:30], removed)
	f.Add("t=,s=", "{}")
	n := receiver(f, webhookSecret)
	f.Fuzz(func(t *testing.T, signature, body string) {
		got, err := n.VerifyCallback(webhook(signature, body))
		switch {
		case err != nil && (!errors.Is(err, network.ErrNotSigned) || got != network.Notice{}):
			t.Errorf("%+v, %v", got, err)
		case err == nil && body != removed: // nothing else was signed
			t.Errorf("a forged call is read: %s", body)
		}
	})
}
