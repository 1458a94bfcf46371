package link

// Addresses of accounts without an id.
const (
	Accounts = "/accounts"
	// ChooseProfiles accepts the profiles that a person selected after giving consent.
	ChooseProfiles = "/accounts/choose"
)

// Connect starts connecting an account. It redirects to the network's consent page.
func Connect(platform string) string { return joinPath(Accounts+"/connect", platform) }

// ConnectCallback is the address to which a network's consent page redirects.
func ConnectCallback(platform string) string { return joinPath(Accounts+"/callback", platform) }

// Callback is the address at which a network reports an event (POST).
func Callback(platform, event string) string { return joinPath("/callbacks", platform, event) }

// Erasure shows how far the deletion of a person's data is.
func Erasure(code string) string { return joinPath("/erasures", code) }

// Reconnect starts renewing the consent of an account.
func Reconnect(id string) string { return joinPath(Accounts, id, "reconnect") }

// Disconnect asks for confirmation (GET) and disconnects the account (POST).
func Disconnect(id string) string { return joinPath(Accounts, id, "disconnect") }
