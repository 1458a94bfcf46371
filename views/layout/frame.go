// Package layout draws what surrounds every screen: the rail, the banners, the flash and the help.
package layout

import (
	"cmp"
	"fmt"
	"slices"

	"belfry/internal/core"
	"belfry/views/link"
	"belfry/views/ui"
)

// Section is the place of a page in the navigation.
type Section string

// Sections that exist.
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
	Workspace string         // its name
	Link      link.Workspace // makes the addresses of its pages
	// Others are the person's other workspaces, to which they can switch.
	Others []Workspace
	Person Person
	// Writes and Manages report what the person's role allows, so that pages offer nothing else.
	Writes, Manages bool
	// Sandbox reports that the networks are simulated, and SandboxURL is the address of their control page; optional.
	Sandbox    bool
	SandboxURL string
	// Notices are problems that require a person's attention, shown on every page.
	Notices []Notice
	// Attention is what requires it in a section, as "2 failed": shown beside its name.
	Attention map[Section]Attention
	// FirstSteps is how far a new workspace is; nil where that is not shown.
	FirstSteps *core.FirstSteps
	// NoShortcuts reports that the person has switched off single-key shortcuts.
	NoShortcuts bool
	Flash       *Flash
	Version     string
}

// Attention is how many things in a section require a person's attention, and what they are.
type Attention struct {
	Count int
	Words string
}

// Workspace is a workspace to which the person can switch.
type Workspace struct{ Slug, Name string }

// Person is the signed-in person.
type Person struct{ Name, Email string }

// Notice is a problem that requires a person's attention, with a link.
type Notice struct {
	Text   string
	Action string
	URL    string
	// Label says what the action is about, for somebody who hears the link alone; optional.
	Label string
}

// label returns what is heard for the notice's link.
func (n Notice) label() string { return cmp.Or(n.Label, n.Action) }

// Flash is a message that is shown once, on the page after an action.
type Flash struct {
	Tone ui.Tone
	Text string
	// Points say more, one line each.
	Points []string
	// Action takes back what was done, or goes on with it; nil for nothing.
	Action *ui.Action
	// Provisional reports that the message holds until its posts are live or failed.
	Provisional bool
}

type navEntry struct {
	section  Section
	name     string
	icon     string
	url      string
	shortcut string // after g
}

func (f Frame) navEntries() []navEntry {
	all := []navEntry{{SectionPosts, "Posts", "list", f.Link.Home(), "p"}}
	all = append(all, navEntry{SectionCalendar, "Calendar", "calendar", f.Link.Calendar(link.Calendar{}), "c"})
	if f.Writes {
		all = append(all, navEntry{SectionCompose, "Compose", "square-pen", f.Link.Compose(), ""})
	}
	return append(all, navEntry{SectionMedia, "Media", "images", f.Link.Media(link.MediaFilter{}), "m"},
		navEntry{SectionAccounts, "Accounts", "at-sign", f.Link.Accounts(), "a"},
		navEntry{SectionGroups, "Groups", "users", f.Link.Groups(), "u"},
		navEntry{SectionSettings, "Settings", "settings", f.Link.Settings(), "s"})
}

// fewWorkspaces is how many other workspaces can be found without a search.
const fewWorkspaces = 8

// maxBar is how many entries fit into the bar of a phone.
const maxBar = 5

// barEntries returns the entries of a phone's bar, and those of the menu at its end.
func (f Frame) barEntries() (shown, more []navEntry) {
	all := f.navEntries()
	if len(all) <= maxBar {
		return all, nil
	}
	return all[:maxBar-1], all[maxBar-1:]
}

// barURL returns where an entry leads on a phone, for which the list of the calendar suits best.
func (f Frame) barURL(e navEntry) string {
	if e.section == SectionCalendar {
		return f.Link.Calendar(link.Calendar{View: link.ViewList})
	}
	return e.url
}

// isOneOf reports whether the page belongs to one of the entries.
func (f Frame) isOneOf(entries []navEntry) bool {
	return slices.ContainsFunc(entries, func(e navEntry) bool { return e.section == f.Section })
}

// Pages returns the pages that the rail leads to, for the search.
func (f Frame) Pages() []PaletteEntry {
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

func (f Frame) attentionLabel() string { return fmt.Sprintf("%d things need you", len(f.Notices)) }

func (e navEntry) ariaCurrent(f Frame) string {
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

// htmxConfig prevents htmx from evaluating code, adding styles and storing pages in the browser, and shows error
// pages. Attributes of an element are not inherited: a link inside a polling part must not be swapped like that part.
// Without a settle delay, links in a new part work immediately.
const htmxConfig = `{"disableInheritance":true,"allowEval":false,"includeIndicatorStyles":false,"allowScriptTags":false,"selfRequestsOnly":true,` +
	`"defaultSettleDelay":0,"historyCacheSize":0,"historyRestoreAsHxRequest":false,"refreshOnHistoryMiss":true,"timeout":20000,` +
	`"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},` +
	`{"code":"[45]..","swap":true,"error":true,"target":"#fault"}]}`
