package link

// Addresses of the settings. Keys lists the API keys (GET) and creates one (POST), Members lists members and invites
// (POST), Profile shows the signed-in person, Workspace shows and changes the workspace.
const (
	Settings  = "/settings"
	Profile   = "/settings/profile"
	Keys      = "/settings/keys"
	Members   = "/settings/members"
	Workspace = "/settings/workspace"
)

// Member changes a member's role (POST).
func Member(id string) string { return joinPath(Members, id) }

// RemoveMember asks for confirmation (GET) and removes the member (POST).
func RemoveMember(id string) string { return joinPath(Members, id, "remove") }

// RevokeKey asks for confirmation (GET) and revokes the key (POST).
func RevokeKey(id string) string { return joinPath(Keys, id, "revoke") }
