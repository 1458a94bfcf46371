package layout_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/static"
	"belfry/views/design"
	"belfry/views/errorpage"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
	"belfry/views/reference"
	"belfry/views/settings"
	"belfry/views/ui"
)

const (
	postID = "post_01kbmx0q7ze6fsyqbrm4f2w9ta"
	accA   = "acc_01kbmwz6v3f1ht6hz9n8q4w2ce"
	accB   = "acc_01kbmwz9d8e0ksjr1x5t7v3ymk"
	accC   = "acc_01kbmwzc2hfm3bq6p0a9e4r8dn"
	accD   = "acc_01kbmwzfj6q8v0c2d4e6g8h0jk"
)

// fixture holds what the screens are drawn with.
type fixture struct {
	zone core.Zone
	now  time.Time
}

// screens are every screen in every state that has a look of its own. A fragment's name begins with "part".
func (f fixture) screens() map[string]templ.Component {
	all := map[string]templ.Component{}
	for _, some := range []map[string]templ.Component{
		f.doors(), f.lists(), f.composers(), f.shows(), f.accountPages(), f.groupPages(), f.keyPages(), f.memberPages(),
		f.resets(), f.personPages(), f.faults(), f.mediaPages(),
		f.parts(), f.references(), f.calendars(), f.searches(),
	} {
		maps.Copy(all, some)
	}
	return all
}

func (f fixture) frame(title string, section layout.Section) layout.Frame {
	return layout.Frame{
		Title: title, Section: section, Workspace: "Bell & Rope Studio", Link: "bell",
		Person: layout.Person{Name: "Ada Lindqvist", Email: "ada@example.org"},
		Writes: true, Manages: true, Sandbox: true,
	}
}

// several is the frame of somebody with more than one workspace.
func (f fixture) several(title string, section layout.Section) layout.Frame {
	several := f.frame(title, section)
	several.Others = []layout.Workspace{
		{Slug: "harbour-bakery", Name: "Harbour Bakery"},
		{Slug: "bell-rope-studio-2", Name: several.Workspace},
	}
	return several
}

func (f fixture) in(d time.Duration) *contract.Time { return contract.TimeOrNil(f.now.Add(d)) }

// post is a post of Ada Lindqvist on Threads. Without a time, it is a draft.
func (f fixture) post(status core.PostStatus, text string, at time.Time) core.Post {
	id, _ := core.ParseID[core.PostKind](postID)
	account, _ := core.ParseID[core.AccountKind](accA)
	return core.Post{
		ID: id, Account: account, AccountName: "Ada Lindqvist", AccountStatus: core.AccountOK, Platform: "threads",
		Text: text, Settings: json.RawMessage("{}"), PublishAt: at, Zone: f.zone, Status: status, Via: "ui",
		CreatedAt: f.now.Add(-time.Hour), UpdatedAt: f.now.Add(-time.Minute),
	}
}

// onFacebook is the same post of Bell & Rope on Facebook.
func onFacebook(p core.Post) core.Post {
	p.Account, _ = core.ParseID[core.AccountKind](accB)
	p.AccountName, p.Platform = "Bell & Rope", "facebook"
	return p
}

var networkNames = map[core.Platform]string{"threads": "Threads", "facebook": "Facebook"}

func record(p core.Post) contract.Post { return contract.PostOf(p, networkNames[p.Platform]) }

func (f fixture) references() map[string]templ.Component {
	m := reference.Model{
		Title: "Belfry", Version: "1", Frame: layout.Frame{Title: "API"}, Back: link.Home,
		Sections: []reference.Section{{
			ID: "routes-posts", Title: "Posts", Operations: []reference.Operation{{
				ID: "getPost", Method: http.MethodGet, Path: "/posts/{id}", Summary: "Show a post", Command: "curl",
				Body:   &reference.Body{},
				Fields: []reference.Field{{Name: "id", In: "path", Required: true, Type: []reference.Span{{Text: "string"}}}},
				Responses: []reference.Response{{
					Status: "200", Words: "OK", Headers: []string{"X-Request-Id", "RateLimit"},
					Example: "{}",
				}},
			}},
		}}, Records: []reference.Record{{ID: "record-Post", Name: "Post"}},
	}
	return map[string]templ.Component{"reference": reference.Page(m)}
}

func (f fixture) faults() map[string]templ.Component {
	all := map[string]templ.Component{}
	for status, name := range map[int]string{403: "403", 404: "404", 409: "409", 429: "429", 500: "500", 503: "503"} {
		m := errorpage.Model{
			Frame: f.frame("", ""), Status: status, RequestID: "req_01kbmx", Error: contract.Error{Code: "internal"},
		}
		switch {
		case status >= http.StatusInternalServerError, status == http.StatusTooManyRequests:
			m.Again = m.Frame.Link.Home()
		case status == http.StatusConflict:
			m.Back = m.Frame.Link.Post(postID)
		}
		all["fault-"+name] = errorpage.Page(m)
	}
	all["fault-stranger"] = errorpage.Page(errorpage.Model{
		Status: http.StatusNotFound, RequestID: "req_01kbmx",
		Error: contract.Error{Code: "not_found"},
	})
	return all
}

func (f fixture) searches() map[string]templ.Component {
	m := layout.PaletteModel{Frame: f.frame("Search", ""), Query: "bell", Groups: []layout.PaletteGroup{
		{Name: "Pages", Entries: []layout.PaletteEntry{{Icon: "list", Name: "Posts", URL: link.Workspace("bell").Home()}}},
		{Name: "Posts", Entries: []layout.PaletteEntry{{
			Platforms: []string{"threads"}, Name: "The workshop is open. <b>", Detail: "Live", URL: link.Workspace("bell").Post(postID),
			Query: "bell", Passage: "…the big bell rings at <b>noon</b>.",
		}}},
	}}
	many := layout.PaletteModel{Frame: m.Frame, Query: "harbour", Groups: []layout.PaletteGroup{
		{Name: "Accounts", Entries: []layout.PaletteEntry{{
			Platforms: []string{"threads"}, Name: "Harbour Bakery", Detail: "Threads", URL: link.Workspace("bell").Home(),
		}}},
		{Name: "Posts", Entries: []layout.PaletteEntry{
			{
				Platforms: []string{"threads"}, Name: "The rye bread is back at the harbour. " + long(80) + "…",
				Detail: record(f.post("queued", "", f.now.Add(26*time.Hour))).StatusLine, URL: link.Workspace("bell").Post(postID),
			},
			{
				Platforms: []string{"facebook"}, Name: "Harbour light", URL: link.Workspace("bell").Post(postID),
				Detail: record(onFacebook(f.post("draft", "", time.Time{}))).StatusLine,
			},
			{
				Platforms: []string{"facebook", "instagram", "threads", "youtube"}, Name: "Dawn over the harbour",
				Detail: "Live · Facebook, Instagram, Threads and YouTube · Sat 21 Nov 2026, 09:05 CET (Europe/Berlin)",
				URL:    link.Workspace("bell").PostsOfCalendarEntry(postID, link.Filter{}),
			},
			{
				Icon: "list", Name: "Show all posts with “harbour”",
				URL: link.Workspace("bell").Posts(link.Filter{Status: link.AllPosts, Query: "harbour"}),
			},
		}},
	}}
	none := layout.PaletteModel{Frame: m.Frame, Query: "<script>"}
	attention := f.several("API keys", layout.SectionSettings)
	attention.Attention = map[layout.Section]layout.Attention{
		layout.SectionPosts:    {Count: 1, Words: "to check", URL: attention.Link.Posts(link.Filter{Status: "failed"})},
		layout.SectionAccounts: {Count: 2, Words: "to reconnect"},
	}
	attention.Notices = []layout.Notice{
		{Text: "Ada Lindqvist on Threads: access has expired.", Action: "Reconnect", URL: attention.Link.Reconnect(accA)},
		{
			Text: "Old workshop page on Facebook: access was revoked.", Action: "Reconnect", URL: attention.Link.Reconnect(accC),
			Label: "Reconnect Old workshop page on Facebook",
		},
		{Text: "1 post needs your attention.", Action: "View", URL: attention.Link.Posts(link.Filter{Status: "failed"})},
	}
	newcomer := f.frame("Posts", layout.SectionPosts)
	newcomer.FirstSteps = &core.FirstSteps{Account: true}
	helper := newcomer
	helper.Manages, helper.FirstSteps, helper.NoShortcuts = false, &core.FirstSteps{}, true
	return map[string]templ.Component{
		"attention": settings.Profile(settings.ProfileModel{Frame: attention, Role: core.RoleOwner}),
		"search":    layout.Search(m), "search-none": layout.Search(none),
		"search-many":  layout.Search(many),
		"part-palette": layout.PalettePart(m), "part-palette-none": layout.PalettePart(none),
		"first-steps": posts.List(posts.ListModel{
			Frame: newcomer, Accounts: []ui.Option{{Value: accA, Label: "Ada Lindqvist on Threads"}},
		}),
		"first-steps-editor": posts.List(posts.ListModel{Frame: helper}),
		"design":             design.Page(design.Model{Frame: layout.Frame{Title: "Design"}, Tokens: static.DesignTokenNames()}),
	}
}

func (f fixture) parts() map[string]templ.Component {
	part, refused := f.compose(), f.compose()
	part.Part, part.Plan = true, f.plan(posts.WhenDraft)
	refused.Part = true
	refused.Plan = posts.PlanModel{When: posts.WhenNow, Refused: &contract.Error{Code: "invalid_request", Message: "No."}}
	live := f.show(f.post("live", "", f.now))
	return map[string]templ.Component{
		"part-fault": errorpage.Part(errorpage.Model{
			Status: 409, RequestID: "req_1",
			Error: contract.Error{Code: "conflict", Message: "It is being sent."},
		}),
		"part-compose": posts.Composer(part), "part-compose-refused": posts.Composer(refused),
		"part-post":    posts.ShowPart(live),
		"part-posts":   posts.ListPart(posts.ListModel{Frame: f.frame("", layout.SectionPosts)}),
		"part-confirm": layout.ConfirmPart(layout.ConfirmModel{Title: "Revoke?", Action: "/w/bell/x", Button: "Revoke", Back: "/w/bell/y"}),
	}
}
