// Package youtube publishes to YouTube. It uploads the bytes of a video in parts, and the last part publishes it.
package youtube

import (
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// ID is the network's platform value.
const ID core.Platform = "youtube"

// Names of the configuration variables.
const (
	varClientID     = "YOUTUBE_CLIENT_ID"
	varClientSecret = "YOUTUBE_CLIENT_SECRET"
	varSettle       = "YOUTUBE_SETTLE"
	varUploads      = "YOUTUBE_UPLOADS_PER_DAY"
)

// NewDriver returns the network's entry in network/all.
func NewDriver() network.Driver {
	return network.Driver{
		ID: ID,
		Variables: []network.Variable{
			{Name: varClientID, Help: "The client ID of the OAuth client (type: web application) in the Google Cloud console."},
			{Name: varClientSecret, Help: "The client secret of the OAuth client.", Secret: true},
			{
				Name: varSettle, Default: "60s",
				Help: "How long a video may take to appear if the call that uploaded its last part got no response.",
			},
			{
				Name: varUploads, Default: "100",
				Help: "How many uploads a day Google allows for the Google Cloud project. With 0, Belfry does not count uploads.",
			},
		},
		New:    func(env network.Environment) (network.Network, error) { return New(env) },
		Errors: listDocumentedErrors,
	}
}

// Rules are the limits, settings and checks of YouTube.
type Rules struct{}

// Describe returns the fixed properties of the network.
func (Rules) Describe() network.Description { return description }

// Network connects to YouTube. It holds no state.
type Network struct {
	Rules
	client  *network.Client
	id      string
	secret  network.Secret
	about   network.Description
	now     func() time.Time
	uploads network.Budget
}

// New reads the network's variables. An unusable value is an error that names its variable.
func New(env network.Environment) (*Network, error) {
	settle, err := network.ReadDuration(env, varSettle)
	if err != nil {
		return nil, err
	}
	uploads, err := network.ReadCount(env, varUploads)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(quotaZone)
	if err != nil {
		return nil, fmt.Errorf("load the time zone of Google's quota: %w", err)
	}
	about := description
	about.Settle = settle
	budget := network.Budget{Call: core.DoCreate, Scope: network.ScopeApp, Name: "uploads", Count: uploads, Day: zone}
	about.Quotas = []network.Budget{budget}
	return &Network{
		client: env.Client, id: env.Get(varClientID), secret: network.Secret(env.Get(varClientSecret)), about: about,
		now: env.Now, uploads: budget,
	}, nil
}

// Describe returns the fixed properties of the network and its connector.
func (n *Network) Describe() network.Description { return n.about }

// IsConfigured reports whether the OAuth client's credentials are set.
func (n *Network) IsConfigured() bool { return n.id != "" && n.secret != "" }
