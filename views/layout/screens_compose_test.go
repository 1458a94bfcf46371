package layout_test

import (
	"fmt"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/static"
	"belfry/views/layout"
	"belfry/views/posts"
)

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
		return posts.Cause{Input: posts.FieldText, Issue: core.IssueCaptionTooLong.OnNetwork(row.Network, has, unit, limit)}
	}
	wrong.Plan.AddOrMergeCause(tooLong(wrong.Plan.Rows[0], 620, "bytes", 500), wrong.Plan.Rows[0])
	wrong.Plan.AddOrMergeCause(tooLong(wrong.Plan.Rows[1], 618, "characters", 600), wrong.Plan.Rows[1])
	wrong.Plan.AddOrMergeCause(posts.Cause{
		Warning: true, Input: posts.FieldText, Issue: core.WarnSameTextRecently.WithoutNetwork("Bell & Rope"),
	}, wrong.Plan.Rows[1])
	wrong.Refused = &contract.Error{
		Code: "plan_has_issues", Message: "The post cannot be published as it is.",
		Hint: "Fix the problems below and try again.",
	}
	wrong.Errors = map[string]string{
		"account": "Choose at least one account.", "text": "The text is too long.", "at": "The time is in the past.",
		posts.OverrideFieldName("facebook", posts.FieldText): "The text is too long.",
		posts.SettingFieldName("facebook", "link"):           "Enter an address that begins with https://.",
		posts.SettingFieldName("facebook", "contentType"):    "Add a file for this type.",
	}

	edit := f.compose()
	edit.PostID, edit.Accounts, edit.Networks = postID, edit.Accounts[:1], edit.Networks[:1]
	edit.Beside = posts.Beside{Total: 3, URL: "/w/bell/calendar/posts/" + postID, Posts: []posts.OtherPost{
		{Account: "Ada Lindqvist", Network: "Facebook", URL: edit.Frame.Link.Post(postID)},
	}}
	edit.Files, edit.Library = f.files(), []posts.File{{ID: "med_4", Name: "rope.jpg"}}
	edit.Errors = map[string]string{posts.FieldMedia: "rope.heic cannot be used."}
	edit.Values = posts.Values{
		Text: "A draft", When: posts.WhenDraft, Alts: map[string]string{"med_1": "A bell"},
	}
	edit.Plan = f.plan(posts.WhenDraft)
	edit.Plan.Rows = edit.Plan.Rows[:1]

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
	converted.Accounts[1].Name = converted.Accounts[0].Name
	converted.Files = []posts.File{{ID: "med_1", Name: "harbour.png", Thumbnail: static.URL("icon.svg")}}
	converted.Values.Text, converted.Plan = "The harbour at noon.", f.plan(posts.WhenNow)
	for _, row := range converted.Plan.Rows {
		converted.Plan.AddOrMergeCause(posts.Cause{
			Warning: true, Input: posts.FieldMedia, Issue: core.WarnImagesConverted.OnNetwork(row.Network, "harbour.png"),
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

func long(n int) string {
	text := ""
	for len(text) < n {
		text += "A bell is known by its strike note and by the long hum that stays. "
	}
	return text[:n]
}
