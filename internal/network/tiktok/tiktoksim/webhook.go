package tiktoksim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
)

// Reasons why an authorization was removed.
const (
	removedByUser = 1
	removedByApp  = 5
)

func (s *Sim) reportRemoval(account string, reason int) {
	s.sendEventTwice("authorization.removed", account, map[string]any{"reason": reason})
}

// reportPublishedOrFailed sends the event that a post was published or has failed.
func (s *Sim) reportPublishedOrFailed(t *task) {
	content := map[string]any{"publish_id": t.ID, "publish_type": "DIRECT_PUBLISH"}
	if t.Problem == "" {
		s.sendEventTwice("post.publish.complete", t.Account, content)
		return
	}
	content["reason"] = t.Problem
	s.sendEventTwice("post.publish.failed", t.Account, content)
}

// sendEventTwice sends a signed event to the app's webhook, and then the same event again, because TikTok promises only
// to send each event at least once. The content is sent as a string of JSON.
func (s *Sim) sendEventTwice(event, account string, content map[string]any) {
	inner, err := json.Marshal(content)
	if err != nil {
		return
	}
	now := s.kit.Now().Unix()
	body, err := json.Marshal(map[string]any{
		"client_key": s.kit.ClientID(), "event": event, "create_time": now, "user_openid": account, "content": string(inner),
	})
	if err != nil {
		return
	}
	stamp := strconv.FormatInt(now, 10)
	mac := hmac.New(sha256.New, []byte(s.kit.ClientSecret()))
	mac.Write([]byte(stamp + "." + string(body)))
	header := http.Header{
		"Content-Type":     {"application/json"},
		"Tiktok-Signature": {"t=" + stamp + ",s=" + hex.EncodeToString(mac.Sum(nil))},
	}
	s.kit.NotifyApp(Name, "webhook", header, string(body), 2)
}
