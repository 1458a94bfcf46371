package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/link"
)

// Lifetimes of a session (security.md 4.4).
const (
	idleTime   = 12 * time.Hour
	lifetime   = 14 * 24 * time.Hour
	touchEvery = time.Minute // the minimum time between two updates of keySeen
)

// Keys of the values in a session.
const (
	keyUser         = "user"
	keyWorkspace    = "workspace" // the one that the person visited last
	keyProof        = "proof"     // app.SignedIn.Proof
	keyProved       = "proved"    // seconds of Unix time: when the person last gave their password
	keySince        = "since"     // seconds of Unix time: when the person signed in
	keySeen         = "seen"      // seconds of Unix time: when they last did something
	keyFlash        = "flash"     // by workspace (sessionKeyForWorkspace)
	keySelected     = "selected"  // by workspace: the posts or files that are still selected after an action
	keyBulkInput    = "bulk"      // by workspace: what a person entered for an action on several posts that was refused
	keyChoice       = "choice."   // followed by a workspace's id: the profiles to choose from
	keyCalendarView = "calendar"  // the view of the calendar that the person chose last
	keySavedForm    = "carried"   // a form that was submitted after the previous session had ended
	keyID           = "id"        // the session's id in the list of the person's sessions
	keyBrowser      = "browser"   // the browser's User-Agent
)

// sessions manages the dashboard's sessions. Only a sign-in creates a session.
type sessions struct {
	manager *scs.SessionManager
	now     func() time.Time
}

func newSessions(store scs.CtxStore, secure bool, now func() time.Time) *sessions {
	m := scs.New()
	m.Store = store
	m.HashTokenInStore = true
	m.IdleTimeout, m.Lifetime = idleTime, lifetime
	m.Cookie.Name, m.Cookie.Secure = "belfry", secure
	m.Cookie.HttpOnly, m.Cookie.SameSite, m.Cookie.Path = true, http.SameSiteLaxMode, "/"
	if secure {
		// Browsers accept a cookie with this prefix only from this host, and only over TLS.
		m.Cookie.Name = "__Host-belfry"
	}
	return &sessions{m, now}
}

// cookieToken returns the session's token in the request's cookie, or "".
func (s *sessions) cookieToken(r *http.Request) (tokenOrEmpty string) {
	cookie, err := r.Cookie(s.manager.Cookie.Name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// loadSessionOrEmpty returns the request's context with its session, which is empty if there is none or it has expired.
func (s *sessions) loadSessionOrEmpty(r *http.Request) (context.Context, error) {
	ctx, err := s.manager.Load(r.Context(), s.cookieToken(r))
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	if s.manager.GetString(ctx, keyUser) == "" || !s.hasExpired(ctx) {
		return ctx, nil
	}
	return s.manager.Load(r.Context(), "")
}

// hasExpired reports whether the session is older than its lifetime or was idle for too long, by the service's clock.
// The limits of scs do not suffice, because scs restarts the lifetime with each new token.
func (s *sessions) hasExpired(ctx context.Context) bool {
	return s.timeSinceStoredTime(ctx, keySince) >= lifetime || s.timeSinceStoredTime(ctx, keySeen) >= idleTime
}

// timeSinceStoredTime returns how long ago the Unix time is that the session has under the key.
func (s *sessions) timeSinceStoredTime(ctx context.Context, key string) time.Duration {
	return s.now().Sub(time.Unix(s.manager.GetInt64(ctx, key), 0))
}

// unverifiedSession returns what the session says about the signed-in person; ok is false if nobody is signed in.
// Whether the proof is still valid, for example after a new password, is for the app to check.
func (s *sessions) unverifiedSession(ctx context.Context) (session app.Session, ok bool) {
	session = app.Session{
		ID: s.manager.Token(ctx), User: s.manager.GetString(ctx, keyUser), Workspace: s.manager.GetString(ctx, keyWorkspace),
		Proof: s.manager.GetString(ctx, keyProof), ProvedAt: time.Unix(s.manager.GetInt64(ctx, keyProved), 0),
	}
	return session, session.User != ""
}

// beginUnsavedSession replaces the session in the context with that of a person who has signed in. The session gets a
// new token, which makes a token from before the sign-in useless. saveAndSetCookie saves it.
func (s *sessions) beginUnsavedSession(ctx context.Context, in app.SignedIn, userAgent string) error {
	if err := s.manager.RenewToken(ctx); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	if err := s.manager.Clear(ctx); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	now := s.now().Unix()
	for key, value := range map[string]any{
		keyUser: in.User.String(), keyWorkspace: in.Workspace.String(), keyProof: in.Proof, keySince: now, keySeen: now,
		keyProved: now, keyID: core.NewID[core.SessionKind]().String(), keyBrowser: userAgent,
	} {
		s.manager.Put(ctx, key, value)
	}
	return nil
}

// renewTokenAndRecordPasswordTime records that the person has just entered their password. The session gets a new
// token, because it now has more rights.
func (s *sessions) renewTokenAndRecordPasswordTime(ctx context.Context) error {
	if err := s.manager.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew the session: %w", err)
	}
	s.manager.Put(ctx, keyProved, s.now().Unix())
	return nil
}

// renewSessionForNewPassword stores the proof of a new password, so that the session remains valid, and does what
// renewTokenAndRecordPasswordTime does.
func (s *sessions) renewSessionForNewPassword(ctx context.Context, proof string) error {
	s.manager.Put(ctx, keyProof, proof)
	return s.renewTokenAndRecordPasswordTime(ctx)
}

// browserSessionEnsuringID returns the session for the list of the person's sessions, or the zero BrowserSession if
// nobody is signed in. It gives an id to a session that an older version started.
func (s *sessions) browserSessionEnsuringID(ctx context.Context) (sessionOrZero core.BrowserSession) {
	user, err := core.ParseID[core.UserKind](s.manager.GetString(ctx, keyUser))
	if err != nil {
		return core.BrowserSession{}
	}
	id, err := core.ParseID[core.SessionKind](s.manager.GetString(ctx, keyID))
	if err != nil {
		id = core.NewID[core.SessionKind]()
		s.manager.Put(ctx, keyID, id.String())
	}
	return core.BrowserSession{
		ID: id, User: user, Browser: s.manager.GetString(ctx, keyBrowser),
		Since: time.Unix(s.manager.GetInt64(ctx, keySince), 0), SeenAt: time.Unix(s.manager.GetInt64(ctx, keySeen), 0),
	}
}

// saveAndSetCookie saves the session and sets its cookie. It must be called before the response's first byte.
func (s *sessions) saveAndSetCookie(ctx context.Context, w http.ResponseWriter) error {
	token, expiry, err := s.manager.Commit(core.WithBrowserSession(ctx, s.browserSessionEnsuringID(ctx)))
	if err != nil {
		return fmt.Errorf("save the session: %w", err)
	}
	s.manager.WriteSessionCookie(ctx, w, token, expiry)
	w.Header().Set("Cache-Control", "no-store") // replaces the weaker directive of scs
	return nil
}

// endAndClearCookie deletes the session and its cookie.
func (s *sessions) endAndClearCookie(ctx context.Context, w http.ResponseWriter) error {
	if err := s.manager.Destroy(ctx); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	s.manager.WriteSessionCookie(ctx, w, "", time.Time{})
	w.Header().Set("Cache-Control", "no-store")
	return nil
}

// newDeviceCookie returns a cookie that outlives sessions. It shows that the browser has been used to sign in before,
// but grants access to nothing.
func (s *sessions) newDeviceCookie(value string) *http.Cookie {
	session := s.manager.Cookie
	return &http.Cookie{ //nolint:gosec // Secure and SameSite are those of the session's cookie
		Name: session.Name + "-device", Value: value, Path: session.Path, MaxAge: int(app.DeviceLifetime.Seconds()),
		Secure: session.Secure, HttpOnly: true, SameSite: session.SameSite,
	}
}

// readAddressKeyAndDeviceCookie returns the address key and the device cookie of the browser, which limits on sign-ins
// need.
func (r *request) readAddressKeyAndDeviceCookie() app.Browser {
	from := app.Browser{AddressKey: httpd.ClientAddressKey(r.echo)}
	if cookie, err := r.echo.Request().Cookie(r.web.sessions.newDeviceCookie("").Name); err == nil {
		from.DeviceCookie = cookie.Value
	}
	return from
}

// maxBrowser is how many characters of the User-Agent are stored.
const maxBrowser = 300

// beginSessionAndSetDeviceCookie starts a session of a person who has signed in, and sets the device cookie.
func (r *request) beginSessionAndSetDeviceCookie(in app.SignedIn) error {
	browser := []rune(r.echo.Request().UserAgent())
	userAgent := string(browser[:min(len(browser), maxBrowser)])
	if err := r.web.sessions.beginUnsavedSession(r.context(), in, userAgent); err != nil {
		return err
	}
	r.sessionChanged, r.link = true, link.Workspace(in.Slug)
	r.echo.SetCookie(r.web.sessions.newDeviceCookie(in.DeviceCookie))
	return nil
}

// rememberSelection stores the ids of posts or files that the next list shows as selected. Without any, it stores
// nothing.
func (r *request) rememberSelection(ids []string) {
	if ids = ids[:min(len(ids), app.MaxBulk)]; len(ids) > 0 {
		r.putSessionValue(r.sessionKeyForWorkspace(keySelected), strings.Join(ids, " "))
	}
}

// popSelectionUnlessFragment returns the ids of the posts or files that are still selected, and removes them from the
// session. It returns none for a part of a page, which does not show the selection.
func (r *request) popSelectionUnlessFragment() []string {
	if r.wantsFragment() {
		return nil
	}
	return strings.Fields(r.popSessionValue(r.sessionKeyForWorkspace(keySelected)))
}
