// Package posts draws composing, the list of posts and a post's page.
package posts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/views/layout"
	"belfry/views/ui"
)

// Names of the composer's inputs. FieldAccount occurs once per account; FieldWhen is one of the When words; FieldAt
// is a local date-time, YYYY-MM-DDTHH:mm, in the zone of FieldZone; FieldTags contains tags separated by commas.
// FieldMedia occurs once per chosen file, in their order, and always once more, empty; FieldUpload once per new file.
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
	FieldMedia    = "media"
	FieldUpload   = "upload"
	FieldEarlier  = "earlier" // the file that a button moves towards the first
	FieldRemove   = "remove"  // the file that a button takes from the post
)

// Values of FieldWhen.
const (
	WhenNow   = "now"
	WhenAt    = "at"
	WhenDraft = "draft"
)

// OverrideField returns the name of the input with a network's own text; if it is empty, the general text is used.
func OverrideField(platform string) string { return "override." + platform + ".text" }

// SettingField returns the name of a setting's input. A switch sends "true" or nothing. One that is on by default sends
// "false", and then perhaps "true". A list sends one entry per line.
func SettingField(platform, setting string) string { return "settings." + platform + "." + setting }

// ComposeModel is the composer: for new posts, or for one draft if PostID is set.
type ComposeModel struct {
	Frame    layout.Frame
	Form     string // value of FieldForm
	PostID   string // of the draft that is edited; its account is fixed and its network has no override
	Accounts []Account
	// Networks are the networks of Accounts, each with its limit and settings.
	Networks []Network
	MediaIDs []string // the chosen files, in the post's order
	Files    []File   // those of MediaIDs, as they are shown
	Library  []File   // the newest files that can be chosen too
	// FilesChanged reports that MediaIDs are not those of the draft that is edited.
	FilesChanged bool
	Values       Values
	// QueuedAt is the value of At at which the edited post is queued; "" for a draft.
	QueuedAt string
	// Saved is the draft as somebody else has changed it since the form was opened; nil when nobody has.
	Saved *ShowModel
	Zone  core.Zone // in which the time is asked for: the workspace's, or the draft's own
	Plan  PlanModel
	// Refused is why the last attempt to send the form failed; the values are kept.
	Refused *contract.Error
	// Errors are the errors of inputs, by name.
	Errors map[string]string
	// Autosave is the key of the browser's copy of the text, one per person and workspace ("" for none).
	Autosave string
	// Redrawn reports that Values are from the person and take precedence over the browser's copy.
	Redrawn bool
}

// Account is an account that can be selected.
type Account struct {
	ID, Name, Username string
	Platform, Network  string // the network's id and name
	Status             string
	Chosen             bool
	// Choices are the values of settings that the account can use (core.Facts).
	Choices map[string][]string
}

// cannotUse reports whether the account's network does not offer it a value of a setting.
func (a Account) cannotUse(setting, value string) bool {
	allowed, restricted := a.Choices[setting]
	return restricted && !slices.Contains(allowed, value)
}

// Network is what the composer needs to know about a network.
type Network struct {
	ID, Name string
	Text     core.Count
	Title    *core.Count
	Fields   []network.Field
}

// Values are the values of the inputs.
type Values struct {
	Text, Title, Tags string
	Revision          string                       // of the draft that is edited
	When              string                       // WhenNow, WhenAt or WhenDraft
	At                string                       // YYYY-MM-DDTHH:mm
	Overrides         map[string]string            // by platform
	Settings          map[string]map[string]string // by platform and setting
}

// Setting returns a setting's value as shown in its input.
func (v Values) Setting(platform, name string) string { return v.Settings[platform][name] }

// PlanModel is the plan. The zero one means that no plan has been requested yet.
type PlanModel struct {
	Plan *contract.Plan
	// Rows are the rows of Plan with display names.
	Rows []PlanRow
	// Missing is a sentence that says what the form lacks for a plan.
	Missing string
	// Wrong names the inputs with which the plan finds something wrong.
	Wrong []string
	// Refused is why there is no plan.
	Refused *contract.Error
	When    string // WhenNow, WhenAt or WhenDraft
	Zone    core.Zone
	Now     time.Time
	// Editing reports that the posts already exist, and Queued that they are queued.
	Editing, Queued bool
}

// PlanRow is a row of the plan and its account.
type PlanRow struct {
	contract.PlanRow
	Account string
	Network string
}

// accountsWithout returns the network's accounts that cannot use a value of a setting.
func (m ComposeModel) accountsWithout(platform, setting, value string) (accounts []Account) {
	for _, a := range m.Accounts {
		if a.Platform == platform && a.cannotUse(setting, value) {
			accounts = append(accounts, a)
		}
	}
	return accounts
}

// isWithheld reports whether one of the chosen accounts cannot use a value of a setting. The value that the form has is
// shown all the same, and the plan says what is wrong with it.
func (m ComposeModel) isWithheld(platform, setting, value string) bool {
	return m.Values.Setting(platform, setting) != value &&
		slices.ContainsFunc(m.accountsWithout(platform, setting, value), func(a Account) bool { return a.Chosen })
}

func accountIDs(accounts []Account) string {
	ids := make([]string, len(accounts))
	for i, a := range accounts {
		ids[i] = a.ID
	}
	return strings.Join(ids, " ")
}

// IsChosen reports whether an account of the network is chosen.
func (m ComposeModel) IsChosen(platform string) bool {
	return slices.ContainsFunc(m.Accounts, func(a Account) bool { return a.Chosen && a.Platform == platform })
}

func (m ComposeModel) formURL() string {
	if m.PostID != "" {
		return m.Frame.Link.Edit(m.PostID)
	}
	return m.Frame.Link.Create()
}

func (m ComposeModel) planURL() string {
	if m.PostID != "" {
		return m.Frame.Link.EditPlan(m.PostID)
	}
	return m.Frame.Link.Plan()
}

func (m ComposeModel) filesURL() string {
	if m.PostID != "" {
		return m.Frame.Link.EditFiles(m.PostID)
	}
	return m.Frame.Link.ComposeFiles()
}

func (m ComposeModel) pageTitle() string {
	if m.Plan.Queued {
		return "Edit post"
	}
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

// textFor returns the text for a network according to the form.
func (v Values) textFor(platform string) string {
	if own := v.Overrides[platform]; own != "" {
		return own
	}
	return v.Text
}

// submitLabel returns the button's label, which says what happens.
func (m PlanModel) submitLabel() string {
	n := len(m.Rows)
	if m.Queued {
		return map[string]string{WhenNow: "Send now", WhenAt: "Save changes", WhenDraft: "Move back to drafts"}[m.When]
	}
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

// canSubmit reports whether the button is enabled.
func (m PlanModel) canSubmit() bool { return m.Plan != nil && m.Plan.OK && len(m.Rows) > 0 }

// relativeTime describes the time between an instant and now.
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
