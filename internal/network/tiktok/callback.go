package tiktok

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"belfry/internal/network"
)

const (
	eventWebhook    = "webhook"
	signatureHeader = "TikTok-Signature"
	// callbackLife is the maximum age of a signature. TikTok repeats a call for 72 hours.
	callbackLife = 73 * time.Hour
)

// VerifyCallback verifies and reads an event of the webhook.
func (n *Network) VerifyCallback(c network.Callback) (network.Notice, error) {
	signed, ok := n.verifySignature(c)
	if c.Event != eventWebhook || !ok || !network.IsSignatureFresh(signed, n.env.Now(), callbackLife) {
		return network.Notice{}, network.ErrNotSigned
	}
	var event struct {
		Client  string `json:"client_key"`
		Name    string `json:"event"`
		At      int64  `json:"create_time"` // Unix time
		Account string `json:"user_openid"`
	}
	if json.Unmarshal(c.Body, &event) != nil || event.Client != n.id || event.At <= 0 {
		return network.Notice{}, network.ErrNotSigned
	}
	notice := network.Notice{Grant: n.grantID(event.Account), At: time.Unix(event.At, 0).UTC()}
	switch {
	case event.Name == "authorization.removed":
		notice.Kind = network.AccessRemoved
	case strings.HasPrefix(event.Name, "post.publish."):
		notice.Kind = network.PostsChanged
	}
	return notice, nil
}

// verifySignature returns when TikTok signed the body. ok is false if the signature is invalid. The header is
// t=SECONDS,s=HEX.
func (n *Network) verifySignature(c network.Callback) (signedAt time.Time, ok bool) {
	values := c.Header.Values(signatureHeader)
	if len(values) != 1 || n.secret == "" {
		return signedAt, false
	}
	var stamp, signature string
	for part := range strings.SplitSeq(values[0], ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			stamp = value
		case "s":
			signature = value
		}
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	sent, hexErr := hex.DecodeString(signature)
	if err != nil || hexErr != nil {
		return signedAt, false
	}
	mac := hmac.New(sha256.New, []byte(n.secret.Reveal()))
	mac.Write([]byte(stamp + "."))
	mac.Write(c.Body)
	return time.Unix(seconds, 0), hmac.Equal(mac.Sum(nil), sent)
}
