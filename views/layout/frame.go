// Package layout draws what surrounds every screen: the rail, the banners, the flash and the help.
package layout

import (
	"belfry/views/link"
	"belfry/views/ui"
)

// Section is the place of a page in the rail.
type Section string

// Sections that exist.
const (
	SectionPosts    Section = "posts"
	SectionCompose  Section = "compose"
	SectionAccounts Section = "accounts"
	SectionSettings Section = "settings"
)

// Frame is what every page needs to know beside its own model.
type Frame struct {
	Title     string // of the browser's tab
	Section   Section
	Workspace string
	// Others are the person's other workspaces, to switch to.
	Others []Workspace
	Person Person
	// Writes and Manages tell what the person's role allows, so that nothing is offered in vain.
	Writes, Manages bool
	// Sandbox tells that the networks are simulated, SandboxURL where they are looked at and made to
	// misbehave; the latter is optional.
	Sandbox    bool
	SandboxURL string
	// Notices are what needs a person, wherever in the dashboard they are.
	Notices []Notice
	Flash   *Flash
	Version string
}

// Workspace is one that the person may switch to.
type Workspace struct{ ID, Slug, Name string }

// FieldWorkspace is the switch's one input: the id of the workspace to go on in.
const FieldWorkspace = "workspace"

// Person is who is signed in.
type Person struct{ Name, Email string }

// Notice is something that needs a person, and the way there.
type Notice struct {
	Text   string
	Action string
	URL    string
}

// Flash is said once, on the page after an act.
type Flash struct {
	Tone ui.Tone
	Text string
	// Hopes tells that it is not to stand above a post that has failed since.
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
	all := []navEntry{{SectionPosts, "Posts", "list", link.Posts(link.Filter{}), "p"}}
	if f.Writes {
		all = append(all, navEntry{SectionCompose, "Compose", "square-pen", link.Compose, ""})
	}
	return append(all, navEntry{SectionAccounts, "Accounts", "at-sign", link.Accounts, "a"},
		navEntry{SectionSettings, "Settings", "settings", link.Settings, "s"})
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

// htmxConfig keeps htmx from evaluating anything, from adding styles and from keeping pages in the
// browser's storage; an error's page goes where people see it. An element's attributes hold for itself alone: a
// link inside a part that looks for news must not be swapped in as that part is. Without a settle delay a link in
// a new part works at once.
const htmxConfig = `{"disableInheritance":true,"allowEval":false,"includeIndicatorStyles":false,"allowScriptTags":false,"selfRequestsOnly":true,` +
	`"defaultSettleDelay":0,"historyCacheSize":0,"historyRestoreAsHxRequest":false,"refreshOnHistoryMiss":true,"timeout":20000,` +
	`"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},` +
	`{"code":"[45]..","swap":true,"error":true,"target":"#fault"}]}`
