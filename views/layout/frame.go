// Package layout draws what surrounds every screen: the rail, the banners, the flash and the help.
package layout

import (
	"belfry/views/link"
	"belfry/views/ui"
)

// Section is the place of a page in the navigation.
type Section string

// Sections that exist.
const (
	SectionPosts    Section = "posts"
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
	Flash   *Flash
	Version string
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
}

// Flash is a message that is shown once, on the page after an action.
type Flash struct {
	Tone ui.Tone
	Text string
	// Points say more, one line each.
	Points []string
	// Undo takes back what was done; nil if that is not possible.
	Undo *ui.Action
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
	all := []navEntry{{SectionPosts, "Posts", "list", f.Link.Posts(link.Filter{}), "p"}}
	if f.Writes {
		all = append(all, navEntry{SectionCompose, "Compose", "square-pen", f.Link.Compose(), ""})
	}
	return append(all, navEntry{SectionMedia, "Media", "images", f.Link.Media(link.MediaFilter{}), "m"},
		navEntry{SectionAccounts, "Accounts", "at-sign", f.Link.Accounts(), "a"},
		navEntry{SectionGroups, "Groups", "users", f.Link.Groups(), "u"},
		navEntry{SectionSettings, "Settings", "settings", f.Link.Settings(), "s"})
}

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
