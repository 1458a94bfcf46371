// Package posts contains the composer, the list of posts and the page of a post.
package posts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/views/layout"
	"belfry/views/preview"
	"belfry/views/ui"
)

// Names of the composer's inputs. FieldAccount occurs once per account. FieldWhen is one of the When values. FieldAt is
// a local date-time, YYYY-MM-DDTHH:mm, in the zone of FieldZone. FieldTags contains tags separated by commas.
// FieldMedia occurs once per chosen file, in the post's order, and once more with an empty value. FieldUpload occurs
// once per new file.
const (
	FieldAccount  = "account"
	FieldPick     = "pick" // a button that chooses several accounts: one of the Pick values
	FieldText     = "text"
	FieldTitle    = "title"
	FieldTags     = "tags"
	FieldTab      = "tab" // the network whose own inputs are shown; "" for the shared ones
	FieldWhen     = "when"
	FieldAt       = "at"
	FieldZone     = "tz"
	FieldRevision = "revision"
	FieldMedia    = "media"
	FieldUpload   = "upload"
	FieldEarlier  = "earlier" // the file that a button moves one place earlier
	FieldLater    = "later"   // the file that a button moves one place later
	FieldRemove   = "remove"  // the file that a button removes from the post
	// FieldUploading has a value while a script uploads files (static/js/redraw.js).
	FieldUploading = "uploading"
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

// OverrideFieldName returns the name of the input with a network's own FieldText, FieldTitle or FieldTags. If its value
// is empty, the shared one is used.
func OverrideFieldName(platform, part string) string { return "override." + platform + "." + part }

// OmitTextAndTagsFieldName returns the name of the input that omits the network's own and the shared text, and the
// shared tags.
func OmitTextAndTagsFieldName(platform string) string { return OverrideFieldName(platform, "none") }

// SettingFieldName returns the name of a setting's input. A switch sends "true" if it is on. A switch that is on by
// default always sends "false" first. A list sends one entry per line.
func SettingFieldName(platform, setting string) string { return "settings." + platform + "." + setting }

// FieldSetting represents the inputs of all settings, whose names SettingFieldName returns.
const FieldSetting = "settings"

// AltFieldName returns the name of the input with a picture's alternative text.
func AltFieldName(fileID string) string { return "alt." + fileID }

// ComposeModel is the composer: for new posts or, if PostID is set, for one post.
type ComposeModel struct {
	Frame    layout.Frame
	Form     string // value of ui.FieldForm
	PostID   string // of the post that is edited; its account is fixed, and it has no overrides
	Beside   Beside // the posts that were created with the post that is edited
	Accounts []Account
	Unknown  []string // ids of chosen accounts that do not exist
	Groups   []Group
	// Networks are the networks of Accounts, each with its limit and settings.
	Networks []Network
	MediaIDs []string // the chosen files, in the post's order
	Files    []File   // the files of MediaIDs, for display
	Library  []File   // the newest other files, which can also be chosen
	// Media are the files of MediaIDs as records of the API. Previews show the posts as their networks would.
	Media    []contract.Media
	Previews []preview.Model
	// FilesChanged and TagsChanged report that MediaIDs and Values.Tags differ from those of the post that is edited.
	FilesChanged, TagsChanged bool
	Values                    Values
	// At is the instant of Values.At; zero if that is not a valid time.
	At time.Time
	// QueuedAt is the present time of the queued post that is edited, in the format of Values.At; "" for a draft.
	QueuedAt string
	// Saved is the saved version if somebody else changed the post after the form was opened, or else nil.
	Saved *ShowModel
	Zone  core.Zone // of the time in the form: the workspace's, or that of the edited post
	Plan  PlanModel
	// Refused is why the submitted form was refused.
	Refused *contract.Error
	// Errors are the errors of inputs, by name.
	Errors map[string]string
	// Autosave is the key of the browser's copy of the text, one per person and workspace; "" disables the copy.
	Autosave string
	// Redrawn reports that the person entered Values, so that they take precedence over the browser's copy.
	Redrawn bool
	// Part reports that a script requested the form. The script keeps the accounts and the library already on the page.
	Part bool
}

// Account is an account that can be selected.
type Account struct {
	ID, Name, Username string
	Avatar             string // path of its picture; "" for none
	Platform, Network  string // the network's id and name
	Status             string
	Chosen             bool
	// Choices are the values that the account can use, by setting (core.Facts).
	Choices map[string][]string
}

func (a Account) needsReconnect() bool { return a.Status != string(core.AccountOK) }

// cannotUse reports whether the account cannot use a value of a setting, because the network does not offer the value
// to this account.
func (a Account) cannotUse(setting, value string) bool {
	allowed, restricted := a.Choices[setting]
	return restricted && !slices.Contains(allowed, value)
}

// Group is a group of accounts that a button chooses.
type Group struct {
	ID, Name, Color string
	Accounts        []string // ids
}

// Network is what the composer needs to know about a network.
type Network struct {
	ID, Name string
	Text     core.Count
	// Extra is the length of the tags at the end of the network's text, in the unit of Text.
	Extra  int
	Title  *core.Count
	Fields []network.Field
}

// Override is a network's own text, title and tags; "" means the shared value. With NoText, the network's posts have
// neither a text nor the shared tags.
type Override struct {
	Text, Title, Tags string
	NoText            bool
}

// ownContentText names the content that is the network's own, such as "own text and tags". It returns "" if all content
// is shared.
func (o Override) ownContentText() (textOrEmpty string) {
	var own []string
	for _, part := range []struct{ name, value string }{{"text", o.Text}, {"title", o.Title}, {"tags", o.Tags}} {
		if part.value != "" && !(o.NoText && part.name == "text") {
			own = append(own, part.name)
		}
	}
	var parts []string
	if o.NoText {
		parts = append(parts, "no text")
	}
	if len(own) > 0 {
		parts = append(parts, "own "+core.JoinNames(own, "and"))
	}
	return strings.Join(parts, ", ")
}

// Values are the values of the inputs.
type Values struct {
	Text, Title, Tags string
	Tab               string                       // value of FieldTab
	Revision          string                       // of the post that is edited
	When              string                       // WhenNow, WhenAt or WhenDraft
	At                string                       // YYYY-MM-DDTHH:mm
	Uploading         bool                         // files that the form does not contain yet are being uploaded
	Overrides         map[string]Override          // by platform
	Settings          map[string]map[string]string // by platform and setting
	Alts              map[string]string            // alternative texts of pictures, by file
}

// Setting returns a setting's value as shown in its input.
func (v Values) Setting(platform, name string) string { return v.Settings[platform][name] }

// HasSameContentAndTime reports whether two forms for the same post, with the same files, would save the same.
func (v Values) HasSameContentAndTime(other Values) bool {
	return v.Text == other.Text && v.Title == other.Title && v.Tags == other.Tags &&
		v.When == other.When && (v.When != WhenAt || v.At == other.At) &&
		maps.EqualFunc(v.Settings, other.Settings, maps.Equal) && maps.Equal(v.Alts, other.Alts)
}

// TextFor returns the text for a network: its own or, if that is empty, the shared one. With NoText, it returns "".
func (v Values) TextFor(platform string) string {
	if v.Overrides[platform].NoText {
		return ""
	}
	return cmp.Or(v.Overrides[platform].Text, v.Text)
}

// TagsFor returns the tags for a network: its own or, if they are empty, the shared ones. With NoText, it returns only
// its own.
func (v Values) TagsFor(platform string) string {
	if v.Overrides[platform].NoText {
		return v.Overrides[platform].Tags
	}
	return cmp.Or(v.Overrides[platform].Tags, v.Tags)
}

// TitleFor returns the title for a network: its own or, if that is empty, the shared one.
func (v Values) TitleFor(platform string) string { return cmp.Or(v.Overrides[platform].Title, v.Title) }

// PlanModel is the plan of a form. The zero value means that no plan has been requested yet.
type PlanModel struct {
	Plan *contract.Plan
	// Rows are the rows of Plan with display names.
	Rows []PlanRow
	// Causes are the issues and warnings of all rows, each once.
	Causes []Cause
	// Missing is a sentence that says what the form still needs for a plan.
	Missing string
	// Refused is why there is no plan.
	Refused *contract.Error
	When    string // WhenNow, WhenAt or WhenDraft
	Zone    core.Zone
	Now     time.Time
	// Queued reports that the form edits a queued post.
	Queued bool
	// Unchanged reports that the form has the content and the time of the saved post.
	Unchanged bool
}

// PlanRow is a row of the plan and its account.
type PlanRow struct {
	contract.PlanRow
	Account string
	Network string
}

// errorOrCausesFor returns what is shown beside an input: its error or, if it has none, the plan's issues and warnings
// about the input.
func (m ComposeModel) errorOrCausesFor(input string) (causes []Cause) {
	if problem := m.Errors[input]; problem != "" {
		return []Cause{{Issue: core.Issue{Message: problem}, Input: input}}
	}
	for _, c := range m.Plan.Causes {
		if c.Input == input {
			causes = append(causes, c)
		}
	}
	return causes
}

// errorOrCausesText returns the texts of errorOrCausesFor as one paragraph, or "".
func (m ComposeModel) errorOrCausesText(input string) (textOrEmpty string) {
	var words []string
	for _, c := range m.errorOrCausesFor(input) {
		words = append(words, c.Message, c.Hint)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// accountsThatCannotUse returns the network's accounts that cannot use a setting's value.
func (m ComposeModel) accountsThatCannotUse(platform, setting, value string) (accounts []Account) {
	for _, a := range m.Accounts {
		if a.Platform == platform && a.cannotUse(setting, value) {
			accounts = append(accounts, a)
		}
	}
	return accounts
}

// isUnusableAndUnselected reports whether a chosen account cannot use a setting's value. It returns false for the
// value in the form, which must remain visible; the plan says what is wrong with it.
func (m ComposeModel) isUnusableAndUnselected(platform, setting, value string) bool {
	return m.Values.Setting(platform, setting) != value &&
		slices.ContainsFunc(m.accountsThatCannotUse(platform, setting, value), func(a Account) bool { return a.Chosen })
}

// HasChosenAccount reports whether any account on the network is chosen.
func (m ComposeModel) HasChosenAccount(platform string) bool {
	return slices.ContainsFunc(m.Accounts, func(a Account) bool { return a.Chosen && a.Platform == platform })
}

func (m ComposeModel) countChosenAccounts() (n int) {
	for _, a := range m.Accounts {
		if a.Chosen {
			n++
		}
	}
	return n
}

// shownNetworks returns the networks of the chosen accounts or, if none is chosen, all networks.
func (m ComposeModel) shownNetworks() []Network {
	chosen := slices.DeleteFunc(slices.Clone(m.Networks), func(n Network) bool { return !m.HasChosenAccount(n.ID) })
	if len(chosen) == 0 {
		return m.Networks
	}
	return chosen
}

// hiddenNetworks returns the networks that are not shown. The form keeps their values.
func (m ComposeModel) hiddenNetworks() []Network {
	shown := m.shownNetworks()
	return slices.DeleteFunc(slices.Clone(m.Networks), func(n Network) bool {
		return slices.ContainsFunc(shown, func(s Network) bool { return s.ID == n.ID })
	})
}

// hasNetworkTabs reports whether the form shows a tab for each network, with its own text, title and tags.
func (m ComposeModel) hasNetworkTabs() bool {
	shown := m.shownNetworks()
	return m.PostID == "" && (len(shown) > 1 || len(shown) == 1 && m.Values.Overrides[shown[0].ID] != Override{})
}

// openTabPlatform returns the network whose tab is open, or "" for the shared inputs.
func (m ComposeModel) openTabPlatform() (platformOrEmpty string) {
	if slices.ContainsFunc(m.shownNetworks(), func(n Network) bool { return n.ID == m.Values.Tab }) {
		return m.Values.Tab
	}
	return ""
}

// firstFileAltText returns the alternative text of the first file, which is sent to networks that accept one.
func (m ComposeModel) firstFileAltText() (textOrEmpty string) {
	if len(m.Files) == 0 {
		return ""
	}
	return m.Values.Alts[m.Files[0].ID]
}

// tabInputNames returns the names of the inputs in a network's tab.
func (n Network) tabInputNames() []string {
	names := []string{
		OverrideFieldName(n.ID, FieldText), OverrideFieldName(n.ID, FieldTitle), OverrideFieldName(n.ID, FieldTags),
	}
	for _, f := range n.Fields {
		names = append(names, SettingFieldName(n.ID, f.Name))
	}
	return names
}

// sharedInputNames are the names of the inputs for all networks, in the order in which the form shows them.
var sharedInputNames = []string{FieldTitle, FieldText, FieldTags, FieldMedia}

// countCausesToFixFor returns how many errors and causes beside the inputs need a fix.
func (m ComposeModel) countCausesToFixFor(inputNames ...string) (n int) {
	for _, name := range inputNames {
		for _, c := range m.errorOrCausesFor(name) {
			if c.NeedsFix() {
				n++
			}
		}
	}
	return n
}

func (m ComposeModel) submitURL() string {
	if m.PostID != "" {
		return m.Frame.Link.EditPost(m.PostID)
	}
	return m.Frame.Link.CreatePosts()
}

func (m ComposeModel) planURL() string {
	if m.PostID != "" {
		return m.Frame.Link.PlanEditedPost(m.PostID)
	}
	return m.Frame.Link.PlanPosts()
}

func (m ComposeModel) addFilesURL() string {
	if m.PostID != "" {
		return m.Frame.Link.AddFilesToEditedPost(m.PostID)
	}
	return m.Frame.Link.AddComposerFiles()
}

// queuedEditNoteOrEmpty says what happens to a queued post while it is edited. It returns "" for other posts.
func (m ComposeModel) queuedEditNoteOrEmpty() string {
	if m.Plan.Queued {
		return "The post does not change until you save."
	}
	return ""
}

// kindOrEmpty returns the kind of the posts on a network, such as Reel, or "" if no preview shows it.
func (m ComposeModel) kindOrEmpty(platform string) string {
	for _, p := range m.Previews {
		if p.Platform == platform {
			return p.Kind
		}
	}
	return ""
}

func (m ComposeModel) canHaveTitle() bool {
	return slices.ContainsFunc(m.shownNetworks(), func(n Network) bool { return n.Title != nil })
}

// titleLabel returns the label of the title. It names the networks that show the title, unless all do.
func (m ComposeModel) titleLabel() string {
	var names []string
	shown := m.shownNetworks()
	for _, n := range shown {
		if n.Title != nil {
			names = append(names, n.Name)
		}
	}
	if len(names) == len(shown) {
		return "Title"
	}
	return "Title (only on " + core.JoinNames(names, "and") + ")"
}

// inputID returns the HTML id of the input with a name, or "" if it has none.
func (m ComposeModel) inputID(name string) (idOrEmpty string) {
	parts := strings.SplitN(name, ".", 3)
	switch {
	case len(parts) == 3 && parts[0] == "override":
		return overrideInputID(parts[1], parts[2])
	case len(parts) == 3:
		return "setting-" + parts[1] + "-" + parts[2]
	}
	return map[string]string{
		FieldAccount: "account-choice", FieldText: "text", FieldTitle: "title", FieldTags: "tags", FieldAt: "at",
		FieldMedia: "strip",
	}[name]
}

// verdictTargetID returns the id of the element to which the verdict links: the first input that needs a fix or, if the
// form can be submitted, the first input with a warning. If no warning is about an input, the element is the plan. The
// method returns "" if the verdict links to nothing.
func (m ComposeModel) verdictTargetID() (idOrEmpty string) {
	has, otherwise := Cause.NeedsFix, ""
	switch {
	case m.Plan.isOnlyWaitingForFiles(), m.Plan.canSubmit() && m.Plan.countWarningsExceptInfo() == 0:
		return ""
	case m.Plan.canSubmit():
		has, otherwise = Cause.isWarningNotInfo, "plan"
	}
	names := append([]string{FieldAccount}, sharedInputNames...)
	for _, n := range m.shownNetworks() {
		names = append(names, n.tabInputNames()...)
	}
	for _, name := range append(names, FieldAt) {
		if id := m.inputID(name); id != "" && slices.ContainsFunc(m.errorOrCausesFor(name), has) {
			return id
		}
	}
	return otherwise
}

func overrideInputID(platform, part string) string {
	if part == FieldText {
		return "override-" + platform
	}
	return "override-" + platform + "-" + part
}

// submitLabel returns the label of the submit button, which says what the button does.
func (m PlanModel) submitLabel() string {
	n := len(m.Rows)
	if m.Queued {
		return map[string]string{WhenNow: "Send now", WhenAt: "Save changes", WhenDraft: "Move to drafts"}[m.When]
	}
	if n < 2 {
		return map[string]string{WhenNow: "Send now", WhenAt: "Schedule", WhenDraft: "Save draft"}[m.When]
	}
	switch m.When {
	case WhenNow:
		return "Send " + ui.CountNoun(n, "post", "posts") + " now"
	case WhenAt:
		return "Schedule " + ui.CountNoun(n, "post", "posts")
	}
	return fmt.Sprintf("Save %d drafts", n)
}

// asksBeforeSubmitting reports whether the submit button opens a dialog with the plan (static/js/confirm.js) before the
// posts are created.
func (m PlanModel) asksBeforeSubmitting() bool { return len(m.Rows) > 1 }

// maxTextStart is how many characters of a text the confirmation dialog shows.
const maxTextStart = 120

// dialogSharedTextStart returns the beginning of the shared text if the confirmation dialog is about posts that have
// it, or "".
func (m ComposeModel) dialogSharedTextStart() (textOrEmpty string) {
	isShared := func(row PlanRow) bool {
		own := m.Values.Overrides[row.Platform]
		return own.Text == "" && !own.NoText
	}
	if !m.Plan.asksBeforeSubmitting() || !slices.ContainsFunc(m.Plan.Rows, isShared) {
		return ""
	}
	return core.Excerpt(m.Values.Text, maxTextStart)
}

// dialogOwnTextStart returns the beginning of a row's own text for the confirmation dialog, or "".
func (m ComposeModel) dialogOwnTextStart(row PlanRow) (textOrEmpty string) {
	own := m.Values.Overrides[row.Platform]
	if !m.Plan.asksBeforeSubmitting() || own.NoText {
		return ""
	}
	return core.Excerpt(own.Text, maxTextStart)
}

// ellipsisIfAsking returns the ellipsis that ends the submit button's label if the button opens a dialog first.
func (m PlanModel) ellipsisIfAsking() string {
	if m.asksBeforeSubmitting() {
		return "…"
	}
	return ""
}

// canSubmit reports whether the submit button is enabled.
func (m PlanModel) canSubmit() bool { return m.Plan != nil && m.Plan.OK && len(m.Rows) > 0 }

// timeUntilText says how far an instant is from now, for example "in 3 hours 20 minutes". From 24 hours on, it counts
// the zone's calendar days. For the past, it gives no distance.
func timeUntilText(at, now time.Time, zone core.Zone) string {
	d, days := at.Sub(now), countDaysSinceEpoch(at, zone)-countDaysSinceEpoch(now, zone)
	switch {
	case d < -time.Minute:
		return "in the past"
	case d < time.Minute:
		return "now"
	case d >= 24*time.Hour && days == 1:
		return "tomorrow"
	case d >= 24*time.Hour && days > 1:
		return "in " + ui.CountNoun(days, "day", "days")
	}
	var parts []string
	if hours := int64(d / time.Hour); hours > 0 {
		parts = append(parts, ui.CountNoun(hours, "hour", "hours"))
	}
	if minutes := int64(d % time.Hour / time.Minute); minutes > 0 {
		parts = append(parts, ui.CountNoun(minutes, "minute", "minutes"))
	}
	return "in " + strings.Join(parts, " ")
}

// countDaysSinceEpoch returns the number of days from 1 January 1970 to an instant's date in the zone.
func countDaysSinceEpoch(at time.Time, zone core.Zone) int64 {
	year, month, day := at.In(zone.Location()).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
}

// textLengthWithTags returns the length of a network's text with its tags, in the network's unit.
func (m ComposeModel) textLengthWithTags(n Network) int {
	return n.Text.Unit.Length(m.Values.TextFor(n.ID)) + n.Extra
}

// spaceLeftText says how many characters are left for a text, or by how many the text is too long.
func spaceLeftText(used int, limit core.Count) string {
	if over := used - limit.Max; over > 0 {
		return "too long by " + ui.CountNoun(over, "character", "characters")
	}
	return ui.CountNoun(limit.Max-used, "character", "characters") + " left"
}

// hasCharactersCountedAsSeveral reports whether the network counts some characters of its text as more than one.
func (m ComposeModel) hasCharactersCountedAsSeveral(n Network) bool {
	return m.textLengthWithTags(n)-n.Extra > core.UnitCharacters.Length(m.Values.TextFor(n.ID))
}

// buildPlaceholder returns the text in an empty input of a network. It says which shared text or title is used.
func buildPlaceholder(what, shared, networkName string) string {
	if shared == "" {
		return what + " for " + networkName + ", if it differs"
	}
	return "Uses the shared " + strings.ToLower(what) + ": " + shared
}
