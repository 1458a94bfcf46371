package app_test

import (
	"encoding/json"
	"strings"

	"belfry/internal/contract"
)

// Values of which random requests are made: what is common, and what lies about a bound.
var (
	plainTexts = []string{"hello", "hello #bread https://a.example", "äöü 👩‍👩‍👧", strings.Repeat("x", 500)}
	oddTexts   = []string{
		"", " ", strings.Repeat("x", 501), strings.Repeat("é", 251), strings.Repeat("x", 63_207), "a\x00b",
		"https://a.example https://b.example https://c.example https://d.example https://e.example https://f.example",
	}

	usualTimes = []*contract.When{
		{Word: "now"},
		{Word: "draft"},
		nil,
		{PublishAt: "2026-12-01T10:00", Timezone: "UTC"},
		{PublishAt: "2026-10-25T02:30", Timezone: "Europe/Berlin"},
		{PublishAt: "2026-12-01T10:00"},
	}
	oddTimes = []*contract.When{
		{PublishAt: "2026-10-05T08:00", Timezone: "UTC"},
		{PublishAt: "2027-10-07T08:00", Timezone: "UTC"},
		{PublishAt: "2027-03-28T02:30", Timezone: "Europe/Berlin"},
		{PublishAt: "2026-12-01 10:00"},
		{PublishAt: "2026-12-01T10:00", Timezone: "Mars/Base"},
		{Word: "soon"},
	}

	blocks = map[string][]json.RawMessage{
		"threads": raw(`{}`, `{"topicTag":"bread"}`, `{"linkAttachment":"https://a.example"}`, `{"altText":"A bridge"}`,
			`{"replyControl":5}`),
		"facebook": raw(`{}`, `{"contentType":"text"}`, `{"contentType":"photo"}`, `{"contentType":"video"}`,
			`{"contentType":"reels"}`,
			`{"contentType":"stories"}`, `{"link":"https://a.example"}`),
		"youtube": raw(`{}`, `{"visibility":"public"}`),
	}
	oddBlocks = map[string][]json.RawMessage{
		"threads": raw(`{"topictag":"x"}`, `[]`), "facebook": raw(`{"contentType":"reel"}`, `{"link":"ftp://a.example"}`),
		"youtube": raw(`{"visibility":"nobody"}`), "fedbook": raw(`{}`),
	}

	overrides = map[string][]contract.Override{
		"threads": {
			{},
			{Text: new("only there")},
			{Text: new("")},
			{Text: new(strings.Repeat("x", 501))},
			{Title: new("a")},
		},
		"facebook": {{}, {Text: new("")}, {Tags: &[]string{"bread"}}, {Title: new(strings.Repeat("t", 256))}},
	}
	oddOverrides = map[string][]contract.Override{"threads": {{Text: new("\xff")}}, "instagram": {{}}, "fedbook": {{}}}
)

func raw(texts ...string) []json.RawMessage {
	list := make([]json.RawMessage, len(texts))
	for i, text := range texts {
		list[i] = json.RawMessage(text)
	}
	return list
}
