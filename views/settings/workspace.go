package settings

import (
	"belfry/internal/contract"
	"belfry/views/layout"
)

// Names of the inputs of the workspace's form, in addition to FieldName.
const (
	FieldSlug = "slug"
	FieldZone = "tz"
)

// WorkspaceModel is the page of the workspace's name, short name and time zone.
type WorkspaceModel struct {
	Frame layout.Frame
	// Name, Slug and Zone are the form's values.
	Name, Slug, Zone string
	Errors           map[string]string // by input
	// Refused is why the last action failed.
	Refused *contract.Error
}
