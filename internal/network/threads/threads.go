// Package threads publishes to Threads, one profile per account. It creates a container with the files first, and
// then publishes it with one call.
package threads

import (
	"fmt"
	"net/url"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// ID is the network's platform value.
const ID core.Platform = "threads"

// Names of the configuration variables.
const (
	varClientID     = "THREADS_CLIENT_ID"
	varClientSecret = "THREADS_CLIENT_SECRET"
	varConsentURL   = "THREADS_CONSENT_URL"
	varSettle       = "THREADS_SETTLE"
)

const (
	host    = "https://graph.threads.net"
	version = host + "/v1.0"
)

// NewDriver returns the network's entry in network/all.
func NewDriver() network.Driver {
	return network.Driver{
		ID: ID,
		Variables: []network.Variable{
			{Name: varClientID, Help: "The Threads App ID in the Threads settings of the Meta app. It is not the Meta App ID."},
			{Name: varClientSecret, Help: "The Threads App secret in the Threads settings of the Meta app. It is not the Meta App secret.", Secret: true},
			{
				Name: varConsentURL, Default: "https://threads.com/oauth/authorize",
				Help: "The address of Threads' consent page. Meta has changed this address before.",
			},
			{
				Name: varSettle, Default: "60s",
				Help: "How long a post may take to appear after a publishing call that got no response.",
			},
		},
		New:    func(env network.Environment) (network.Network, error) { return New(env) },
		Errors: errorTable.ListDocumentedErrors,
	}
}

// Network connects to Threads. It holds no state.
type Network struct {
	Rules
	client  *network.Client
	graph   meta.API // calls under the version
	token   meta.API // calls about tokens, whose paths have no version
	id      string
	secret  network.Secret
	consent string
	about   network.Description
	now     func() time.Time

	containers meta.Containers
}

// New reads the network's variables. An unusable value is an error that names its variable.
func New(env network.Environment) (*Network, error) {
	settle, err := network.ReadDuration(env, varSettle)
	if err != nil {
		return nil, err
	}
	consent := env.Get(varConsentURL)
	if u, err := url.Parse(consent); err != nil || u.Scheme != "https" || u.Host == "" || u.RawQuery != "" {
		return nil, fmt.Errorf("BELFRY_%s is %q, but must be an https address without a query", varConsentURL, consent)
	}
	about := description
	about.Settle = settle
	api := meta.API{Client: env.Client, Base: version, Table: errorTable, Now: env.Now}
	root := api
	root.Base = host
	n := &Network{
		client: env.Client, graph: api, token: root, id: env.Get(varClientID),
		secret:  network.Secret(env.Get(varClientSecret)),
		consent: consent, about: about, now: env.Now,
	}
	n.containers = meta.Containers{
		Now: n.now, Ask: n.fetchContainerStatus, Find: n.FindPost, CreateCarousel: n.createCarouselContainer,
	}
	return n, nil
}

// Describe returns the fixed properties of the network and its connector.
func (n *Network) Describe() network.Description { return n.about }

// IsConfigured reports whether the app's credentials are set.
func (n *Network) IsConfigured() bool { return n.id != "" && n.secret != "" }
