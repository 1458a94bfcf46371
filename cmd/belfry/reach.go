package main

import (
	"context"
	"errors"
	"strings"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/fetch"
	"belfry/internal/network"
)

// downloadingNetwork is a network that downloads files from this server.
type downloadingNetwork struct {
	network.Description
	kinds []core.FileKind
}

// findConfiguredDownloadingNetworks returns the networks with credentials that download files.
func findConfiguredDownloadingNetworks(networks *network.Set) []downloadingNetwork {
	var list []downloadingNetwork
	for _, n := range networks.Connectors() {
		if kinds := network.FileKindsNeedingPublicAddress(n, core.Account{}); n.IsConfigured() && len(kinds) > 0 {
			list = append(list, downloadingNetwork{n.Describe(), kinds})
		}
	}
	return list
}

// describeLimitsWithoutPublicAddress returns a sentence that says what cannot be published without a public address.
func (p downloadingNetwork) describeLimitsWithoutPublicAddress() string {
	switch {
	case len(p.kinds) > 1:
		return p.Name + ": posts with files cannot be published"
	case p.kinds[0] == core.FileImage:
		return p.Name + ": photos cannot be published; videos can, because Belfry uploads them"
	}
	return p.Name + ": videos cannot be published; photos can, because Belfry uploads them"
}

// checkMediaURLPublicIfNeeded returns an error that says why the networks cannot download files from this server, or
// nil if they can do so or need not. It resolves the server's name.
func checkMediaURLPublicIfNeeded(ctx context.Context, cfg app.Config) error {
	if cfg.NetworksURL != "" || len(findConfiguredDownloadingNetworks(cfg.Networks)) == 0 {
		return nil
	}
	return cfg.Fetch.CheckPublicHTTPS(ctx, cfg.MediaURL)
}

// checkAndDescribeMediaURL returns a text about the address from which networks download files, and what each
// network requires of it. If they cannot download files, the error is a notice.
func checkAndDescribeMediaURL(ctx context.Context, cfg app.Config, verificationFiles []string) (string, error) {
	downloading := findConfiguredDownloadingNetworks(cfg.Networks)
	if len(downloading) == 0 {
		return "no public address needed, because no network with credentials downloads files from this server", nil
	}
	prefix := cfg.MediaURL + contract.FilePath
	why := cfg.Fetch.CheckPublicHTTPS(ctx, cfg.MediaURL)
	if why == nil {
		// Belfry never opens some addresses that networks open, such as one with a port.
		if why = cfg.Fetch.CheckOpensWithoutRedirectOrServerError(ctx, prefix); errors.Is(why, fetch.ErrAddress) {
			why = nil
		}
	}
	var b strings.Builder
	if why != nil {
		b.WriteString("networks cannot download files from this server: " + why.Error())
		for _, p := range downloading {
			b.WriteString("\n   " + p.describeLimitsWithoutPublicAddress())
		}
		b.WriteString("\n   Set BELFRY_MEDIA_URL to an https address that is reachable from the internet. See \"A public address\" in docs/operations.md.")
		return "", notice{errors.New(b.String())}
	}
	b.WriteString("served at " + prefix)
	for _, p := range downloading {
		if p.Ownership != "" {
			b.WriteString("\n   " + p.Name + ": " + strings.ReplaceAll(p.Ownership, "{prefix}", prefix))
		}
	}
	for _, name := range verificationFiles {
		b.WriteString("\n   verification file: " + prefix + name)
	}
	return b.String(), nil
}

// notice is a finding of the doctor that limits what can be published but is not a failed check.
type notice struct{ error }

// checkMediaURLReachable checks the address from which the networks download files.
func (inst *installation) checkMediaURLReachable(ctx context.Context) (found string, err error) {
	if usesOwnSandbox(inst.cfg) || inst.cfg.NetworksURL != "" {
		return "no public address needed, because the networks are simulated", nil
	}
	cfg, err := newAppConfigWithoutStorage(inst.cfg, nil, inst.log, nil)
	if err != nil {
		return "", err
	}
	return checkAndDescribeMediaURL(ctx, cfg, inst.cfg.ProofFiles.Names())
}
