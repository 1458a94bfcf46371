// Package posts draws composing, the list of posts and a post's page.
package posts

import (
	"fmt"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

// Names of the composer's inputs, for whoever reads the form. FieldAccount occurs once per account;
// FieldWhen is one of the When words; FieldAt is a local date-time, YYYY-MM-DDTHH:mm, in the zone of
// FieldZone; FieldTags holds tags divided by commas; FieldRevision is the revision of the
// post that a form shows.
const (
	FieldAccount  = "account"
	FieldText     = "text"
	FieldTitle    = "title"
	FieldTags     = "tags"
	FieldWhen     = "when"
	FieldAt       = "at"
	FieldZone     = "tz"
	FieldRevision = "revision"
	FieldForm     = "form" // names this drawing of the form, so that two presses make one post
)

// Words of FieldWhen.
const (
	WhenNow   = "now"
	WhenAt    = "at"
	WhenDraft = "draft"
)

// OverrideField is the input with a network's own text; empty means the common text.
func OverrideField(platform string) string { return "override." + platform + ".text" }

// SettingField is the input of one setting of a network. A switch sends "true" or nothing, a list one
// entry per line.
func SettingField(platform, setting string) string { return "settings." + platform + "." + setting }

// ComposeModel is the composer: for new posts, or for one draft when PostID is set.
type ComposeModel struct {
	Frame    layout.Frame
	Form     string // value of FieldForm
	PostID   string // of the draft that is edited; its account is fixed and its network has no override
	Accounts []Account
	// Networks are those of Accounts, each with its limit and settings.
	Networks []Network
	// MediaIDs are the files that a draft has; the form leaves them alone.
	MediaIDs []string
	Files    []File // those of MediaIDs, as they are shown
	Values   Values
	// Saved is the draft as somebody else has changed it since the form was opened; nil when nobody has.
	Saved *ShowModel
	Zone  core.Zone // in which the time is asked for: the workspace's, or the draft's own
	Plan  PlanModel
	// Refused is why the last try to send did not work; the values are kept.
	Refused *contract.Error
	// Errors are what is wrong with an input, by its name.
	Errors map[string]string
	// Autosave names the browser's copy of what is written, one per person and workspace ("" for none).
	Autosave string
	// Redrawn tells that Values come from the person and beat the browser's copy.
	Redrawn bool
}

// Account is an account to choose.
type Account struct {
	ID, Name, Username string
	Platform, Network  string // the network's id and name
	Status             string
	Chosen             bool
}

// Network is what the composer knows of a network.
type Network struct {
	ID, Name string
	Text     core.Count
	Title    *core.Count
	Fields   []network.Field
}

// Values are the inputs as they stand.
type Values struct {
	Text, Title, Tags string
	Revision          string                       // of the draft that is edited
	When              string                       // WhenNow, WhenAt or WhenDraft
	At                string                       // YYYY-MM-DDTHH:mm
	Overrides         map[string]string            // by platform
	Settings          map[string]map[string]string // by platform and setting
}

// Setting is a setting's value as its input shows it.
func (v Values) Setting(platform, name string) string { return v.Settings[platform][name] }

// PlanModel is what would happen. The zero one says that nothing has been asked yet.
type PlanModel struct {
	Plan *contract.Plan
	// Rows are those of Plan with the names that people know.
	Rows []PlanRow
	// Missing says in a sentence what the form lacks before there can be a plan.
	Missing string
	// Refused is why there is no plan.
	Refused *contract.Error
	When    string // WhenNow, WhenAt or WhenDraft
	Zone    core.Zone
	Now     time.Time
	// Editing tells that the posts exist already.
	Editing bool
}

// PlanRow is a row of the plan and its account.
type PlanRow struct {
	contract.PlanRow
	Account string
	Network string
}

func (m ComposeModel) formURL() string {
	if m.PostID != "" {
		return link.Edit(m.PostID)
	}
	return link.Create
}

func (m ComposeModel) planURL() string {
	if m.PostID != "" {
		return link.EditPlan(m.PostID)
	}
	return link.Plan
}

func (m ComposeModel) pageTitle() string {
	if m.PostID != "" {
		return "Edit draft"
	}
	return "Compose"
}

func (m ComposeModel) takesTitle() bool {
	for _, n := range m.Networks {
		if n.Title != nil {
			return true
		}
	}
	return false
}

// textFor is the text that goes to a network as the form stands.
func (v Values) textFor(platform string) string {
	if own := v.Overrides[platform]; own != "" {
		return own
	}
	return v.Text
}

// submitLabel is the label of the button, which says what happens.
func (m PlanModel) submitLabel() string {
	n := len(m.Rows)
	if m.Editing || n == 0 {
		return map[string]string{WhenNow: "Send now", WhenAt: "Schedule", WhenDraft: "Save draft"}[m.When]
	}
	switch m.When {
	case WhenNow:
		return "Send " + ui.CountNoun(n, "post", "posts") + " now"
	case WhenAt:
		return "Schedule " + ui.CountNoun(n, "post", "posts")
	}
	if n == 1 {
		return "Save draft"
	}
	return fmt.Sprintf("Save %d drafts", n)
}

// canSubmit tells whether the button may be pressed.
func (m PlanModel) canSubmit() bool { return m.Plan != nil && m.Plan.OK && len(m.Rows) > 0 }

// relativeTime says how far an instant is.
func relativeTime(at, now time.Time) string {
	d := at.Sub(now)
	switch {
	case d < -time.Minute:
		return "in the past"
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return "in " + ui.CountNoun(int64(d/time.Minute), "minute", "minutes")
	case d < 48*time.Hour:
		return "in " + ui.CountNoun(int64((d+30*time.Minute)/time.Hour), "hour", "hours")
	}
	return "in " + ui.CountNoun(int64((d+12*time.Hour)/(24*time.Hour)), "day", "days")
}

var unitNames = map[core.Unit]string{
	core.UnitBytes: "bytes", core.UnitCharacters: "characters", core.UnitUTF16: "characters",
}
