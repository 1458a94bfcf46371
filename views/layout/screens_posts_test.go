package layout_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/static"
	"belfry/views/calendar"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
	postpreview "belfry/views/preview"
	"belfry/views/ui"
)

func (f fixture) lists() map[string]templ.Component {
	frame := f.frame("Posts", layout.SectionPosts)
	frame.Notices = []layout.Notice{{
		Text: "Threads, Ada Lindqvist: the connection has expired.", Action: "Reconnect",
		URL: frame.Link.Accounts(),
	}}
	rows := []posts.Row{}
	add := func(p core.Post) {
		row := posts.Row{
			Post: record(p), Account: p.AccountName, Network: networkNames[p.Platform], Editable: p.Allows(core.ActEdit, f.now),
			BulkActs: slices.DeleteFunc(core.Acts(), func(a core.Act) bool { return !p.AllowsInBulk(a, f.now) }),
		}
		row.ID = fmt.Sprintf("%s%d", postID[:len(postID)-1], len(rows))
		rows = append(rows, row)
	}
	add(f.post("queued",
		"The workshop bell is up. Come and hear it ring at noon on Saturday, rain or shine, and bring a friend who has never heard one from the inside.", f.now.Add(26*time.Hour)))
	add(f.post("queued", "Small things we learnt from casting bronze this week", f.now.Add(50*time.Hour)))
	page := onFacebook(f.post("failed", "New opening hours from Monday", f.now.Add(-2*time.Hour)))
	page.NextTryAt = f.now.Add(4 * time.Minute)
	add(page)
	add(onFacebook(f.post("live", "מזל טוב! הפעמון החדש מצלצל", f.now.Add(-26*time.Hour))))
	add(f.post("live", "Behind the scenes: how a bell gets its note 🔔", f.now.Add(-50*time.Hour)))
	add(f.post("draft", "", time.Time{}))
	rows[1].Files, rows[5].Files = f.files()[1:2], f.files()
	replaced := rows[2]
	replaced.ID, replaced.ReplacedBy = postID[:len(postID)-1]+"9", rows[3].ID
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
	together := posts.ListModel{
		Frame: f.frame("3 posts at Sat 21 Nov 2026, 18:00 CET (Europe/Berlin)", layout.SectionCalendar), Zone: f.zone,
		Now: f.now, Rows: slices.Clone(rows[:2]),
	}
	for i := range together.Rows {
		together.Rows[i].PublishAt = f.in(7*time.Hour + 55*time.Minute)
	}
	ofDay := together
	ofDay.Calendar = &link.Calendar{View: link.ViewDay, Date: "2026-11-21"}
	return map[string]templ.Component{
		"posts-together": posts.Together(together, 3, together.Frame.Link.Calendar(link.Calendar{}), posts.BackToCalendar), "posts-of-day": posts.Together(ofDay, 2, ofDay.Frame.Link.Calendar(*ofDay.Calendar), posts.BackToCalendar),
		"posts": list(func(m *posts.ListModel) {
			m.Frame, m.Rows, m.Next, m.Counts = frame, rows[:2], "abc", counts
			m.Frame.Flash = &layout.Flash{
				Tone: ui.ToneWarn, Text: "12 posts moved; 2 could not be moved:",
				Points: []string{"2 posts: The time is in the past. Choose a later time, or choose Send now."},
				URL:    frame.Link.Calendar(link.Calendar{}), Label: "View in the calendar",
				Action: &ui.Action{ID: "undo", URL: frame.Link.UndoPostChange(), Label: "Undo"},
			}
		}),
		"posts-all": list(func(m *posts.ListModel) {
			m.Rows, m.Counts, m.Filter.Status = append(slices.Clip(rows), replaced), counts, link.AllPosts
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
			m.Elsewhere = map[string]int{"": 3, "draft": 2, "live": 1}
		}),
		"posts-search": list(func(m *posts.ListModel) {
			m.Rows, m.Filter = append(slices.Clip(rows[:2]), rows[3]), link.Filter{Status: link.AllPosts, Query: "from"}
		}),
		"posts-drafts": list(func(m *posts.ListModel) {
			m.Filter.Status, m.Counts, m.Rows = "draft", counts, slices.Clone(rows[5:])
			m.Rows[0].Selected = true
			m.Schedule = posts.ScheduleInput{At: "2026-11-30T09:00", Apart: true, Every: "2", Hours: true, Open: true}
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
		"calendar-day-nothing": func(m *calendar.Model) {
			m.Shown.View, m.Days = link.ViewDay, m.Days[7:8]
			m.Days[0].ClockChange = time.Hour
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
	all["part-calendar-together"] = calendar.TogetherPart(together)
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
	today.Posts, today.Total, today.HasFailed = append(today.Posts, several), 20, true
	chosen := *today
	m.Chosen = &chosen
	return m
}

func (f fixture) files() []posts.File {
	return []posts.File{
		{ID: "med_1", Name: "bell-at-noon.jpg", Thumbnail: static.URL("icon.svg")},
		{ID: "med_2", Name: "casting-day-with-a-rather-long-name-that-goes-on-and-on.mp4", Video: true, Length: 83 * time.Second},
		{ID: "med_3", Name: "old.png", Trouble: "Deleted", Broken: true},
	}
}

const showText = "The workshop bell is up.\n\nCome and hear it ring at noon on Saturday, rain or shine.\nhttps://example.org/bell"

// show is the page of a post for somebody who may write, with the actions that the post allows.
func (f fixture) show(p core.Post) posts.ShowModel {
	m := posts.ShowModel{
		Frame: f.frame("Post", layout.SectionPosts), Post: record(p), Account: p.AccountName, Network: networkNames[p.Platform],
		Zone: f.zone, PostZone: f.zone, At: "2026-11-22T12:05", Settings: []posts.Setting{{Label: "Topic", Value: "bells"}},
		NextTry: p.NextTryAt, Held: p.Held, Asking: p.Asking, AskAt: p.AskAt, PrepareAt: p.PrepareAt,
		Acts:   slices.DeleteFunc(core.Acts(), func(a core.Act) bool { return !p.Allows(a, f.now) }),
		Events: []contract.Event{{Kind: "created", At: *f.in(-time.Hour)}},

		RetryableOnceReconnected: p.IsRetryableOnceReconnected(),
	}
	if !p.ReplacedBy.IsZero() {
		m.ReplacedBy = p.ReplacedBy.String()
	}
	if p.Status != core.PostDraft {
		m.Events = append(m.Events, contract.Event{Kind: "queued", At: *f.in(-time.Hour)})
	}
	if p.Status == core.PostLive || p.Status == core.PostFailed {
		m.Events = append(m.Events, contract.Event{Kind: "publishing", At: *f.in(0)})
	}
	if p.Status == core.PostFailed {
		m.Events = append(m.Events, contract.Event{Kind: "failed", At: *f.in(time.Second), Message: p.Error.Message})
	}
	return m
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
	toCome := f.post("queued", showText, f.now.Add(26*time.Hour))
	due := f.post("failed", showText, f.now)

	prepared := toCome
	prepared.PrepareAt = f.now.Add(25 * time.Hour)
	queued := f.show(prepared)
	queued.Preview = f.preview()

	published := f.post("live", showText, f.now)
	published.Attempts, published.ExternalID = 1, "18040000000000000"
	live := f.show(published)
	live.LiveURL = "http://localhost:8080/sandbox/www.threads.net/@ada/post/x"
	live.Frame.Flash = &layout.Flash{Tone: ui.ToneGood, Text: "1 post is live."}
	live.Events = append(live.Events, contract.Event{Kind: "live", At: *f.in(2 * time.Second), Message: "Threads shows it."})

	failed := due
	failed.Error = &core.PostError{
		Code: "network_error", Message: "(#2) An unexpected error has occurred. Please retry your request later.",
		Hint: "The network could not answer. Nothing was published.",
	}
	copied := failed
	copied.ReplacedBy, _ = core.ParseID[core.PostKind](postID[:len(postID)-1] + "9")
	replaced := f.show(copied)
	failed.NextTryAt = f.now.Add(4 * time.Minute)
	failing := f.show(failed)
	failing.Events[3].Notes = []string{"code 2, fbtrace_id AbCdEf"}
	failing.Events = append(failing.Events, contract.Event{Kind: "retriedByWorker", At: *f.in(4 * time.Minute)})

	unconfirmed := due
	unconfirmed.Error = &core.PostError{Code: core.ErrorOutcomeUnknown, Message: "Threads did not respond."}
	unknown := f.show(unconfirmed)
	unknown.Refused = &contract.Error{
		Code: "outcome_unknown", Message: "Belfry does not know whether this post was published to Ada Lindqvist.",
		Hint: "Check the account on its network, then answer the question on the post's page.",
	}
	unknown.ProfileURL = "https://www.example.org/@ada"

	asked := f.post("queued", showText, f.now)
	asked.Asking, asked.AskAt, asked.Busy = true, f.now.Add(90*time.Second), true
	throttled := f.post("queued", showText, f.now)
	throttled.Held, throttled.NextTryAt = true, f.now.Add(40*time.Minute)

	lost := due
	lost.AccountStatus = core.AccountRevoked
	lost.Error = &core.PostError{
		Code: "account_revoked", Message: "Threads revoked access to Ada Lindqvist.", Hint: "Reconnect the account.",
	}
	ofEditor := f.show(lost)
	ofEditor.Frame.Manages, ofEditor.AccountTrouble = false, "Ada Lindqvist on Threads: access was revoked."
	notSetUp := ofEditor
	notSetUp.Frame.Manages, notSetUp.NotSetUp = true, true
	revoked := ofEditor
	revoked.Frame.Manages, revoked.Reconnect = true, revoked.Frame.Link.ReconnectForPost(postID)
	toFail := toCome
	toFail.AccountStatus = core.AccountRevoked
	waiting := f.show(toFail)
	waiting.AccountTrouble, waiting.Reconnect = revoked.AccountTrouble, waiting.Frame.Link.Reconnect(accA)
	waiting.OnHold = "the database was restored from a backup"

	private := f.show(f.post("live", showText, f.now))
	private.NoLink, private.ProfileURL = "Threads provides links only for public posts.", "https://www.example.org/@ada"

	draft := f.show(f.post("draft", "", time.Time{}))
	draft.Files = f.files()
	return map[string]templ.Component{
		"post-queued": posts.Show(queued), "post-live": posts.Show(live), "post-failing": posts.Show(failing), "post-replaced": posts.Show(replaced),
		"post-unknown": posts.Show(unknown), "post-held": posts.Show(f.show(throttled)), "post-asking": posts.Show(f.show(asked)),
		"post-draft": posts.Show(draft), "post-revoked": posts.Show(revoked), "post-revoked-editor": posts.Show(ofEditor),
		"post-revoked-not-set-up": posts.Show(notSetUp),
		"post-obstacles":          posts.Show(waiting), "post-without-link": posts.Show(private),
		"post-delete": layout.Confirm(layout.ConfirmModel{
			Frame: f.frame("Delete", layout.SectionPosts), Title: "Delete this post?",
			Subject: "The workshop bell is up.", About: record(f.post("draft", "", time.Time{})).StatusLine,
			Points: []string{"Its text, settings and timeline are deleted permanently."},
			Action: queued.Frame.Link.DeletePost(postID), Button: "Delete post", Keep: "Keep post",
			Back: queued.Frame.Link.Post(postID),
		}),
	}
}
