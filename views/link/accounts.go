package link

const accounts = "/accounts"

// Accounts lists the accounts.
func (w Workspace) Accounts() string { return w.At(accounts) }

// ChooseProfilesToConnect shows the profiles of a consent (GET) and connects those that the person selected (POST).
func (w Workspace) ChooseProfilesToConnect() string { return w.At(accounts + "/choose") }

// Connect starts connecting an account. It redirects to the network's consent page.
func (w Workspace) Connect(platform string) string {
	return joinPath(w.At(accounts+"/connect"), platform)
}

// Reconnect starts renewing the consent of an account.
func (w Workspace) Reconnect(accountID string) string {
	return joinPath(w.At(accounts), accountID, "reconnect")
}

// ReconnectForPost starts renewing the consent of the account of a failed post, which is retried afterwards.
func (w Workspace) ReconnectForPost(postID string) string {
	return joinPath(w.At(posts), postID, "reconnect")
}

// Disconnect asks for confirmation (GET) and disconnects an account (POST).
func (w Workspace) Disconnect(accountID string) string {
	return joinPath(w.At(accounts), accountID, "disconnect")
}

// ConnectCallback is the address to which a network's consent page redirects. It is the same for all workspaces because
// it is registered with the network.
func ConnectCallback(platform string) string { return joinPath(accounts+"/callback", platform) }

// EventCallback is the address at which a network reports an event (POST).
func EventCallback(platform, event string) string { return joinPath("/callbacks", platform, event) }

// ErasureStatus shows whether a person's data has been deleted.
func ErasureStatus(code string) string { return joinPath("/erasures", code) }
