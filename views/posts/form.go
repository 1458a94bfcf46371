// Package posts draws composing, the list of posts and a post's page.
package posts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/views/layout"
	"belfry/views/preview"
	"belfry/views/ui"
)

// Names of the composer's inputs. FieldAccount occurs once per account; FieldWhen is one of the When words; FieldAt
// is a local date-time, YYYY-MM-DDTHH:mm, in the zone of FieldZone; FieldTags contains tags separated by commas.
// FieldMedia occurs once per chosen file, in their order, and always once more, empty; FieldUpload once per new file.
const (
	FieldAccount  = "account"
	FieldPick     = "pick" // a button that chooses several accounts: one of the Pick words
	FieldText     = "text"
	FieldTitle    = "title"
	FieldTags     = "tags"
	FieldTab      = "tab" // the network whose own inputs are in sight, "" for what all share
	FieldWhen     = "when"
	FieldAt       = "at"
	FieldZone     = "tz"
	FieldRevision = "revision"
	FieldForm     = "form" // names this drawing of the form, so that two presses make one post
	FieldMedia    = "media"
	FieldUpload   = "upload"
	FieldEarlier  = "earlier" // the file that a button moves towards the first
	FieldLater    = "later"   // the file that a button moves towards the last
	FieldRemove   = "remove"  // the file that a button takes from the post
)

// Values of FieldPick. The last two end with the id of a network or of a group.
const (
	PickAll     = "all"
	PickNone    = "none"
	PickNetwork = "network:"
	PickGroup   = "group:"
)

// Values of FieldWhen.
const (
	WhenNow   = "now"
	WhenAt    = "at"
	WhenDraft = "draft"
)

// OverrideField returns the name of the input with a network's own FieldText, FieldTitle or FieldTags; if it is empty,
// the general one is used.
func OverrideField(platform, part string) string { return "override." + platform + "." + part }

// SettingField returns the name of a setting's input. A switch sends "true" or nothing. One that is on by default sends
// "false", and then perhaps "true". A list sends one entry per line.
func SettingField(platform, setting string) string { return "settings." + platform + "." + setting }

// FieldSetting stands for the inputs of settings, whose names SettingField returns.
const FieldSetting = "settings"

// AltField returns the name of the input with a picture's description.
func AltField(file string) string { return "alt." + file }

// ComposeModel is the composer: for new posts, or for one draft if PostID is set.
type ComposeModel struct {
	Frame    layout.Frame
	Form     string // value of FieldForm
	PostID   string // of the draft that is edited; its account is fixed and its network has no override
	Accounts []Account
	Unknown  []string // ids of chosen accounts that do not exist
	Groups   []Group
	// Networks are the networks of Accounts, each with its limit and settings.
	Networks []Network
	MediaIDs []string // the chosen files, in the post's order
	Files    []File   // those of MediaIDs, as they are shown
	Library  []File   // the newest files that can be chosen too
	// Media are the files of MediaIDs as the API has them, and Previews the posts as networks show them.
	Media    []contract.Media
	Previews []preview.Model
	// FilesChanged and TagsChanged report that MediaIDs and Values.Tags are not those of the draft that is edited.
	FilesChanged, TagsChanged bool
	Values                    Values
	// At is when the posts would go out at Values.At; zero if that is no time.
	At time.Time
	// QueuedAt is the value of Values.At at which the edited post is queued; "" for a draft.
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
	// Part reports that a script has asked for the form and keeps the accounts and the library as they are.
	Part bool
}

// Account is an account that can be selected.
type Account struct {
	ID, Name, Username string
	Avatar             string // path of its picture; "" for none
	Platform, Network  string // the network's id and name
	Status             string
	Chosen             bool
	// Choices are the values of settings that the account can use (core.Facts).
	Choices map[string][]string
}

func (a Account) isConnected() bool { return a.Status == string(core.AccountOK) }

// cannotUse reports whether the account's network does not offer it a value of a setting.
func (a Account) cannotUse(setting, value string) bool {
	allowed, restricted := a.Choices[setting]
	return restricted && !slices.Contains(allowed, value)
}

// Group is a group of accounts that a button chooses.
type Group struct {
	ID, Name string
	Accounts []string // ids
}

// Network is what the composer needs to know about a network.
type Network struct {
	ID, Name string
	Text     core.Count
	// Extra is how long the tags are that the network's text ends with, in the unit of Text.
	Extra  int
	Title  *core.Count
	Fields []network.Field
}

// Override is what a network's posts have of their own; "" stands for what all share.
type Override struct{ Text, Title, Tags string }

// Values are the values of the inputs.
type Values struct {
	Text, Title, Tags string
	Tab               string                       // value of FieldTab
	Revision          string                       // of the draft that is edited
	When              string                       // WhenNow, WhenAt or WhenDraft
	At                string                       // YYYY-MM-DDTHH:mm
	Overrides         map[string]Override          // by platform
	Settings          map[string]map[string]string // by platform and setting
	Alts              map[string]string            // descriptions of pictures, by file
}

// Setting returns a setting's value as shown in its input.
func (v Values) Setting(platform, name string) string { return v.Settings[platform][name] }

// TextFor returns the text for a network according to the form.
func (v Values) TextFor(platform string) string { return cmp.Or(v.Overrides[platform].Text, v.Text) }

// TagsFor returns the tags for a network according to the form.
func (v Values) TagsFor(platform string) string { return cmp.Or(v.Overrides[platform].Tags, v.Tags) }

// TitleFor returns the title for a network according to the form.
func (v Values) TitleFor(platform string) string { return cmp.Or(v.Overrides[platform].Title, v.Title) }

// PlanModel is the plan. The zero one means that no plan has been requested yet.
type PlanModel struct {
	Plan *contract.Plan
	// Rows are the rows of Plan with display names.
	Rows []PlanRow
	// Causes are the issues and warnings of all rows, each once.
	Causes []Cause
	// Missing is a sentence that says what the form lacks for a plan.
	Missing string
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

// Cause is an issue or a warning of one or more rows.
type Cause struct {
	contract.Issue
	Warning  bool
	Accounts []string // names of the accounts of those rows
	Network  string   // of the first of them
	Input    string   // name of the input that it is about; "" for none
}

// AddCause adds an issue or a warning of a row. If another row has the same, only the account is added.
func (m *PlanModel) AddCause(c Cause, row PlanRow) {
	for i, other := range m.Causes {
		if other.Issue == c.Issue && other.Warning == c.Warning && other.Input == c.Input {
			m.Causes[i].Accounts = append(other.Accounts, row.Account)
			return
		}
	}
	c.Accounts, c.Network = []string{row.Account}, row.Network
	m.Causes = append(m.Causes, c)
}

// who names the accounts of a cause where there is more than one row in the plan.
func (m PlanModel) who(c Cause) string {
	switch {
	case len(m.Rows) < 2 || len(c.Accounts) == 0:
		return ""
	case len(c.Accounts) == 1:
		return c.Accounts[0] + " on " + c.Network
	}
	return ui.CountNoun(len(c.Accounts), "account", "accounts")
}

func (m PlanModel) count(warnings bool) (n int) {
	for _, c := range m.Causes {
		if c.Warning == warnings {
			n++
		}
	}
	return n
}

// notes returns what is said beside an input: an error of the form, or what the plan says of it.
func (m ComposeModel) notes(input string) (notes []Cause) {
	if problem := m.Errors[input]; problem != "" {
		return []Cause{{Issue: contract.Issue{Message: problem}, Input: input}}
	}
	for _, c := range m.Plan.Causes {
		if c.Input == input {
			notes = append(notes, c)
		}
	}
	return notes
}

// problem returns what is wrong with an input, in one paragraph.
func (m ComposeModel) problem(input string) string {
	var words []string
	for _, c := range m.notes(input) {
		words = append(words, c.Message, c.Hint)
	}
	return strings.TrimSpace(strings.Join(words, " "))
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

// IsChosen reports whether an account of the network is chosen.
func (m ComposeModel) IsChosen(platform string) bool {
	return slices.ContainsFunc(m.Accounts, func(a Account) bool { return a.Chosen && a.Platform == platform })
}

func (m ComposeModel) countChosen() (n int) {
	for _, a := range m.Accounts {
		if a.Chosen {
			n++
		}
	}
	return n
}

// shownNetworks returns the networks of the chosen accounts, or all of them while none is chosen.
func (m ComposeModel) shownNetworks() []Network {
	chosen := slices.DeleteFunc(slices.Clone(m.Networks), func(n Network) bool { return !m.IsChosen(n.ID) })
	if len(chosen) == 0 {
		return m.Networks
	}
	return chosen
}

// otherNetworks returns the networks that are not shown. What the form holds for them is kept.
func (m ComposeModel) otherNetworks() []Network {
	shown := m.shownNetworks()
	return slices.DeleteFunc(slices.Clone(m.Networks), func(n Network) bool {
		return slices.ContainsFunc(shown, func(s Network) bool { return s.ID == n.ID })
	})
}

// hasTabs reports whether each network has inputs of its own for what all share.
func (m ComposeModel) hasTabs() bool {
	shown := m.shownNetworks()
	return m.PostID == "" && (len(shown) > 1 || len(shown) == 1 && m.Values.Overrides[shown[0].ID] != Override{})
}

// openTab returns the tab that is in sight.
func (m ComposeModel) openTab() string {
	if slices.ContainsFunc(m.shownNetworks(), func(n Network) bool { return n.ID == m.Values.Tab }) {
		return m.Values.Tab
	}
	return ""
}

// firstAlt returns the description of the first file, which is sent to networks that take one.
func (m ComposeModel) firstAlt() string {
	if len(m.Files) == 0 {
		return ""
	}
	return m.Values.Alts[m.Files[0].ID]
}

// countProblems returns how many problems the inputs of a network's tab have.
func (m ComposeModel) countProblems(n Network) (problems int) {
	names := []string{OverrideField(n.ID, FieldText), OverrideField(n.ID, FieldTitle), OverrideField(n.ID, FieldTags)}
	for _, f := range n.Fields {
		names = append(names, SettingField(n.ID, f.Name))
	}
	for _, name := range names {
		if hasIssue(m.notes(name)) {
			problems++
		}
	}
	return problems
}

func hasIssue(notes []Cause) bool {
	return slices.ContainsFunc(notes, func(c Cause) bool { return !c.Warning })
}

func (m ComposeModel) formURL() string {
	if m.PostID != "" {
		return m.Frame.Link.EditPost(m.PostID)
	}
	return m.Frame.Link.CreatePosts()
}

func (m ComposeModel) planURL() string {
	if m.PostID != "" {
		return m.Frame.Link.EditPlan(m.PostID)
	}
	return m.Frame.Link.PlanPosts()
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
	return slices.ContainsFunc(m.shownNetworks(), func(n Network) bool { return n.Title != nil })
}

// inputID returns the id of an input by its name; "" if it has none.
func (m ComposeModel) inputID(name string) string {
	parts := strings.SplitN(name, ".", 3)
	switch {
	case len(parts) == 3 && parts[0] == "override":
		return overrideID(parts[1], parts[2])
	case len(parts) == 3:
		return "setting-" + parts[1] + "-" + parts[2]
	}
	return map[string]string{
		FieldAccount: "account-choice", FieldText: "text", FieldTitle: "title", FieldTags: "tags", FieldAt: "at",
		FieldMedia: "strip",
	}[name]
}

func overrideID(platform, part string) string {
	if part == FieldText {
		return "override-" + platform
	}
	return "override-" + platform + "-" + part
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

// countText returns how long a network's text is with its tags, in the network's unit.
func (m ComposeModel) countText(n Network) int {
	return n.Text.Unit.Length(m.Values.TextFor(n.ID)) + n.Extra
}

// spaceLeft says how much of a limit is left.
func spaceLeft(used int, limit core.Count) string {
	if over := used - limit.Max; over > 0 {
		return "too long by " + characters(over)
	}
	return characters(limit.Max-used) + " left"
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return formatThousands(n) + " characters"
}

func formatThousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// countsMore reports whether a network counts more than one for some of the characters of its text.
func (m ComposeModel) countsMore(n Network) bool {
	return m.countText(n)-n.Extra > core.UnitCharacters.Length(m.Values.TextFor(n.ID))
}
