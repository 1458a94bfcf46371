package e2e

import (
	"strings"
	"testing"
	"time"
)

// A server at localhost with real networks: it says at its start and to the doctor what it cannot publish, and serves
// what proves to a network whose address it is.
func TestServerWithoutPublicAddressSaysWhatItCannotPublish(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t, map[string]string{
		"TIKTOK_CLIENT_ID": "1", "TIKTOK_CLIENT_SECRET": "2",
		"VERIFICATION_FILES": "tiktok1.txt:tiktok-developers-site-verification=1",
	})
	s.serveUntilReady()
	const warning = "networks cannot download files from this server"
	eventually(t, 10*time.Second, "the warning", func() bool { return strings.Contains(s.process.log.String(), warning) })
	status, header, body := sendRequest(t, "GET", s.url+"/media/tiktok1.txt", nil, nil)
	if status != 200 || string(body) != "tiktok-developers-site-verification=1" ||
		!strings.HasPrefix(header.Get("Content-Type"), "text/plain") {
		t.Errorf("the verification file is %d %s %q", status, header.Get("Content-Type"), body)
	}
	out := requireCommand(t, s.env, "", "doctor")
	for _, want := range []string{
		"http://localhost", "TikTok: photos cannot be published; videos can", "Set BELFRY_MEDIA_URL",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q: %s", want, out)
		}
	}
}
