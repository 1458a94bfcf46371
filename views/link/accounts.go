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

// Reconnect starts renewing the consent of an account.
func Reconnect(id string) string { return joinPath(Accounts, id, "reconnect") }

// Disconnect asks for confirmation (GET) and disconnects the account (POST).
func Disconnect(id string) string { return joinPath(Accounts, id, "disconnect") }
