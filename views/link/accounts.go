package link

// Addresses of accounts that carry no id.
const (
	Accounts = "/accounts"
	// ChooseProfiles takes the profiles that a person picked after giving consent.
	ChooseProfiles = "/accounts/choose"
)

// Connect starts connecting an account of a network. It leads to the network's consent page.
func Connect(platform string) string { return joinPath(Accounts+"/connect", platform) }

// ConnectCallback is the way back from a network's consent page.
func ConnectCallback(platform string) string { return joinPath(Accounts+"/callback", platform) }

// Reconnect starts renewing the consent of an account that exists.
func Reconnect(id string) string { return joinPath(Accounts, id, "reconnect") }

// Disconnect asks for a confirmation (GET) and disconnects (POST).
func Disconnect(id string) string { return joinPath(Accounts, id, "disconnect") }
