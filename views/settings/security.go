package settings

import (
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
)

// Names of the inputs for changing one's password.
const (
	FieldPresentPassword = "current"
	FieldNewPassword     = "new"
)

// SecurityModel is the page of the person's password and sessions.
type SecurityModel struct {
	Frame    layout.Frame
	Zone     core.Zone
	Sessions []core.BrowserSession
	// Present is the session of this browser.
	Present core.SessionID
	Email   string            // for password managers
	Errors  map[string]string // by input
	Refused *contract.Error
}

// Names of browsers and systems, by a part of the User-Agent. The first match counts, because most browsers also name
// those with which they are compatible.
var (
	browserNames = [][2]string{
		{"Edg/", "Edge"},
		{"EdgA/", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"},
		{"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
	}
	systemNames = [][2]string{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"Windows", "Windows"},
		{"Macintosh", "Mac"},
		{"CrOS", "ChromeOS"},
		{"Linux", "Linux"},
	}
)

// browserAndSystemName returns a readable name for a browser, such as "Firefox on Windows".
func browserAndSystemName(userAgent string) string {
	browser, system := findNameInUserAgent(browserNames, userAgent), findNameInUserAgent(systemNames, userAgent)
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case browser == "":
		return "Browser on " + system
	case system == "":
		return browser
	}
	return browser + " on " + system
}

func findNameInUserAgent(namesByPart [][2]string, userAgent string) (nameOrEmpty string) {
	for _, n := range namesByPart {
		if strings.Contains(userAgent, n[0]) {
			return n[1]
		}
	}
	return ""
}
