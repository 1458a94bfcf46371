package link

// Addresses of the settings. Keys lists the API keys (GET) and makes one (POST).
const (
	Settings = "/settings"
	Keys     = "/settings/keys"
)

// RevokeKey asks for a confirmation (GET) and revokes (POST).
func RevokeKey(id string) string { return under(Keys, id, "revoke") }
