package contract

import (
	"strings"

	"belfry/internal/core"
)

// Whoami is the response to GET /whoami (Spec §2).
type Whoami struct {
	Workspace  Workspace  `json:"workspace"`
	User       User       `json:"user"`
	Credential Credential `json:"credential"`
	Usage      Usage      `json:"usage"`
}

// Workspace is the workspace in whoami, and the response to PATCH /workspace.
type Workspace struct {
	ID       string `json:"id"`
	Slug     string `json:"slug"`
	Name     string `json:"name"`
	Plan     string `json:"plan"`
	Currency string `json:"currency"`
	TZ       string `json:"tz"`
}

// EditWorkspace is the body of PATCH /workspace.
type EditWorkspace struct {
	Name *string `json:"name,omitempty" minLength:"1" maxLength:"80"`
	Slug *string `json:"slug,omitempty" minLength:"1" maxLength:"40" doc:"Lowercase letters a to z, digits, and single hyphens between them. It must not be, or have been, the slug of another workspace on the server."`
	TZ   *string `json:"tz,omitempty" doc:"IANA time zone. It determines when the monthly post quota resets, and applies to times without a zone."`
}

// User is the person for whom a caller acts; email is null for an API key.
type User struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Email *string `json:"email"`
}

// Credential describes how the caller was authenticated.
type Credential struct {
	Kind   string   `json:"kind" enum:"api_key,session"`
	Name   string   `json:"name"`
	Scopes []string `json:"scopes" nullable:"false"`
}

// Usage is the usage of the workspace's plan. A null limit means unlimited.
type Usage struct {
	Plan     string  `json:"plan"`
	Period   string  `json:"period" doc:"The month, as YYYY-MM."`
	Posts    Counter `json:"posts"`
	Storage  Storage `json:"storage"`
	Accounts Counter `json:"accounts"`
	Members  Counter `json:"members"`
	Groups   bool    `json:"groups"`
	MCP      string  `json:"mcp"`
	API      bool    `json:"api"`
}

// Counter is how much of something is used, and its limit.
type Counter struct {
	Used  int64  `json:"used"`
	Limit *int64 `json:"limit"`
}

// Storage is how many bytes are used, and the limit.
type Storage struct {
	UsedBytes  int64  `json:"usedBytes"`
	LimitBytes *int64 `json:"limitBytes"`
}

// Account is the account record (Spec §2; decisions.md adds the last four).
type Account struct {
	ID          string  `json:"id"`
	Platform    string  `json:"platform"`
	DisplayName string  `json:"displayName"`
	Status      string  `json:"status" enum:"ok,expired,revoked"`
	Username    *string `json:"username"`
	AvatarURL   *string `json:"avatarUrl" doc:"A small square JPEG, served by Belfry. The address changes whenever the picture changes."`
	ExpiresAt   *Time   `json:"expiresAt"`
	CreatedAt   Time    `json:"createdAt"`
}

// AvatarPath returns the path of the account's picture on this server, or "" if it has none.
func (a Account) AvatarPath() (pathOrEmpty string) {
	if a.AvatarURL == nil {
		return ""
	}
	_, file, _ := strings.Cut(*a.AvatarURL, AvatarPath)
	return AvatarPath + file
}

// Accounts is the response to GET /accounts.
type Accounts struct {
	Accounts   []Account `json:"accounts" nullable:"false"`
	NextCursor *string   `json:"nextCursor"`
}

// Limits is the response to GET /limits: an object with a key for each platform.
type Limits struct {
	Limits map[string]any `json:"limits"`
}

// Connect is the body of POST /accounts/connect.
type Connect struct {
	Platform string `json:"platform"`
}

// Authorize is the address of a consent page.
type Authorize struct {
	AuthorizeURL string `json:"authorizeUrl"`
}

// Key is the record of an API key. The field Key contains the key itself, and is set only in the response to POST
// /keys.
type Key struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Scope      string `json:"scope" enum:"read,write"`
	Hint       string `json:"hint" doc:"The first characters of the key's random part."`
	CreatedAt  Time   `json:"createdAt"`
	LastUsedAt *Time  `json:"lastUsedAt"`
	Key        string `json:"key,omitempty" doc:"The key itself, returned only in the response to POST /keys."`
}

// Keys is the response to GET /keys.
type Keys struct {
	Keys       []Key   `json:"keys" nullable:"false"`
	NextCursor *string `json:"nextCursor"`
}

// CreateKey is the body of POST /keys, and the dashboard's form.
type CreateKey struct {
	Name  string `json:"name" minLength:"1" maxLength:"80"`
	Scope string `json:"scope" enum:"read,write"`
}

// Error is the error body (Spec §2). A 402 has limit, used and upgradeUrl. A refused plan has rows.
type Error struct {
	Code       string    `json:"code"`
	Message    string    `json:"message"`
	Hint       string    `json:"hint,omitempty"`
	Limit      *int64    `json:"limit,omitempty"`
	Used       *int64    `json:"used,omitempty"`
	UpgradeURL string    `json:"upgradeUrl,omitempty"`
	Rows       []PlanRow `json:"rows,omitempty" nullable:"false"`
}

// AccountOf converts an account to its record. publicURL begins the address of the account's picture.
func AccountOf(a core.Account, publicURL string) Account {
	out := Account{
		ID: a.ID.String(), Platform: string(a.Platform), DisplayName: a.DisplayName, Status: string(a.Status),
		Username: NilIfZero(a.Username), ExpiresAt: TimeOrNil(a.ExpiresAt),
		CreatedAt: Time{a.CreatedAt},
	}
	if path := AvatarPathOf(a.Avatar); path != "" {
		out.AvatarURL = new(publicURL + path)
	}
	return out
}

// KeyOf converts a key to its record, without the key itself.
func KeyOf(k core.Key) Key {
	return Key{
		ID: k.ID.String(), Name: k.Name, Scope: string(k.Scope), Hint: k.Hint, CreatedAt: Time{k.CreatedAt},
		LastUsedAt: TimeOrNil(k.LastUsedAt),
	}
}

// WorkspaceOf converts a workspace to its record.
func WorkspaceOf(w core.Workspace) Workspace {
	return Workspace{
		ID: w.ID.String(), Slug: w.Slug, Name: w.Name, Plan: string(w.Plan), Currency: w.Currency,
		TZ: w.Zone.Name(),
	}
}

// UsageOf returns the usage together with the limits of the plan.
func UsageOf(u core.Usage, p core.Plan) Usage {
	return Usage{
		Plan: string(p.Name), Period: u.Period, Posts: Counter{u.Posts, p.Posts},
		Storage:  Storage{u.StorageBytes, p.StorageBytes},
		Accounts: Counter{u.Accounts, p.Accounts}, Members: Counter{u.Members, p.Members}, Groups: p.Groups, MCP: p.MCP,
		API: p.API,
	}
}

// ErrorOf converts an error to the body of an API response. If a value was refused, the hint begins with the path of
// the value. An error that is not a core.Error becomes internal, without details.
func ErrorOf(err error, upgradeURL string) Error {
	e := core.ErrorOrInternal(err)
	out := Error{Code: string(e.Code), Message: e.Sentence(), Hint: e.Hint}
	if e.Path != "" {
		out.Hint = strings.TrimSpace("Check " + e.Path + ". " + e.Hint)
	}
	if e.Quota != nil {
		out.Limit, out.Used, out.UpgradeURL = &e.Quota.Limit, &e.Quota.Used, upgradeURL
	}
	for _, row := range e.Rows {
		out.Rows = append(out.Rows, PlanRowOf(row))
	}
	return out
}

// SetUp is the form for setting up a new server: the workspace and its owner.
type SetUp struct {
	Workspace string `json:"workspace" minLength:"1" maxLength:"80"`
	Name      string `json:"name" minLength:"1" maxLength:"80"`
	Email     string `json:"email"`
	Password  string `json:"password"`
	TZ        string `json:"tz"`
}

// NewPassword is the form behind a password reset link.
type NewPassword struct {
	Password string `json:"password"`
}

// EditProfile is the form for a person's name and email address.
type EditProfile struct {
	Name  string `json:"name" minLength:"1" maxLength:"80"`
	Email string `json:"email" minLength:"3" maxLength:"254"`
}

// ChangePassword is the form for changing one's own password.
type ChangePassword struct {
	Current string `json:"current"`
	New     string `json:"new"`
}

// SignIn is the sign-in form.
type SignIn struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Join is the form on the page of an invitation: the password of an existing person, or the name and password of a new
// one.
type Join struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

// CreateWorkspace is the input of `belfry workspace create`. An empty slug is derived from the name, an empty plan
// means the plan owner, and an empty zone means UTC. If a person with the email address exists, they keep their name
// and password. Otherwise, the password is required, and an empty owner's name is derived from the email address.
type CreateWorkspace struct {
	Name       string
	Slug       string
	TZ         string
	Plan       core.PlanName
	OwnerName  string
	OwnerEmail string
	Password   string
}
