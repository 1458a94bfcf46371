// Package tiktok publishes to TikTok. It sends all parts of a video except the last before the arm, and the last part
// publishes the video. TikTok fetches photos as soon as the arm makes their addresses available.
package tiktok

import (
	"fmt"

	"belfry/internal/core"
	"belfry/internal/network"
)

// ID is the network's platform value.
const ID core.Platform = "tiktok"

// Names of the configuration variables.
const (
	varClientID     = "TIKTOK_CLIENT_ID"
	varClientSecret = "TIKTOK_CLIENT_SECRET" //nolint:gosec // the name of a variable
	varPKCE         = "TIKTOK_PKCE"
	varSettle       = "TIKTOK_SETTLE"
)

// Encodings of the PKCE challenge. TikTok documents only the first one, for apps on desktops and phones.
const (
	pkceHex    = "hex"
	pkceBase64 = "base64url"
	pkceNone   = "none"
)

const (
	consentURL = "https://www.tiktok.com/v2/auth/authorize/"
	apiURL     = "https://open.tiktokapis.com"
)

// NewDriver returns the network's entry in network/all.
func NewDriver() network.Driver {
	return network.Driver{
		ID: ID,
		Variables: []network.Variable{
			{Name: varClientID, Help: "The client key of the TikTok app."},
			{Name: varClientSecret, Help: "The client secret of the TikTok app.", Secret: true},
			{
				Name: varPKCE, Default: pkceHex,
				Help: "How the PKCE challenge is encoded: hex (as TikTok documents it) or base64url. With the value none, Belfry does not use PKCE.",
			},
			{
				Name: varSettle, Default: "60s",
				Help: "How long TikTok may take to register the last part of a video if the call that uploaded the part got no response.",
			},
		},
		New:    func(env network.Environment) (network.Network, error) { return New(env) },
		Errors: listDocumentedErrors,
	}
}

// Rules are the limits, settings and checks of TikTok.
type Rules struct{}

// Describe returns the fixed properties of the network.
func (Rules) Describe() network.Description { return description }

// Network connects to TikTok. It holds no state.
type Network struct {
	Rules
	env    network.Environment
	id     string
	secret network.Secret
	pkce   string
	about  network.Description
}

// New reads the network's variables. An unusable value is an error that names its variable.
func New(env network.Environment) (*Network, error) {
	settle, err := network.ReadDuration(env, varSettle)
	if err != nil {
		return nil, err
	}
	pkce := env.Get(varPKCE)
	if pkce != pkceHex && pkce != pkceBase64 && pkce != pkceNone {
		return nil, fmt.Errorf("BELFRY_%s is %q, but must be hex, base64url or none", varPKCE, pkce)
	}
	about := description
	about.Settle, about.PKCE = settle, pkce != pkceNone
	return &Network{
		env: env, id: env.Get(varClientID), secret: network.Secret(env.Get(varClientSecret)), pkce: pkce, about: about,
	}, nil
}

// Describe returns the fixed properties of the network and its connector.
func (n *Network) Describe() network.Description { return n.about }

// IsConfigured reports whether the app's credentials are set.
func (n *Network) IsConfigured() bool { return n.id != "" && n.secret != "" }
