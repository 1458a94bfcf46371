package layout_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/static"
	"belfry/views/accounts"
	"belfry/views/auth"
	"belfry/views/calendar"
	"belfry/views/design"
	"belfry/views/errorpage"
	"belfry/views/groups"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/media"
	"belfry/views/posts"
	postpreview "belfry/views/preview"
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

func (f fixture) post(status, text string, at *contract.Time) contract.Post {
	p := contract.Post{
		ID: postID, AccountID: accA, Platform: "threads", MediaIDs: []string{}, Text: text, Tags: []string{},
		Settings:  json.RawMessage("{}"),
		PublishAt: at, TZ: f.zone.Name(), Status: status, CreatedVia: "ui", CreatedAt: *f.in(-time.Hour),
		UpdatedAt: *f.in(-time.Minute),
	}
	p.StatusLine, p.ShortStatusLine = ui.StateWord(status)+" · Threads · Ada Lindqvist", ui.StateWord(status)
	if at != nil {
		p.StatusLine += " · " + f.zone.FormatTime(at.Time)
		p.ShortStatusLine += " · " + f.zone.FormatTime(at.Time)
	}
	return p
}

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

func (f fixture) doors() map[string]templ.Component {
	frame := layout.Frame{Title: "Set up", Sandbox: true}
	return map[string]templ.Component{
		"setup": auth.SetUp(auth.SetUpModel{Frame: frame, Values: auth.SetUpValues{Code: "OPENSESAME"}}),
		"setup-wrong": auth.SetUp(auth.SetUpModel{
			Frame:       frame,
			AsksForCode: true,
			Values:      auth.SetUpValues{Workspace: "Bell & Rope", Name: "Ada", Email: "ada@", Zone: "Europe/Berlni"},
			Errors: map[string]string{
				"email": "That is not an email address.", "tz": "There is no such time zone.",
				"password": "That password is on the list of the most used ones.",
			},
		}),
		"invitation": auth.Invitation(auth.InvitationModel{
			Frame: layout.Frame{Title: "Join Harbour Bakery"}, Token: "token", Workspace: "Harbour Bakery",
			Email: "ben@example.org", Name: "ben",
		}),
		"invitation-refused": auth.Invitation(auth.InvitationModel{
			Frame: layout.Frame{Title: "Join Harbour Bakery"}, Token: "token", Workspace: "Harbour Bakery",
			Email:  "ben@example.org",
			Errors: map[string]string{"name": "The name is missing."},
			Refused: &contract.Error{
				Code: "unauthenticated", Message: "That is not the password.",
				Hint: "Enter the password that you use to sign in.",
			},
		}),
		"no-invitation": auth.NoInvitation(layout.Frame{Title: "Invitation"}),
		"erasure": auth.Erasure(auth.ErasureModel{
			Frame: layout.Frame{Title: "Deletion of data"}, Code: "mfrggzdfmztwq2lk", AskedAt: f.now,
		}),
		"erasure-done": auth.Erasure(auth.ErasureModel{
			Frame: layout.Frame{Title: "Deletion of data"}, Code: "mfrggzdfmztwq2lk", AskedAt: f.now, DoneAt: f.now.Add(time.Minute),
		}),
		"signin": auth.SignIn(auth.SignInModel{Frame: layout.Frame{Title: "Sign in"}}),
		"signin-refused": auth.SignIn(auth.SignInModel{
			Frame: layout.Frame{Title: "Sign in"}, Email: "ada@example.org", Next: "/posts",
			Refused: &contract.Error{
				Code: "unauthenticated", Message: "Email and password do not belong together.",
				Hint: "Check both and try again.",
			},
		}),
	}
}

func (f fixture) lists() map[string]templ.Component {
	frame := f.frame("Posts", layout.SectionPosts)
	frame.Notices = []layout.Notice{{
		Text: "Threads, Ada Lindqvist: the connection has expired.", Action: "Reconnect",
		URL: frame.Link.Accounts(),
	}}
	rows := []posts.Row{}
	add := func(p contract.Post) {
		p.ID = fmt.Sprintf("%s%d", postID[:len(postID)-1], len(rows))
		rows = append(rows, posts.Row{
			Post: p, Account: "Ada Lindqvist", Network: "Threads", Editable: p.Status == "queued" || p.Status == "draft",
		})
	}
	add(f.post("queued",
		"The workshop bell is up. Come and hear it ring at noon on Saturday, rain or shine, and bring a friend who has never heard one from the inside.", f.in(26*time.Hour)))
	add(f.post("queued", "Small things we learnt from casting bronze this week", f.in(50*time.Hour)))
	page := f.post("failed", "New opening hours from Monday", f.in(-2*time.Hour))
	page.Platform = "facebook"
	page.StatusLine += " · next try " + f.zone.FormatTime(f.now.Add(4*time.Minute))
	add(page)
	live := f.post("live", "מזל טוב! הפעמון החדש מצלצל", f.in(-26*time.Hour))
	live.Platform = "facebook"
	add(live)
	add(f.post("live", "Behind the scenes: how a bell gets its note 🔔", f.in(-50*time.Hour)))
	add(f.post("draft", "", nil))
	rows[1].Files, rows[5].Files = f.files()[1:2], f.files()
	rows[1].Selected, rows[2].Note = true, "(#2) An unexpected error has occurred. Next try at 10:09."
	counts := map[core.PostStatus]int{"queued": 2, "failed": 1, "live": 214, "draft": 1}
	list := func(change func(*posts.ListModel)) templ.Component {
		m := posts.ListModel{
			Frame: f.frame("Posts", layout.SectionPosts), Zone: f.zone, Now: f.now,
			Accounts: []ui.Option{{Value: accA, Label: "Ada Lindqvist on Threads"}, {Value: accB, Label: "Bell & Rope on Facebook"}},
			Networks: []ui.Option{{Value: "threads", Label: "Threads"}, {Value: "facebook", Label: "Facebook"}},
		}
		change(&m)
		return posts.List(m)
	}
	return map[string]templ.Component{
		"posts": list(func(m *posts.ListModel) {
			m.Frame, m.Rows, m.Next, m.Counts = frame, rows[:2], "abc", counts
			m.Frame.Flash = &layout.Flash{
				Tone: ui.ToneWarn, Text: "12 posts moved; 2 refused:",
				Points: []string{"2 posts: The time is in the past. Choose a later time, or choose Send now."},
				Action: &ui.Action{ID: "undo", URL: frame.Link.UndoPostChange(), Label: "Undo"},
			}
		}),
		"posts-all": list(func(m *posts.ListModel) {
			m.Rows, m.Counts, m.Filter.Status = rows, counts, link.AllPosts
		}),
		"posts-failed": list(func(m *posts.ListModel) {
			m.Rows, m.Counts, m.Filter.Status = rows[2:3], counts, "failed"
		}),
		"posts-viewer": list(func(m *posts.ListModel) { m.Rows, m.Frame.Writes, m.Frame.Manages = rows[:2], false, false }),
		"posts-filtered": list(func(m *posts.ListModel) {
			m.Rows, m.Filter = rows[:1], link.Filter{Account: accA, Network: "threads", From: "2026-11-20", To: "2026-11-30"}
		}),
		"posts-empty": list(func(m *posts.ListModel) { m.Accounts, m.Networks = nil, nil }),
		"posts-first": list(func(*posts.ListModel) {}),
		"posts-none":  list(func(m *posts.ListModel) { m.Counts = map[core.PostStatus]int{"live": 3} }),
		"posts-live-today": list(func(m *posts.ListModel) {
			m.Counts, m.LiveToday = map[core.PostStatus]int{"live": 214}, 3
		}),
		"posts-failed-none": list(func(m *posts.ListModel) {
			m.Filter.Status, m.Counts = "failed", map[core.PostStatus]int{"queued": 2}
		}),
		"posts-no-match": list(func(m *posts.ListModel) {
			m.Filter = link.Filter{Query: "<script>alert(1)</script>", Cursor: "x"}
		}),
	}
}

func (f fixture) calendars() map[string]templ.Component {
	all := map[string]templ.Component{}
	for name, show := range map[string]func(*calendar.Model){
		"calendar":      func(*calendar.Model) {},
		"calendar-week": func(m *calendar.Model) { m.Shown.View, m.Days = link.ViewWeek, m.Days[:7] },
		"calendar-list": func(m *calendar.Model) { m.Shown.View = link.ViewList },
		"calendar-day": func(m *calendar.Model) {
			m.Shown.View, m.Days = link.ViewDay, []calendar.Day{*m.Chosen}
			m.Days[0].Total = 5_000
		},
		"calendar-nothing":  func(m *calendar.Model) { m.Shown.View, m.Days = link.ViewList, m.Days[7:] },
		"calendar-no-match": func(m *calendar.Model) { m.Shown.View, m.Days, m.Shown.Status = link.ViewList, m.Days[7:], "failed" },
		"calendar-viewer":   func(m *calendar.Model) { m.Frame.Writes, m.Frame.Manages = false, false },
		"calendar-moved": func(m *calendar.Model) {
			m.Moved = &layout.Flash{
				Text:   "Moved to Tue 24 Nov 2026, 18:00 CET (Europe/Berlin).",
				Action: &ui.Action{ID: "undo", URL: m.Frame.Link.UndoPostChange(), Label: "Undo"},
			}
		},
		"calendar-refused": func(m *calendar.Model) {
			m.Refused = &calendar.Refusal{
				Post: m.Chosen.Posts[0], SendNow: true,
				Error: contract.Error{Hint: "The time is in the past. Choose a later time, or choose Send now."},
			}
		},
	} {
		m := f.calendar()
		show(&m)
		all[name] = calendar.Page(m)
	}
	together := calendar.TogetherModel{
		Frame: f.frame("2 posts at Sat 21 Nov 2026, 18:00 CET (Europe/Berlin)", layout.SectionCalendar), Zone: f.zone,
		Posts: f.calendar().Chosen.Posts[:2],
	}
	all["calendar-together"], all["part-calendar-together"] = calendar.Together(together), calendar.TogetherPart(together)
	return all
}

// calendar is two weeks, the first with posts in each state and a clock change.
func (f fixture) calendar() calendar.Model {
	m := calendar.Model{
		Frame: f.frame("Calendar", layout.SectionCalendar), Zone: f.zone, Now: f.now, Date: f.zone.Today(f.now),
		Shown:    link.Calendar{View: link.ViewMonth},
		Accounts: []ui.Option{{Value: accA, Label: "Ada Lindqvist on Threads"}, {Value: accB, Label: "Bell & Rope on Facebook"}},
		Networks: []ui.Option{{Value: "threads", Label: "Threads"}, {Value: "facebook", Label: "Facebook"}},
	}
	for n := range 14 {
		d := calendar.Day{Date: m.Date.AddDate(0, 0, n)}
		for h := range 24 {
			d.Hours = append(d.Hours, calendar.Hour{Hour: h})
		}
		m.Days = append(m.Days, d)
	}
	today := &m.Days[0]
	today.ClockChange, today.Hours[2].Skipped, today.Hours[3].Twice = time.Hour, true, true
	for i, status := range []string{"live", "failed", "queued", "draft"} {
		p := calendar.Post{
			ID: fmt.Sprintf("%s%d", postID[:len(postID)-1], i), Platform: "threads", Network: "Threads",
			Account: "Ada Lindqvist", Status: status, Text: "מזל טוב! The bell is up.", At: f.now.Add(time.Hour),
			Movable: status == "queued" || status == "draft",
			Count:   1, Networks: []calendar.Network{{Platform: "threads", Name: "Threads"}},
		}
		today.Posts, today.Total = append(today.Posts, p), 12
		today.Hours[12].Posts, today.Hours[12].Total = append(today.Hours[12].Posts, p), 12
	}
	several := today.Posts[2]
	several.ID, several.Count = postID, 12
	several.Networks = append(several.Networks, calendar.Network{Platform: "facebook", Name: "Facebook"})
	today.Posts, today.Total = append(today.Posts, several), 20
	chosen := *today
	m.Chosen = &chosen
	return m
}

func (f fixture) networks() []posts.Network {
	return []posts.Network{
		{ID: "threads", Name: "Threads", Text: core.Count{Max: 500, Unit: core.UnitBytes}, Fields: []network.Field{
			{Name: "topic", Label: "Topic", Kind: network.FieldText, Help: "One topic, without # . and &.", Max: 50},
			{
				Name: "replyControl", Label: "Who may reply", Kind: network.FieldChoice,
				Choices: []network.Choice{{Value: "everyone", Label: "Everyone"}, {Value: "followers", Label: "Followers"}},
			},
		}},
		{ID: "facebook", Name: "Facebook", Text: core.Count{Max: 63206, Unit: core.UnitCharacters}, Fields: []network.Field{
			{Name: "link", Label: "Link", Kind: network.FieldURL, Help: "Shown as a card under the text."},
			{Name: "targets", Label: "Countries", Kind: network.FieldList},
			{Name: "published", Label: "Show in the feed", Kind: network.FieldSwitch},
			{Name: "day", Label: "Day", Kind: network.FieldDate},
			{Name: "age", Label: "From age", Kind: network.FieldNumber, Max: 99, Ignored: true},
		}},
	}
}

func (f fixture) compose() posts.ComposeModel {
	return posts.ComposeModel{
		Frame: f.frame("Compose", layout.SectionCompose), Zone: f.zone, Autosave: "ws_1.usr_1", Networks: f.networks(),
		Accounts: []posts.Account{
			{
				ID: accA, Name: "Ada Lindqvist", Username: "ada", Platform: "threads", Network: "Threads", Status: "ok",
				Chosen: true,
			},
			{ID: accB, Name: "Bell & Rope", Platform: "facebook", Network: "Facebook", Status: "ok", Chosen: true},
			{ID: accC, Name: "Old workshop page", Platform: "facebook", Network: "Facebook", Status: "expired"},
		},
		Values: posts.Values{When: posts.WhenNow},
		Plan:   posts.PlanModel{When: posts.WhenNow, Zone: f.zone, Now: f.now},
	}
}

func (f fixture) plan(when string) posts.PlanModel {
	at := f.in(26 * time.Hour)
	limit := int64(300)
	row := func(id, platform, account, name string) posts.PlanRow {
		r := contract.PlanRow{
			AccountID: id, Platform: platform, PublishAt: at, OK: true, Issues: []contract.Issue{},
			Warnings: []contract.Issue{},
		}
		return posts.PlanRow{PlanRow: r, Account: account, Network: name}
	}
	m := posts.PlanModel{
		When: when, Zone: f.zone, Now: f.now, Rows: []posts.PlanRow{
			row(accA, "threads", "Ada Lindqvist", "Threads"), row(accB, "facebook", "Bell & Rope", "Facebook"),
		},
		Plan: &contract.Plan{
			OK: true, Status: "queued", Quota: contract.Quota{Used: 12, Limit: &limit, Requested: 2},
			Table: "" +
				"NETWORK    ACCOUNT         TIME                                             STATE\n" +
				"Threads    Ada Lindqvist   Sun 22 Nov 2026, 11:05 CET (Europe/Berlin)       ok\n" +
				"Facebook   Bell & Rope     Sun 22 Nov 2026, 11:05 CET (Europe/Berlin)       ok\n",
		},
	}
	return m
}

func (f fixture) composers() map[string]templ.Component {
	ready := f.compose()
	ready.Values = posts.Values{
		Text: "The workshop bell is up.\n\nCome and hear it ring at noon on Saturday, rain or shine.", When: posts.WhenAt,
		At:        "2026-11-22T11:05",
		Overrides: map[string]posts.Override{"threads": {Text: "The bell is up. Saturday, noon. Bring a friend."}},
		Settings: map[string]map[string]string{
			"threads":  {"topic": "bells", "replyControl": "followers"},
			"facebook": {"published": "true"},
		},
	}
	ready.Plan = f.plan(posts.WhenAt)
	ready.At = time.Date(2026, 11, 22, 10, 5, 0, 0, time.UTC)

	wrong := f.compose()
	wrong.Redrawn = true
	wrong.Values = posts.Values{Text: long(620), When: posts.WhenNow}
	wrong.Plan = f.plan(posts.WhenNow)
	wrong.Plan.Plan.OK = false
	wrong.Plan.Rows[0].OK = false
	tooLong := func(row posts.PlanRow, has int, unit string, limit int) posts.Cause {
		return posts.Cause{Input: posts.FieldText, Issue: core.IssueCaptionTooLong.On(row.Network, has, unit, limit)}
	}
	wrong.Plan.AddOrMergeCause(tooLong(wrong.Plan.Rows[0], 620, "bytes", 500), wrong.Plan.Rows[0])
	wrong.Plan.AddOrMergeCause(tooLong(wrong.Plan.Rows[1], 618, "characters", 600), wrong.Plan.Rows[1])
	wrong.Plan.AddOrMergeCause(posts.Cause{
		Warning: true, Input: posts.FieldText, Issue: core.WarnSameTextRecently.With("Bell & Rope"),
	}, wrong.Plan.Rows[1])
	wrong.Refused = &contract.Error{
		Code: "plan_has_issues", Message: "The plan has issues.",
		Hint: "Mend them and send again.",
	}
	wrong.Errors = map[string]string{
		"account": "Choose at least one account.", "text": "No such sign.", "at": "That time is past.",
		posts.OverrideFieldName("facebook", posts.FieldText): "Not that.",
		posts.SettingFieldName("facebook", "link"):           "That is not an address.",
		posts.SettingFieldName("facebook", "contentType"):    "That needs a file.",
	}

	edit := f.compose()
	edit.PostID, edit.Accounts, edit.Networks = postID, edit.Accounts[:1], edit.Networks[:1]
	edit.Files, edit.Library = f.files(), []posts.File{{ID: "med_4", Name: "rope.jpg"}}
	edit.Errors = map[string]string{posts.FieldMedia: "rope.heic cannot be used."}
	edit.Values = posts.Values{
		Text: "A draft", When: posts.WhenDraft, Alts: map[string]string{"med_1": "A bell"},
	}
	edit.Plan = f.plan(posts.WhenDraft)
	edit.Plan.Editing, edit.Plan.Rows = true, edit.Plan.Rows[:1]

	many := f.compose()
	for i := range 14 {
		account := many.Accounts[i%2]
		account.ID, account.Name, account.Chosen = fmt.Sprintf("acc_%d", i), fmt.Sprintf("Bakery %d", i), i > 11
		many.Accounts = append(many.Accounts, account)
	}
	many.Accounts[0].Chosen, many.Accounts[1].Chosen = false, false
	many.Groups = []posts.Group{{ID: "grp_1", Name: "Bakeries", Accounts: []string{"acc_12", "acc_13"}}}
	many.Plan = f.plan(posts.WhenNow)
	many.Plan.AddOrMergeCause(tooLong(many.Plan.Rows[0], 620, "bytes", 500), many.Plan.Rows[0])

	converted := f.compose()
	converted.Files = []posts.File{{ID: "med_1", Name: "harbour.png", Thumbnail: static.URL("icon.svg")}}
	converted.Values.Text, converted.Plan = "The harbour at noon.", f.plan(posts.WhenNow)
	for _, row := range converted.Plan.Rows {
		converted.Plan.AddOrMergeCause(posts.Cause{
			Warning: true, Input: posts.FieldMedia, Issue: core.WarnImagesConverted.On(row.Network, "harbour.png"),
		}, row)
	}

	none := f.compose()
	none.Accounts = nil
	return map[string]templ.Component{
		"compose": posts.Compose(f.compose()), "compose-ready": posts.Compose(ready), "compose-wrong": posts.Compose(wrong),
		"compose-edit": posts.Compose(edit), "compose-no-account": posts.Compose(none),
		"compose-many": posts.Compose(many), "compose-converted": posts.Compose(converted),
	}
}

func (f fixture) files() []posts.File {
	return []posts.File{
		{ID: "med_1", Name: "bell-at-noon.jpg", Thumbnail: static.URL("icon.svg")},
		{ID: "med_2", Name: "casting-day-with-a-rather-long-name-that-goes-on-and-on.mp4", Video: true, Length: 83 * time.Second},
		{ID: "med_3", Name: "old.png", Trouble: "removed"},
	}
}

func (f fixture) mediaPages() map[string]templ.Component {
	frame := f.frame("Media", layout.SectionMedia)
	folders := media.NewTree([]contract.Folder{
		{ID: "fld_1", Name: "Summer"}, {ID: "fld_2", Name: "Bells & ropes", ParentID: new("fld_1")}, {ID: "fld_3", Name: "Winter"},
	})
	file := func(n int, name string) contract.Media {
		return contract.Media{
			ID: fmt.Sprintf("med_%d", n), Kind: "image", OriginalName: name, Mime: "image/jpeg", Size: 482_133, Status: "ready",
			Width: new(1080), Height: new(1350), Tags: []string{"bells", "noon"}, CreatedAt: *f.in(-time.Hour),
			ThumbnailURL: new(static.URL("icon.svg")),
		}
	}
	noon, video, broken, waits, gone := file(1, "bell-at-noon.jpg"), file(2, "casting-day-with-a-rather-long-name.mp4"),
		file(3, "page.jpg"), file(4, "rope.png"), file(5, "old.jpg")
	noon.Pinned, noon.Title, noon.Description = true, new("The bell at noon"), new("A bronze bell against a blue sky")
	video.Kind, video.Mime, video.DurationMs = "video", "video/mp4", new(int64(83_000))
	broken.Status, broken.FailReason, broken.ThumbnailURL = "failed", new("The file is a web page."), nil
	waits.Status, waits.ThumbnailURL = "processing", nil
	gone.PurgedAt, gone.PublishedAt = f.in(-time.Hour), f.in(-73*time.Hour)
	library := media.LibraryModel{
		Frame: frame, Folders: folders, Filter: link.MediaFilter{Folder: "fld_1"}, Next: "med_5",
		Files: []media.File{{Media: noon}, {Media: video}, {Media: broken}, {Media: waits}, {Media: gone}},
	}
	list := library
	list.Filter.View, list.Filter.After = "list", "med_9"
	refused := library
	refused.Files, refused.NewFolder, refused.Renamed = nil, "Winter", "Winter"
	refused.Errors = map[string]string{"new-folder": "Another folder has this name.", "folder-name": "Another folder has this name."}
	first := media.LibraryModel{Frame: frame}
	none := first
	none.Filter.Query = "zyzzyva"
	end := first
	end.Filter.After = "med_1"
	viewer := library
	viewer.Frame.Writes = false
	reader := first
	reader.Frame.Writes = false

	page := media.FileModel{
		Frame: frame, File: media.File{Media: noon}, URL: static.URL("icon.svg"), Folders: folders, Zone: f.zone,
		Retention: 72 * time.Hour, Values: media.NewFileValues(noon), MorePosts: true,
		Posts: []media.FilePost{{ID: postID, Status: "live", Title: "The workshop bell is up", Line: "Live · Threads · Ada Lindqvist"}},
	}
	watched := page
	watched.File, watched.DeletedAt, watched.Posts = media.File{Media: video}, f.now.Add(time.Hour), nil
	removed := page
	removed.File, removed.URL = media.File{Media: gone}, ""
	wrong := page
	wrong.File, wrong.URL = media.File{Media: broken}, ""
	wrong.Errors = map[string]string{"name": "The text is longer than 2000 bytes.", "description": "Too long.", "tags": "Too many."}
	picker := media.PickModel{Link: frame.Link, Folders: folders, Files: library.Files, Next: "med_5"}
	return map[string]templ.Component{
		"media": media.Library(library), "media-list": media.Library(list), "media-refused": media.Library(refused),
		"media-first": media.Library(first), "media-no-match": media.Library(none), "media-end": media.Library(end),
		"media-viewer": media.Library(viewer), "media-reader": media.Library(reader),
		"media-file": media.FilePage(page), "media-video": media.FilePage(watched), "media-removed": media.FilePage(removed),
		"media-file-wrong": media.FilePage(wrong),
		"part-media":       media.LibraryPart(library), "part-file": media.FilePart(page), "part-pick": media.PickPart(picker),
		"part-pick-none": media.PickFiles(media.PickModel{Link: frame.Link}),
	}
}

func long(n int) string {
	text := ""
	for len(text) < n {
		text += "A bell is known by its strike note and by the long hum that stays. "
	}
	return text[:n]
}

func (f fixture) show(status string) posts.ShowModel {
	text := "The workshop bell is up.\n\nCome and hear it ring at noon on Saturday, rain or shine.\nhttps://example.org/bell"
	return posts.ShowModel{
		Frame: f.frame("Post", layout.SectionPosts), Post: f.post(status, text, f.in(26*time.Hour)), Account: "Ada Lindqvist",
		Network: "Threads",
		Zone:    f.zone, PostZone: f.zone, At: "2026-11-22T11:05",
		Settings: []posts.Setting{{Label: "Topic", Value: "bells"}},
		Events:   []contract.Event{{Kind: "created", At: *f.in(-time.Hour)}, {Kind: "queued", At: *f.in(-time.Hour)}},
	}
}

// preview is a post as a network shows it, with two files of which one has no picture.
func (f fixture) preview() templ.Component {
	return postpreview.Post(postpreview.Model{
		Preview:  network.BuildPreview(nil, network.Draft{Text: "The workshop bell is up. #bells", Title: "Noon"}),
		Platform: "threads", Network: "Threads", Account: postpreview.Account{Name: "Ada Lindqvist"},
		Files: []postpreview.File{
			{Name: "bell-at-noon.jpg", Picture: static.URL("icon.svg"), Width: 4, Height: 3},
			{Name: "casting-day.mp4", Video: true, Length: 83 * time.Second},
		},
	})
}

func (f fixture) shows() map[string]templ.Component {
	queued := f.show("queued")
	queued.Acts = []core.Act{core.ActSendNow, core.ActReschedule, core.ActCancel, core.ActDuplicate}
	queued.Preview, queued.PrepareAt = f.preview(), f.now.Add(25*time.Hour)

	live := f.show("live")
	live.LiveURL = "http://localhost:8080/sandbox/www.threads.net/@ada/post/x"
	live.Acts = []core.Act{core.ActDuplicate}
	live.Post.Attempts, live.Post.ExternalID = 1, new("18040000000000000")
	live.Frame.Flash = &layout.Flash{Tone: ui.ToneGood, Text: "1 post is on its way."}
	live.Events = append(live.Events,
		contract.Event{Kind: "publishing", At: *f.in(0)},
		contract.Event{Kind: "live", At: *f.in(2 * time.Second), Message: "Threads shows it."})

	failing := f.show("failed")
	failing.Post.Error = &contract.PostError{
		Code:    "network_error",
		Message: "(#2) An unexpected error has occurred. Please retry your request later.",
		Hint:    new("The network could not answer. Nothing was published."),
	}
	failing.NextTry = f.now.Add(4 * time.Minute)
	failing.Acts = []core.Act{core.ActRetry, core.ActDuplicate, core.ActDelete}
	failing.Events = append(failing.Events, contract.Event{Kind: "publishing", At: *f.in(0)},
		contract.Event{
			Kind: "failed", At: *f.in(time.Second),
			Message: "(#2) An unexpected error has occurred. Please retry your request later.",
			Notes:   []string{"code 2, fbtrace_id AbCdEf"},
		},
		contract.Event{Kind: "retriedByWorker", At: *f.in(time.Second)})

	unknown := f.show("failed")
	unknown.Post.Error = &contract.PostError{Code: "outcome_unknown", Message: "Nobody can tell whether it arrived."}
	unknown.Acts = []core.Act{core.ActSettle, core.ActDuplicate}
	unknown.Refused = &contract.Error{
		Code: "outcome_unknown", Message: "Nobody can tell whether it arrived.",
		Hint: "Check the network first.",
	}

	held := f.show("queued")
	asking := f.show("queued")
	asking.Asking, asking.AskAt = true, f.now.Add(90*time.Second)
	asking.Acts = live.Acts

	held.Held, held.NextTry = true, f.now.Add(40*time.Minute)
	held.Acts = queued.Acts

	revoked := f.show("failed")
	revoked.Post.Error = &contract.PostError{
		Code: "account_revoked", Message: "Threads revoked access to Ada Lindqvist.", Hint: new("Reconnect the account."),
	}
	revoked.AccountTrouble = "Ada Lindqvist on Threads: access was revoked."
	revoked.Acts = failing.Acts
	ofEditor, waiting := revoked, f.show("queued")
	revoked.Reconnect = revoked.Frame.Link.Reconnect(accA)
	waiting.AccountTrouble, waiting.Reconnect, waiting.Acts = revoked.AccountTrouble, revoked.Reconnect, queued.Acts
	waiting.OnHold = "the database was restored from a backup"
	private := f.show("live")
	private.NoLink, private.ProfileURL = "Threads provides links only for public posts.", "https://www.example.org/@ada"

	draft := f.show("draft")
	draft.Post.PublishAt, draft.Post.Text = nil, ""
	draft.Acts = []core.Act{
		core.ActEdit, core.ActQueue, core.ActSendNow, core.ActReschedule, core.ActDuplicate,
		core.ActDelete,
	}
	draft.Files = f.files()
	unknown.ProfileURL = "https://www.example.org/@ada"
	return map[string]templ.Component{
		"post-queued": posts.Show(queued), "post-live": posts.Show(live), "post-failing": posts.Show(failing),
		"post-unknown": posts.Show(unknown), "post-held": posts.Show(held), "post-asking": posts.Show(asking),
		"post-draft": posts.Show(draft), "post-revoked": posts.Show(revoked), "post-revoked-editor": posts.Show(ofEditor),
		"post-obstacles": posts.Show(waiting), "post-without-link": posts.Show(private),
		"post-delete": layout.Confirm(layout.ConfirmModel{
			Frame: f.frame("Delete", layout.SectionPosts), Title: "Delete this draft?",
			Points: []string{"It cannot be brought back."},
			Action: queued.Frame.Link.DeletePost(postID), Button: "Delete the draft", Back: queued.Frame.Link.Post(postID),
		}),
	}
}

func (f fixture) accountPages() map[string]templ.Component {
	limit := int64(3)
	frame := f.frame("Accounts", layout.SectionAccounts)
	networks := []accounts.Network{
		{ID: "threads", Name: "Threads", Profile: "profile", Needs: "You need a public Threads profile.", Configured: true},
		{
			ID: "facebook", Name: "Facebook", Profile: "Page",
			Needs: "You need a Facebook Page on which you may create content.", Configured: true,
		},
		{ID: "sixth", Name: "Sixth", Profile: "channel", Needs: "You need a channel."},
	}
	with := func(ofFirst, ofSecond []accounts.Account) []accounts.Network {
		list := append([]accounts.Network{}, networks...)
		list[0].Accounts, list[1].Accounts = ofFirst, ofSecond
		return list
	}
	ada := accounts.Account{
		ID: accA, Name: "Ada Lindqvist", Username: "ada", Status: "ok", Queued: 3,
		Next: accounts.Post{ID: postID, At: f.now.Add(time.Hour)}, Last: accounts.Post{ID: postID, At: f.now.Add(-time.Hour)},
		Quotas: []accounts.Quota{{Words: "12 of 250 posts in 24 hours"}},
	}
	near := ada
	near.ID, near.EndsAt, near.KeepsGrant = accD, f.now.Add(72*time.Hour), true
	near.Quotas, near.Blocked = []accounts.Quota{{Words: "240 of 250 posts in 24 hours", Near: true}}, "Try again tomorrow."
	near.Unreachable = []core.FileKind{core.FileImage}
	broken := []accounts.Account{
		{
			ID: accB, Name: "Bell & Rope", Status: "expired", Reason: "The consent ran out on 3 November.", Queued: 1, Lost: 2,
		},
		{
			ID: accC, Name: "Old workshop page with a rather long name that goes on", Status: "revoked",
			Reason: "It was connected at the simulated networks.",
		},
	}
	m := accounts.Model{
		Frame: frame, Zone: f.zone, Used: 204, Found: 204, Pages: 3, Networks: with([]accounts.Account{ada, near}, broken),
		Filter: accounts.Filter{Network: "threads", Page: 2},
	}
	full := m
	full.Used, full.Found, full.Pages, full.Limit, full.Filter = 3, 3, 1, &limit, accounts.Filter{}
	nobody := m
	nobody.Networks, nobody.Found, nobody.Pages, nobody.Filter = networks, 0, 1, accounts.Filter{Query: "zzz", Page: 1}
	reader := m
	reader.Frame.Manages = false
	return map[string]templ.Component{
		"accounts": accounts.Page(m), "accounts-full": accounts.Page(full), "accounts-no-match": accounts.Page(nobody),
		"accounts-empty":  accounts.Page(accounts.Model{Frame: frame, Zone: f.zone, Networks: networks}),
		"accounts-reader": accounts.Page(reader),
		"part-accounts":   accounts.ListPart(m),
		"accounts-choose": accounts.Choose(accounts.ChooseModel{
			Frame: frame, Platform: "facebook", Network: "Facebook", Profile: "Page", Pending: "p1",
			Profiles: []accounts.Profile{
				{ID: "1", Name: "Bell & Rope", Chosen: true, Connected: true},
				{ID: "2", Name: "Ada’s bakery", Username: "adabakes", Chosen: true},
				{ID: "3", Name: "Town hall", Unusable: "You may not create content on this Page."},
			},
		}),
		"accounts-disconnect": layout.Confirm(layout.ConfirmModel{
			Frame: frame, Title: "Disconnect Ada Lindqvist?", Action: frame.Link.Disconnect(accA), Button: "Disconnect",
			Back: frame.Link.Accounts(),
			Points: []string{
				"3 queued posts go back to the drafts and give their slots back.",
				"What is live stays where it is.", "Connecting it again later is possible.",
			},
		}),
	}
}

func (f fixture) groupPages() map[string]templ.Component {
	frame := f.frame("Groups", layout.SectionGroups)
	var all []groups.Account
	for i, name := range []string{
		"Ada Lindqvist", "Bell & Rope", "Café Olé", "Dunmore Choir", "Evening Rides", "Foundry", "Garden & Co", "Harbour Bakery",
		"Iris Studio", "Jasper", "Kiln", "Lantern", "Maren Holt", "Night Owl Cycles",
	} {
		all = append(all, groups.Account{
			ID: fmt.Sprint("acc_", i), Name: name, Username: fmt.Sprint("user", i), Platform: "threads", Network: "Threads",
			Chosen: i%2 == 0,
		})
	}
	list := groups.ListModel{Frame: frame, Included: true, Accounts: all, Groups: []groups.Group{
		{ID: "grp_1", Name: "Everything", Color: "#0f766e", Accounts: all, Description: "All that we have."},
		{ID: "grp_2", Name: "Shops", Color: "#b45309", Accounts: all[:2]},
		{ID: "grp_3", Name: "Later", Color: "#8a8f98"},
	}}
	reader := list
	reader.Frame.Writes, reader.Frame.Manages = false, false
	form := f.frame("Edit group", layout.SectionGroups)
	return map[string]templ.Component{
		"groups": groups.List(list), "part-groups": groups.ListPart(list), "groups-reader": groups.List(reader),
		"groups-empty": groups.List(groups.ListModel{Frame: frame, Included: true, Accounts: all}),
		"groups-not-included": groups.List(groups.ListModel{
			Frame: frame, Groups: list.Groups[:1], UpgradeURL: "https://example.org/plans",
		}),
		"group": groups.Form(groups.FormModel{Frame: form, ID: "grp_1", Name: "Shops", Color: "#b45309", Accounts: all}),
		"group-wrong": groups.Form(groups.FormModel{
			Frame: form, Color: groups.DefaultColor(), Errors: map[string]string{groups.FieldName: "Enter a name."},
		}),
	}
}

func (f fixture) keyPages() map[string]templ.Component {
	m := settings.KeysModel{
		Frame: f.frame("API keys", layout.SectionSettings), Zone: f.zone, API: true, Address: "http://localhost:8080/v1",
		Keys: []contract.Key{
			{
				ID: "key_1", Name: "Newsletter script", Scope: "write", Hint: "Zx81kQpM", CreatedAt: *f.in(-100 * time.Hour),
				LastUsedAt: f.in(-time.Hour),
			},
			{ID: "key_2", Name: "Dashboard on the wall", Scope: "read", Hint: "aB3dE5fG", CreatedAt: *f.in(-200 * time.Hour)},
		},
	}
	m.Slug = "bell-rope-studio"
	made := m
	m.Frame = f.several("API keys", layout.SectionSettings)
	made.New = &contract.Key{
		ID: "key_1", Name: "Newsletter script", Scope: "write",
		Key: "belfry_live_Zx81kQpMv7nL2sT9wYb4cD6eF8gH0jK1aBcDeF",
	}
	return map[string]templ.Component{
		"keys": settings.Keys(m), "keys-made": settings.Keys(made),
		"keys-none": settings.Keys(settings.KeysModel{
			Frame: m.Frame, Zone: f.zone, UpgradeURL: "https://example.org/plans",
			Errors: map[string]string{"name": "Give it a name.", "scope": "Choose one."},
		}),
	}
}

func (f fixture) memberPages() map[string]templ.Component {
	m := settings.MembersModel{
		Frame: f.frame("Members", layout.SectionSettings), Zone: f.zone, Now: f.now, Me: "usr_1", Role: core.RoleOwner,
		Members: []contract.Member{
			{
				ID: "usr_1", Name: "Ada Lindqvist", Email: "ada@example.org", Role: "owner", Status: "active",
				CreatedAt: *f.in(-100 * time.Hour),
			},
			{
				ID: "usr_2", Name: "Ben Miller", Email: "ben@example.org", Role: "editor", Status: "invited",
				CreatedAt: *f.in(-time.Hour), ExpiresAt: f.in(167 * time.Hour),
			},
			{
				ID: "usr_3", Name: "Maximiliane von und zu Hohenbuchau", Email: "maximiliane.von.und.zu.hohenbuchau@example.org",
				Role: "viewer", Status: "invited", CreatedAt: *f.in(-200 * time.Hour), ExpiresAt: f.in(-time.Hour),
			},
		},
	}
	made, admin, unsent := m, m, m
	made.New = &contract.Member{
		Email: "ben@example.org", Emailed: true,
		InviteURL: "http://localhost:8080/invitations/Zx81kQpMv7nL2sT9wYb4cD6eF8gH0jK1aBcDeFgHiJk",
	}
	made.Mails, made.Outbox = true, link.Outbox
	unsent.New, unsent.Mails = &contract.Member{Email: made.New.Email, InviteURL: made.New.InviteURL}, true
	admin.Me, admin.Role = "usr_2", core.RoleAdmin
	admin.Errors = map[string]string{
		"email": "This is not an email address.", "name": "The name is too long.",
		"role": "Choose one.",
	}
	w := settings.WorkspaceModel{
		Frame: f.frame("Workspace", layout.SectionSettings), Name: "Bell & Rope",
		Slug: "bell-rope", Zone: "Europe/Berlin",
	}
	wrong := w
	wrong.Errors = map[string]string{"slug": "Another workspace has, or had, this short name.", "tz": "There is no such zone."}
	return map[string]templ.Component{
		"members": settings.Members(m), "members-made": settings.Members(made), "members-admin": settings.Members(admin),
		"members-unsent": settings.Members(unsent),
		"workspace":      settings.Workspace(w), "workspace-wrong": settings.Workspace(wrong),
	}
}

func (f fixture) resets() map[string]templ.Component {
	frame := layout.Frame{Title: "Forgotten password"}
	refused := &contract.Error{Code: "rate_limited", Message: "Too many requests.", Hint: "Wait 9 minutes, then try again."}
	item := auth.OutboxItem{Title: "Fresh rye at 7", Detail: "Harbour Bakery on Threads: Not today", URL: "http://localhost/x"}
	return map[string]templ.Component{
		"forgot": auth.Forgot(auth.ForgotModel{Frame: frame, Mails: true}),
		"forgot-refused": auth.Forgot(auth.ForgotModel{
			Frame: frame, Mails: true, Email: "ada@", Errors: map[string]string{"email": "Enter an email address."}, Refused: refused,
		}),
		"forgot-sent":     auth.Forgot(auth.ForgotModel{Frame: frame, Mails: true, Sent: true, Outbox: link.Outbox}),
		"forgot-operator": auth.Forgot(auth.ForgotModel{Frame: frame}),
		"reset":           auth.Reset(auth.ResetModel{Frame: frame, Token: "token", Email: "ada@example.org"}),
		"reset-refused": auth.Reset(auth.ResetModel{
			Frame: frame, Token: "token", Email: "ada@example.org", Errors: map[string]string{"password": "Choose another."},
			Refused: refused,
		}),
		"no-reset":       auth.NoReset(frame),
		"signin-changed": auth.SignIn(auth.SignInModel{Frame: frame, Changed: true}),
		"signin-ended":   auth.SignIn(auth.SignInModel{Frame: frame, EndedAll: true}),
		"outbox-none":    auth.Outbox(auth.OutboxModel{Frame: frame}),
		"outbox": auth.Outbox(auth.OutboxModel{Frame: frame, Mails: []auth.OutboxMail{
			{
				At: f.now, To: "ben@example.org", Subject: "Ada Lindqvist invited you to Bell & Rope",
				Paragraphs: []string{"Ada Lindqvist invited you to the workspace Bell & Rope on Belfry."},
				Action:     "Join Bell & Rope", ActionURL: "http://localhost/x", Footnote: "The link works once.",
			},
			{
				At: f.now, To: "ada@example.org", Subject: "2 posts failed", Paragraphs: []string{"2 posts failed."},
				Items: []auth.OutboxItem{item, {Title: "and 1 more"}}, Action: "View failed posts", ActionURL: "http://localhost/y",
			},
		}}),
	}
}

func (f fixture) personPages() map[string]templ.Component {
	frame := f.frame("Settings", layout.SectionSettings)
	editor := frame
	editor.Manages = false
	free, owner := core.DefaultPlans()[core.PlanFree], core.DefaultPlans()[core.PlanOwner]
	used := core.Usage{Period: "2026-11", Posts: 30, StorageBytes: 1_700_000_000, Accounts: 1, Members: 1}
	ours, theirs := core.NewID[core.SessionKind](), core.NewID[core.SessionKind]()
	return map[string]templ.Component{
		"profile": settings.Profile(settings.ProfileModel{
			Frame: editor, Role: core.RoleEditor, Name: "Ada", Email: "ada@example.org", Mails: true, Mail: core.MailOwn,
		}),
		"profile-wrong": settings.Profile(settings.ProfileModel{
			Frame: frame, Role: core.RoleOwner, Errors: map[string]string{"name": "Enter a name.", "email": "It is in use."},
		}),
		"security": settings.Security(settings.SecurityModel{
			Frame: frame, Zone: f.zone, Present: ours, Sessions: []core.BrowserSession{
				{ID: ours, Browser: "Firefox/140.0 (Windows)", Since: f.now.Add(-time.Hour), SeenAt: f.now},
				{ID: theirs, Browser: "Version/19.0 Safari/604.1 (iPhone)", Since: f.now.Add(-30 * time.Hour), SeenAt: f.now},
			},
		}),
		"security-wrong": settings.Security(settings.SecurityModel{
			Frame: frame, Zone: f.zone, Errors: map[string]string{"current": "This is not your password.", "new": "Too short."},
		}),
		"appearance": settings.Appearance(editor),
		"plan": settings.Usage(settings.UsageModel{
			Frame: frame, Plan: free, Usage: contract.UsageOf(used, free), Drafts: 85, UpgradeURL: "https://example.org/plans",
		}),
		"plan-unlimited": settings.Usage(settings.UsageModel{Frame: editor, Plan: owner, Usage: contract.UsageOf(used, owner)}),
		"audit-none":     settings.Audit(settings.AuditModel{Frame: frame, Zone: f.zone}),
		"audit":          settings.Audit(f.audit(frame)),
	}
}

func (f fixture) audit(frame layout.Frame) settings.AuditModel {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	return settings.AuditModel{
		Frame: frame, Zone: f.zone, Older: "/w/bell/settings/audit?cursor=7", Filter: link.AuditFilter{User: "usr_1"},
		Members:     []contract.Member{{ID: "usr_1", Name: "Ada Lindqvist"}, {ID: "usr_2", Name: "Ben Miller"}},
		NetworkName: func(core.Platform) string { return "Threads" },
		Entries: []settings.AuditEntry{
			{
				At: f.now, Actor: "session", Name: "Ada Lindqvist", Action: core.AuditMemberChanged, SubjectName: "Ben Miller",
				Before: raw(`{"role":"viewer"}`), After: raw(`{"role":"editor"}`), Address: "192.0.2.7",
			},
			{
				At: f.now, Actor: "api_key", Name: "Ada Lindqvist", Credential: "Newsletter script", Action: core.AuditPostChanged,
				Subject: postID, Before: raw(`{"status":"draft"}`),
				After: raw(`{"status":"queued","publishAt":"2026-12-24T17:00:00Z"}`),
			},
			{At: f.now, Actor: "operator", Action: core.AuditPlanChanged, Before: raw(`{"plan":"free"}`), After: raw(`{"plan":"owner"}`)},
			{At: f.now, Actor: "worker", Action: core.AuditAccessRemoved},
			{
				At: f.now, Actor: "session", Name: "Ben Miller", Action: core.AuditGroupChanged, Subject: "grp_1",
				Before: raw(`{"name":"Bakeries","accounts":["acc_1"]}`), After: raw(`{"accounts":["acc_1","acc_2"],"changed":"accounts"}`),
			},
			{At: f.now, Actor: "session", Action: core.AuditAction("something_new")},
		},
	}
}

func (f fixture) faults() map[string]templ.Component {
	all := map[string]templ.Component{}
	for status, name := range map[int]string{403: "403", 404: "404", 409: "409", 429: "429", 500: "500", 503: "503"} {
		m := errorpage.Model{
			Frame: f.frame("", ""), Status: status, RequestID: "req_01kbmx", Error: contract.Error{Code: "internal"},
			RetryAfter: status % 100 * 3,
		}
		if status >= http.StatusInternalServerError {
			m.Again = m.Frame.Link.Home()
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
			Platform: "threads", Name: "The workshop bell is up. <b>", Detail: "Live", URL: link.Workspace("bell").Post(postID),
		}}},
	}}
	many := layout.PaletteModel{Frame: m.Frame, Query: "harbour", Groups: []layout.PaletteGroup{
		{Name: "Accounts", Entries: []layout.PaletteEntry{{
			Platform: "threads", Name: "Harbour Bakery", Detail: "Threads", URL: link.Workspace("bell").Home(),
		}}},
		{Name: "Posts", Entries: []layout.PaletteEntry{
			{
				Platform: "threads", Name: "The rye bread is back at the harbour. " + long(80) + "…",
				Detail: f.post("queued", "", f.in(26*time.Hour)).StatusLine, URL: link.Workspace("bell").Post(postID),
			},
			{
				Platform: "facebook", Name: "Harbour light", Detail: f.post("draft", "", nil).StatusLine,
				URL: link.Workspace("bell").Post(postID),
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
		layout.SectionPosts: {Count: 1, Words: "failed"}, layout.SectionAccounts: {Count: 2, Words: "to reconnect"},
	}
	attention.Notices = []layout.Notice{
		{Text: "Ada Lindqvist on Threads: access has expired.", Action: "Reconnect", URL: attention.Link.Reconnect(accA)},
		{
			Text: "Old workshop page on Facebook: access was revoked.", Action: "Reconnect", URL: attention.Link.Reconnect(accC),
			Label: "Reconnect Old workshop page on Facebook",
		},
		{Text: "1 post failed.", Action: "View", URL: attention.Link.Posts(link.Filter{Status: "failed"})},
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
		"first-steps":        posts.List(posts.ListModel{Frame: newcomer}),
		"first-steps-editor": posts.List(posts.ListModel{Frame: helper}),
		"design":             design.Page(design.Model{Frame: layout.Frame{Title: "Design"}, Tokens: static.DesignTokens()}),
	}
}

func (f fixture) parts() map[string]templ.Component {
	part, refused := f.compose(), f.compose()
	part.Part, part.Plan = true, f.plan(posts.WhenDraft)
	refused.Part = true
	refused.Plan = posts.PlanModel{When: posts.WhenNow, Refused: &contract.Error{Code: "invalid_request", Message: "No."}}
	live := f.show("live")
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
