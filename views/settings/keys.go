// Package settings contains the pages of the settings.
package settings

import (
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
)

// Names of the inputs for a new key. FieldScope is "read" or "write".
const (
	FieldName  = "name"
	FieldScope = "scope"
)

// KeysModel is the page of API keys.
type KeysModel struct {
	Frame layout.Frame
	Form  string // value of ui.FieldForm
	Keys  []contract.Key
	Zone  core.Zone
	// New is the key that was just created. Its Key is shown only once.
	New *contract.Key
	// Sample is a request in JSON to try New with. It creates a draft for SampleAccount, such as "Harbour Bakery on
	// Threads". It is empty if no account accepts such a draft.
	Sample, SampleAccount string
	// Name and Scope are the form's values.
	Name, Scope string
	Errors      map[string]string // by input
	// Refused is why the last action failed.
	Refused *contract.Error
	// API reports whether the plan includes the API; if not, UpgradeURL links to the plans.
	API        bool
	UpgradeURL string
	// Address is the address of the API, such as https://belfry.example/v1.
	Address string
	// Slug is the workspace's short name, for use in commands.
	Slug string
}

// newKeyWhoamiCommand returns a command that shows whom the new key belongs to.
func (m KeysModel) newKeyWhoamiCommand() string {
	return "curl -H 'Authorization: Bearer " + m.New.Key + "' " + m.Address + "/whoami"
}

// CanCreatePosts reports whether there is a new key with which programs can create posts.
func (m KeysModel) CanCreatePosts() bool { return m.API && m.New != nil && m.New.Scope == "write" }

// newKeyDraftCommand returns a command that sends Sample with the new key.
func (m KeysModel) newKeyDraftCommand() string {
	return "curl -H 'Authorization: Bearer " + m.New.Key + "' -H 'Content-Type: application/json' -d '" + m.Sample +
		"' " + m.Address + "/posts"
}
