package link

const accounts = "/accounts"

// Accounts lists the accounts.
func (w Workspace) Accounts() string { return w.At(accounts) }

// ChooseProfiles accepts the profiles that a person selected after giving consent.
func (w Workspace) ChooseProfiles() string { return w.At(accounts + "/choose") }

// Connect starts connecting an account. It redirects to the network's consent page.
func (w Workspace) Connect(platform string) string {
	return joinPath(w.At(accounts+"/connect"), platform)
}

// Reconnect starts renewing the consent of an account.
func (w Workspace) Reconnect(id string) string { return joinPath(w.At(accounts), id, "reconnect") }

// ReconnectForPost starts renewing the consent of the account of a failed post, which is retried afterwards.
func (w Workspace) ReconnectForPost(post string) string {
	return joinPath(w.At(posts), post, "reconnect")
}

// Disconnect asks for confirmation (GET) and disconnects the account (POST).
func (w Workspace) Disconnect(id string) string { return joinPath(w.At(accounts), id, "disconnect") }

// ConnectCallback is the address to which a network's consent page redirects. It is registered with the network, so it
// is the same for all workspaces.
func ConnectCallback(platform string) string { return joinPath(accounts+"/callback", platform) }

// Callback is the address at which a network reports an event (POST).
func Callback(platform, event string) string { return joinPath("/callbacks", platform, event) }

// Erasure shows how far the deletion of a person's data is.
func Erasure(code string) string { return joinPath("/erasures", code) }
