// Package facebook publishes to Facebook Pages, one Page per account. It publishes text in one call, and uploads
// photos, videos and Stories first.
package facebook

import (
	"fmt"
	"regexp"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// ID is the network's platform value.
const ID core.Platform = "facebook"

// Names of the configuration variables.
const (
	varClientID     = "FACEBOOK_CLIENT_ID"
	varClientSecret = "FACEBOOK_CLIENT_SECRET"
	varVersion      = "FACEBOOK_GRAPH_VERSION"
	varSettle       = "FACEBOOK_SETTLE"
)

const (
	site       = "https://www.facebook.com"
	graph      = "https://graph.facebook.com/"
	uploadHost = "rupload.facebook.com"
)

// NewDriver returns the network's entry in network/all.
func NewDriver() network.Driver {
	return network.Driver{
		ID: ID,
		Variables: []network.Variable{
			{Name: varClientID, Help: "The App ID of the Meta app."},
			{Name: varClientSecret, Help: "The App secret of the Meta app.", Secret: true},
			{Name: varVersion, Default: "v25.0", Help: "The version of the Graph API, such as v25.0."},
			{
				Name: varSettle, Default: "2m",
				Help: "How long a post may take to appear after a publishing call that got no response.",
			},
		},
		New:    func(env network.Environment) (network.Network, error) { return New(env) },
		Errors: errorTable.ListDocumentedErrors,
	}
}

// Network connects to Facebook. It holds no state.
type Network struct {
	Rules
	client  *network.Client
	login   meta.PageLogin
	graph   meta.API
	version string
	id      string
	secret  network.Secret
	about   network.Description
	now     func() time.Time
}

var versions = regexp.MustCompile(`^v[0-9]{2,3}\.0$`)

// New reads the network's variables. An unusable value is an error that names its variable.
func New(env network.Environment) (*Network, error) {
	settle, err := network.ReadDuration(env, varSettle)
	if err != nil {
		return nil, err
	}
	version := env.Get(varVersion)
	if !versions.MatchString(version) {
		return nil, fmt.Errorf("BELFRY_%s is %q, but must be a version such as v25.0", varVersion, version)
	}
	about := description
	about.Settle = settle
	n := &Network{
		client: env.Client, version: version, id: env.Get(varClientID), secret: network.Secret(env.Get(varClientSecret)),
		about: about, now: env.Now,
	}
	n.graph = meta.API{Client: env.Client, Base: graph + version, Table: errorTable, Proof: n.secret, Now: env.Now}
	n.login = meta.PageLogin{API: n.graph, ID: n.id, Secret: n.secret}
	return n, nil
}

// Describe returns the fixed properties of the network and its connector.
func (n *Network) Describe() network.Description { return n.about }

// IsConfigured reports whether the app's credentials are set.
func (n *Network) IsConfigured() bool { return n.id != "" && n.secret != "" }
