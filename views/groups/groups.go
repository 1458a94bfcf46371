// Package groups draws the groups of accounts, and the form of one.
package groups

import (
	"slices"

	"belfry/internal/contract"
	"belfry/views/layout"
	"belfry/views/ui"
)

// Names of the form's fields. FieldAccount occurs once per member.
const (
	FieldName        = "name"
	FieldDescription = "description"
	FieldColor       = "color"
	FieldAccount     = "account"
)

// ListModel is the page of groups.
type ListModel struct {
	Frame  layout.Frame
	Groups []Group
	// Accounts are all accounts of the workspace, which can be dragged to a group.
	Accounts []Account
	// Included reports that the plan includes groups. UpgradeURL leads to the plans; "" for none.
	Included   bool
	UpgradeURL string
	Refused    *contract.Error
}

// Group is a group with its accounts.
type Group struct {
	ID, Name, Description, Color string
	Accounts                     []Account
}

// Account is an account of the workspace.
type Account struct {
	ID, Name, Username string
	Avatar             string // the address of its picture; "" without one
	Platform           string
	Network            string // the platform's name
	Chosen             bool   // it is, or would be, in the group
}

// FormModel is the form of a new group, or of the one with the ID.
type FormModel struct {
	Frame                    layout.Frame
	ID                       string // "" for a new group
	Name, Description, Color string
	Accounts                 []Account
	Errors                   map[string]string // by field
	Refused                  *contract.Error
}

// color is one of the colors that the form offers.
type color struct{ value, name string }

// palette has colors that can be told apart, also by most people who see fewer of them.
var palette = []color{
	{"#8a8f98", "Gray"},
	{"#c8423b", "Red"},
	{"#c2631b", "Orange"},
	{"#a67c00", "Yellow"},
	{"#4d8a3d", "Green"},
	{"#0f766e", "Teal"},
	{"#2f7fb7", "Blue"},
	{"#5b5bd6", "Indigo"},
	{"#8e4ec6", "Purple"},
	{"#c2417c", "Pink"},
}

// DefaultColor is the color of a form that has none yet.
func DefaultColor() string { return palette[0].value }

// colors are the palette, and the group's own color if a program has given it another.
func (m FormModel) colors() []color {
	if m.Color == "" || slices.ContainsFunc(palette, func(c color) bool { return c.value == m.Color }) {
		return palette
	}
	return append(slices.Clone(palette), color{m.Color, "Other: " + m.Color})
}

// mostFaces is how many pictures of members a group shows.
const mostFaces = 12

func (g Group) faces() []Account { return g.Accounts[:min(len(g.Accounts), mostFaces)] }

func (g Group) countText() string {
	if len(g.Accounts) == 0 {
		return "No accounts"
	}
	return ui.CountNoun(len(g.Accounts), "account", "accounts")
}

// countChosen counts the members that are chosen.
func (m FormModel) countChosen() (n int) {
	for _, a := range m.Accounts {
		if a.Chosen {
			n++
		}
	}
	return n
}
