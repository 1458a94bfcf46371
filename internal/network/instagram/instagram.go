// Package instagram publishes to Business and Creator accounts on Instagram. It creates a container with the files
// first, and then publishes it with one call.
package instagram

import (
	"fmt"
	"regexp"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// ID is the network's platform value.
const ID core.Platform = "instagram"

// Names of the configuration variables.
const (
	varClientID     = "INSTAGRAM_CLIENT_ID"
	varClientSecret = "INSTAGRAM_CLIENT_SECRET" //nolint:gosec // the name of a variable
	varLogin        = "INSTAGRAM_LOGIN"
	varVersion      = "INSTAGRAM_GRAPH_VERSION"
	varSettle       = "INSTAGRAM_SETTLE"
)

// Logins with which accounts can be connected. Accounts that were connected with the other login continue to publish.
const (
	loginInstagram = "instagram"
	loginFacebook  = "facebook"
)

const (
	consentURL   = "https://www.instagram.com/oauth/authorize"
	codeURL      = "https://api.instagram.com"
	graphURL     = "https://graph.instagram.com"
	dialogURL    = "https://www.facebook.com/%s/dialog/oauth"
	pageGraphURL = "https://graph.facebook.com"
	uploadHost   = "rupload.facebook.com"
)

// NewDriver returns the network's entry in network/all.
func NewDriver() network.Driver {
	return network.Driver{
		ID: ID,
		Variables: []network.Variable{
			{
				Name: varClientID,
				Help: "The Instagram App ID in the Instagram settings of the Meta app. For Facebook Login, the Meta App ID.",
			},
			{
				Name: varClientSecret, Secret: true,
				Help: "The Instagram App secret in the Instagram settings of the Meta app. For Facebook Login, the Meta App secret.",
			},
			{
				Name: varLogin, Default: loginInstagram,
				Help: "How accounts are connected: instagram, or facebook for accounts that are linked to a Facebook Page.",
			},
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

// Rules are the limits, settings and checks of Instagram.
type Rules struct{}

// Describe returns the fixed properties of the network.
func (Rules) Describe() network.Description { return description }

// Network connects to Instagram. It holds no state.
type Network struct {
	Rules
	client  *network.Client
	code    meta.API // exchanges codes
	token   meta.API // calls about tokens, whose paths have no version
	own     meta.API // for accounts that were connected with Instagram Login
	pages   meta.PageLogin
	login   string
	version string
	id      string
	secret  network.Secret
	about   network.Description
	now     func() time.Time

	containers meta.Containers
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
	login := env.Get(varLogin)
	if login != loginInstagram && login != loginFacebook {
		return nil, fmt.Errorf("BELFRY_%s is %q, but must be %s or %s", varLogin, login, loginInstagram, loginFacebook)
	}
	about := description
	about.Settle = settle
	n := &Network{
		client: env.Client, login: login, version: version, id: env.Get(varClientID),
		secret: network.Secret(env.Get(varClientSecret)), about: about, now: env.Now,
	}
	n.containers = meta.Containers{
		Now: n.now, Ask: n.fetchContainerStatus, Find: n.FindPost, CreateCarousel: n.createCarouselContainer,
	}
	n.code = meta.API{Client: env.Client, Base: codeURL, Table: errorTable, Now: env.Now}
	n.token, n.own = n.code, n.code
	n.token.Base, n.own.Base = graphURL, graphURL+"/"+version
	n.pages = meta.PageLogin{API: n.own, ID: n.id, Secret: n.secret}
	n.pages.API.Base = pageGraphURL + "/" + version
	// The secret cannot prove calls with tokens of the other login's app.
	if login == loginFacebook {
		n.pages.API.Proof = n.secret
	} else {
		n.own.Proof = n.secret
	}
	return n, nil
}

// Describe returns the fixed properties of the network and its connector.
func (n *Network) Describe() network.Description { return n.about }

// IsConfigured reports whether the app's credentials are set.
func (n *Network) IsConfigured() bool { return n.id != "" && n.secret != "" }
