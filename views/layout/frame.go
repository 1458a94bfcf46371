// Package layout contains the frame around every page: the navigation, the banners, the flash and the search.
package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/views/link"
	"belfry/views/ui"
)

// Section is the entry of the navigation to which a page belongs.
type Section string

// Sections of the dashboard.
const (
	SectionPosts    Section = "posts"
	SectionCalendar Section = "calendar"
	SectionCompose  Section = "compose"
	SectionMedia    Section = "media"
	SectionAccounts Section = "accounts"
	SectionGroups   Section = "groups"
	SectionSettings Section = "settings"
)

// Frame is what every page needs in addition to its own model.
type Frame struct {
	Title     string // of the browser's tab
	Section   Section
	Workspace string         // the workspace's name
	Link      link.Workspace // returns the addresses of the workspace's pages
	// Others are the person's other workspaces, to which they can switch.
	Others []Workspace
	Person Person
	// Writes and Manages report what the person's role allows. Pages do not offer other actions.
	Writes, Manages bool
	// Sandbox reports that the networks are simulated. SandboxURL is the optional address of their control page.
	Sandbox    bool
	SandboxURL string
	// Notices are problems that require a person's attention, shown on every page.
	Notices []Notice
	// Attention is shown beside the names of sections, for example "2 to check".
	Attention map[Section]Attention
	// FirstSteps is the progress of a new workspace; nil hides the first steps.
	FirstSteps *core.FirstSteps
	// NoShortcuts reports that the person has switched off single-key shortcuts.
	NoShortcuts bool
	Flash       *Flash
}

// Attention is the number of things in a section that require a person's attention, and what they are.
type Attention struct {
	Count int
	Words string
	URL   string // shows these things; "" if the section's first page shows them
}

// Workspace is a workspace to which the person can switch.
type Workspace struct{ Slug, Name string }

// currentWorkspace returns the workspace whose page is shown.
func (f Frame) currentWorkspace() Workspace {
	return Workspace{Slug: string(f.Link), Name: f.Workspace}
}

// isWorkspaceNameAmbiguous reports whether another of the person's workspaces has the same name.
func (f Frame) isWorkspaceNameAmbiguous(w Workspace) bool {
	return slices.ContainsFunc(append(slices.Clone(f.Others), f.currentWorkspace()), func(other Workspace) bool {
		return other.Name == w.Name && other.Slug != w.Slug
	})
}

// ReconnectAdvice says who must reconnect an account of a network that is set up on this server.
func (f Frame) ReconnectAdvice() string {
	if f.Manages {
		return "Reconnect the account."
	}
	return "Ask an owner or admin of the workspace to reconnect the account."
}

// Person is the signed-in person.
type Person struct{ Name, Email string }

// Notice is a problem that requires a person's attention, with a link.
type Notice struct {
	Text   string
	Action string
	URL    string
	// Label is what screen readers announce for the link instead of Action; optional.
	Label string
}

// ariaLabel returns what screen readers announce for the notice's link.
func (n Notice) ariaLabel() string { return cmp.Or(n.Label, n.Action) }

// Flash is a message that is shown once, on the page after an action.
type Flash struct {
	Tone ui.Tone
	Text string
	// CountsDownTo is when what the text says begins; zero for none. Countdown is the number of seconds until then, which
	// a script counts down.
	CountsDownTo time.Time
	Countdown    int `json:"-"`
	// Points are details, one per line.
	Points []string
	// Action undoes what was done, or continues it; optional.
	Action *ui.Action
	// URL and Label are a link to the next step; optional.
	URL, Label string
	// Posts are the ids of the posts that the message is about, if it says what becomes of them. An open page requests
	// UpdateURL when one of these posts has changed. UpdateURL is "" if there are too many posts.
	Posts     []string
	UpdateURL string
}

type navEntry struct {
	section  Section
	name     string
	icon     string
	url      string
	shortcut string // the key to press after G; "" for none
}

// navEntries returns the entries of the navigation that the person's role allows.
func (f Frame) navEntries() []navEntry {
	all := []navEntry{{SectionPosts, "Posts", "list", f.Link.Home(), "p"}}
	all = append(all, navEntry{SectionCalendar, "Calendar", "calendar", f.Link.Calendar(link.Calendar{}), "c"})
	if f.Writes {
		all = append(all, navEntry{SectionCompose, "Compose", "square-pen", f.Link.Compose(), ""})
	}
	return append(all, navEntry{SectionMedia, "Media", "images", f.Link.Media(link.MediaFilter{}), "m"},
		navEntry{SectionAccounts, "Accounts", "at-sign", f.Link.Accounts(), "a"},
		navEntry{SectionGroups, "Groups", "gallery-vertical-end", f.Link.Groups(), "u"},
		navEntry{SectionSettings, "Settings", "settings", f.Link.Settings(), "s"})
}

// fewWorkspaces is the largest number of other workspaces for which the switcher has no filter.
const fewWorkspaces = 8

// maxBar is the number of entries that fit into the navigation bar on a phone.
const maxBar = 5

// bottomBarEntries returns the entries of the bar on a phone, and those in the menu at its end.
func (f Frame) bottomBarEntries() (shown, more []navEntry) {
	all := f.navEntries()
	if len(all) <= maxBar {
		return all, nil
	}
	return all[:maxBar-1], all[maxBar-1:]
}

// bottomBarURL returns the address of an entry of the bar.
func (f Frame) bottomBarURL(e navEntry) string {
	if e.section == SectionCalendar {
		return f.Link.CalendarOnPhone()
	}
	return e.url
}

// isCurrentSectionAmong reports whether the current page belongs to one of the entries.
func (f Frame) isCurrentSectionAmong(entries []navEntry) bool {
	return slices.ContainsFunc(entries, func(e navEntry) bool { return e.section == f.Section })
}

// sumAttention returns how many things in the sections of the entries require the person's attention.
func (f Frame) sumAttention(entries []navEntry) (sum Attention) {
	var words []string
	for _, e := range entries {
		if a := f.Attention[e.section]; a.Count > 0 {
			sum.Count, words = sum.Count+a.Count, append(words, a.Words)
		}
	}
	sum.Words = strings.Join(words, ", ")
	return sum
}

// PageEntries returns the pages that the search offers: those of the navigation except the composer, and the lists of
// drafts, live posts and failed posts.
func (f Frame) PageEntries() []PaletteEntry {
	var list []PaletteEntry
	for _, e := range f.navEntries() {
		if e.section != SectionCompose {
			list = append(list, PaletteEntry{Icon: e.icon, Name: e.name, URL: e.url})
		}
	}
	for _, status := range []core.PostStatus{core.PostDraft, core.PostLive, core.PostFailed} {
		list = append(list, PaletteEntry{
			Icon: "list", Name: ui.StateWord(string(status)) + " posts", URL: f.Link.Posts(link.Filter{Status: string(status)}),
		})
	}
	return list
}

func (f Frame) noticeCountText() string {
	return fmt.Sprintf("%d things need your attention", len(f.Notices))
}

// ariaCurrent returns "page" if the current page belongs to the entry, and "" otherwise.
func (e navEntry) ariaCurrent(f Frame) (pageOrEmpty string) {
	if e.section == f.Section {
		return "page"
	}
	return ""
}

func (f Frame) tabTitle() string {
	if f.Title == "" {
		return "Belfry"
	}
	return f.Title + " · Belfry"
}

// htmxConfig prevents htmx from evaluating code, adding styles and storing pages in the browser, and makes it show
// error responses. Attributes are not inherited: a link inside a part that polls must not be swapped like that part.
// Without a settle delay, links in a new part work immediately.
const htmxConfig = `{"disableInheritance":true,"allowEval":false,"includeIndicatorStyles":false,"allowScriptTags":false,"selfRequestsOnly":true,` +
	`"defaultSettleDelay":0,"historyCacheSize":0,"historyRestoreAsHxRequest":false,"refreshOnHistoryMiss":true,"timeout":20000,` +
	`"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},` +
	`{"code":"[45]..","swap":true,"error":true,"target":"#fault"}]}`
