package app

import (
	"belfry/internal/core"
	"belfry/internal/fetch"
	"belfry/internal/network"
	"belfry/internal/store"
)

// ServesPublicFiles reports whether networks can download files from this server, judging by the form of
// Config.MediaURL. Simulated networks always can.
func (c Config) ServesPublicFiles() bool {
	return c.NetworksURL != "" || fetch.LooksPublicHTTPS(c.MediaURL)
}

// fileURLIfReachable returns the address from which a network downloads a file or the JPEG in its place, or "" if
// networks cannot reach this server. The address works once the gate is open, or immediately for the gate ""
// (intake.Service.FileURL).
func (a *App) fileURLIfReachable(ws core.WorkspaceID, m store.Media, jpeg *core.Conversion,
	heldUntilGate string,
) (urlOrEmpty string) {
	if !a.cfg.ServesPublicFiles() {
		return ""
	}
	return a.intake.FileURL(ws, m, jpeg, heldUntilGate)
}

// unreachableFileKinds returns the kinds of files that posts to an account cannot have, because the network would have
// to download them from this server, which it cannot reach.
func (a *App) unreachableFileKinds(account core.Account) []core.FileKind {
	n, ok := a.cfg.Networks.FindConnector(account.Platform)
	if !ok || a.cfg.ServesPublicFiles() {
		return nil
	}
	return network.FileKindsNeedingPublicAddress(n, account)
}
