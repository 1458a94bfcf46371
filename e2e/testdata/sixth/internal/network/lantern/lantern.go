// Package lantern publishes notes to Lantern, an invented network.
package lantern

import (
	"encoding/json"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// ID is the network's platform value.
const ID core.Platform = "lantern"

const (
	varClientID     = "LANTERN_CLIENT_ID"
	varClientSecret = "LANTERN_CLIENT_SECRET"
	varSettle       = "LANTERN_SETTLE"
)

const site = "https://lantern.example"

var description = network.Description{
	ID: ID, Name: "Lantern", Profile: "profile", Needs: "Any Lantern profile works.", ProfileURL: site + "/@{username}",
	ErrorsMayPublish: true,
	Limits: core.Limits{
		Text: core.Count{Max: 400, Unit: core.UnitCharacters}, ContentTypes: map[string]core.ContentType{"text": {}},
	},
	Fields: []network.Field{{
		Name: "visibility", Label: "Visibility", Kind: network.FieldChoice, Help: "Who can see the note.", Default: "public",
		Choices: []network.Choice{{Value: "public", Label: "Everyone"}, {Value: "unlisted", Label: "Anyone with the link"}},
	}},
}

// NewDriver returns the network's entry in network/all.
func NewDriver() network.Driver {
	return network.Driver{
		ID: ID,
		Variables: []network.Variable{
			{Name: varClientID, Help: "The id of the Lantern app."},
			{Name: varClientSecret, Help: "The secret of the Lantern app.", Secret: true},
			{Name: varSettle, Default: "5s", Help: "How long a note may take to appear after a call that got no response."},
		},
		New:    func(env network.Environment) (network.Network, error) { return New(env) },
		Errors: listDocumented,
	}
}

// Settings is the network's settings block.
type Settings struct {
	Visibility string `json:"visibility,omitempty"`
}

// Rules are what Lantern takes.
type Rules struct{}

// Describe says what is fixed about the network.
func (Rules) Describe() network.Description { return description }

// NormalizeSettings decodes a settings block strictly and returns its normal form.
func (Rules) NormalizeSettings(block json.RawMessage) (json.RawMessage, error) {
	return network.NormalizeSettings[Settings](description, block)
}

// CheckDraft returns what the network would refuse.
func (Rules) CheckDraft(d network.Draft) (issues, warnings []core.Issue) {
	return network.CheckDraftAndFactsWith(description, d, func(_ Settings, f *network.Findings) {
		d.Title = ""
		f.CheckLimits(description, "text", d)
		f.AddIf(strings.TrimSpace(d.Text) == "", core.IssueTextRequired)
	})
}

// PostContentType returns the only content type.
func (Rules) PostContentType(network.Draft) string { return "text" }

// Network is Lantern.
type Network struct {
	Rules
	env   network.Environment
	about network.Description
}

// New reads the variables.
func New(env network.Environment) (*Network, error) {
	settle, err := network.ReadDuration(env, varSettle)
	if err != nil {
		return nil, err
	}
	n := &Network{env: env, about: description}
	n.about.Settle = settle
	return n, nil
}

// Describe says what is fixed about the network and its connector.
func (n *Network) Describe() network.Description { return n.about }

// IsConfigured reports whether the app's credentials are there.
func (n *Network) IsConfigured() bool {
	return n.env.Get(varClientID) != "" && n.env.Get(varClientSecret) != ""
}

// slack allows for clocks that differ.
const slack = time.Minute
