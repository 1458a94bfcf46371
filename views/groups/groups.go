// Package groups contains the page with the groups of accounts, and the form of a group.
package groups

import (
	"fmt"
	"slices"

	"belfry/internal/contract"
	"belfry/views/layout"
	"belfry/views/ui"
)

// Names of the form's inputs. FieldAccount occurs once per account in the group. FieldRevision is the revision of the
// group that the form shows.
const (
	FieldName        = "name"
	FieldDescription = "description"
	FieldColor       = "color"
	FieldAccount     = "account"
	FieldRevision    = "revision"
)

// ListModel is the page of groups.
type ListModel struct {
	Frame  layout.Frame
	Groups []Group
	// Accounts are all accounts of the workspace, which the person can drag to a group.
	Accounts []Account
	// Included reports that the plan includes groups. UpgradeURL is the optional address of the plans.
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
	Chosen             bool   // selected for the group
}

// FormModel is the form of a group.
type FormModel struct {
	Frame                    layout.Frame
	ID                       string // "" for a new group
	Form, Revision           string // values of ui.FieldForm and FieldRevision
	Name, Description, Color string
	Accounts                 []Account
	// Saved is the saved version if somebody else changed the group after the form was opened, or else nil.
	Saved   *Group
	Errors  map[string]string // by field
	Refused *contract.Error
}

// color is one of the colors that the form offers.
type color struct{ value, name string }

// otherColor is the name of the group's color if a program has set one that is not in the palette.
const otherColor = "Current color"

// palette contains colors that most people can distinguish, including those with color blindness.
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

// DefaultColor returns the color that is preselected for a new group.
func DefaultColor() string { return palette[0].value }

// offeredColors returns the palette, and the group's present color if a program has set another one.
func (m FormModel) offeredColors() []color {
	if m.Color == "" || slices.ContainsFunc(palette, func(c color) bool { return c.value == m.Color }) {
		return palette
	}
	return append(slices.Clone(palette), color{m.Color, otherColor})
}

// mostFaces is the maximum number of accounts that a group's card shows.
const mostFaces = 12

func (g Group) shownAccounts() []Account { return g.Accounts[:min(len(g.Accounts), mostFaces)] }

func (g Group) accountCountText() string {
	if len(g.Accounts) == 0 {
		return "No accounts"
	}
	return ui.CountNoun(len(g.Accounts), "account", "accounts")
}

// chosenCountText says how many accounts are selected. static/js/groups.js updates it.
func (m FormModel) chosenCountText() string {
	chosen := 0
	for _, a := range m.Accounts {
		if a.Chosen {
			chosen++
		}
	}
	return fmt.Sprintf("%d of %d selected", chosen, len(m.Accounts))
}
