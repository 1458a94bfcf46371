package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Connection is a pending consent, from the redirect to the network until its callback and then, with Profiles, until
// the person has chosen some.
type Connection struct {
	StateHash   []byte
	User        core.UserID
	Platform    core.Platform
	Account     *core.AccountID // set when an account is reconnected
	SessionHash []byte
	Verifier    []byte // sealed; empty without PKCE
	Profiles    []byte // sealed; nil before the way back
}

// AddConnection stores a consent that expires at the given time.
func (t Tenant) AddConnection(ctx context.Context, c Connection, expires time.Time) error {
	return t.exec(ctx, `
		INSERT INTO connections (state_hash, workspace_id, user_id, platform, account_id, session_hash, verifier, profiles,
			expires_at)
		VALUES (@state, @ws, @user, @platform, @account, @session, @verifier, @profiles, @expires)`, args{
		"state": c.StateHash, "user": c.User, "platform": c.Platform, "account": c.Account, "session": c.SessionHash,
		"verifier": c.Verifier, "profiles": c.Profiles, "expires": expires,
	})
}

// TakeConnection deletes and returns the consent with this state, person, browser session and workspace. It returns
// not_found for any other consent, and for one that has expired or was taken before. The platform may be empty for a
// choice of profiles, which stores its own.
func (t Tenant) TakeConnection(ctx context.Context, want Connection, chosen bool, now time.Time) (Connection, error) {
	return queryOne[Connection](t.query(ctx, `
		DELETE FROM connections
		WHERE workspace_id = @ws AND state_hash = @state AND user_id = @user AND session_hash = @session
			AND expires_at > @now
			AND (platform = @platform OR @platform = '') AND (profiles IS NOT NULL) = @chosen
		RETURNING state_hash, user_id AS "user", platform, account_id AS account, session_hash, verifier, profiles`, args{
		"state": want.StateHash, "user": want.User, "session": want.SessionHash, "now": now, "platform": want.Platform,
		"chosen": chosen,
	}))
}
