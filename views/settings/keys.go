// Package settings draws the settings of a workspace.
package settings

import (
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
)

// Inputs of the form of a new key. FieldScope is "read" or "write".
const (
	FieldName  = "name"
	FieldScope = "scope"
	FieldForm  = "form" // names this drawing of the form, so that two presses make one key
)

// KeysModel is the page of API keys.
type KeysModel struct {
	Frame layout.Frame
	Form  string // value of FieldForm
	Keys  []contract.Key
	Zone  core.Zone
	// New is the key just made: the only time that its Key is shown.
	New *contract.Key
	// Name and Scope are the form's values.
	Name, Scope string
	Errors      map[string]string // by input
	// Refused is why the last act did not work.
	Refused *contract.Error
	// API tells whether the plan has the API; UpgradeURL leads to the plans when it has not.
	API        bool
	UpgradeURL string
	// Address is where the API answers, such as https://belfry.example/v1.
	Address string
	// Slug is the workspace's short name, which commands take.
	Slug string
}
