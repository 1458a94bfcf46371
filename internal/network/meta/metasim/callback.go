package metasim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"

	"belfry/internal/network/sim"
)

// ReportRemoval notifies the app that a person has removed it. With erase, it also reports that the person's data must
// be deleted.
func ReportRemoval(kit *sim.Kit, network, person string, erase bool) {
	events := []string{"deauthorize"}
	if erase {
		events = append(events, "data-deletion")
	}
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	for _, event := range events {
		kit.NotifyApp(network, event, header, url.Values{"signed_request": {SignedRequest(kit, person)}}.Encode(), 1)
	}
}

// SignedRequest returns the signed request about a person that Meta sends to the app.
func SignedRequest(kit *sim.Kit, person string) string {
	at := kit.Now()
	plain, err := json.Marshal(map[string]any{
		"algorithm": "HMAC-SHA256", "user_id": person, "issued_at": at.Unix(), "expires": at.Unix() + 3600,
	})
	if err != nil {
		return ""
	}
	payload := base64.RawURLEncoding.EncodeToString(plain)
	mac := hmac.New(sha256.New, []byte(kit.ClientSecret()))
	mac.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) + "." + payload
}
