package settings

import "testing"

func TestABrowserHasTheNameThatPeopleKnow(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 " +
			"Safari/605.1.15": "Safari on Mac",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36": "Chrome on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 " +
			"Safari/537.36 Edg/140.0.0.0": "Edge on Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 " +
			"Mobile/15E148 Safari/604.1": "Chrome on iPhone",
		"curl/8.5.0":   "curl",
		"":             "Unknown browser",
		"<script>x":    "Unknown browser",
		"X (Linux) Y/": "Browser on Linux",
	} {
		if got := browserAndSystemName(agent); got != want {
			t.Errorf("%s: want %s, got %s", agent, want, got)
		}
	}
}
