package link

// Addresses of the settings. Keys lists the API keys (GET) and makes one (POST), Members lists members and invites
// (POST), Profile shows the person who is signed in, Workspace shows and changes the workspace itself.
const (
	Settings  = "/settings"
	Profile   = "/settings/profile"
	Keys      = "/settings/keys"
	Members   = "/settings/members"
	Workspace = "/settings/workspace"
)

// Member changes somebody's role (POST).
func Member(id string) string { return joinPath(Members, id) }

// RemoveMember asks for a confirmation (GET) and removes (POST).
func RemoveMember(id string) string { return joinPath(Members, id, "remove") }

// RevokeKey asks for a confirmation (GET) and revokes (POST).
func RevokeKey(id string) string { return joinPath(Keys, id, "revoke") }
