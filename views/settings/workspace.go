package settings

import (
	"belfry/internal/contract"
	"belfry/views/layout"
)

// Inputs of the workspace's form, beside FieldName.
const (
	FieldSlug = "slug"
	FieldZone = "tz"
)

// WorkspaceModel is the page of the workspace's name, short name and zone.
type WorkspaceModel struct {
	Frame layout.Frame
	// Name, Slug and Zone are the form's values.
	Name, Slug, Zone string
	Errors           map[string]string // by input
	// Refused is why the last act did not work.
	Refused *contract.Error
}
