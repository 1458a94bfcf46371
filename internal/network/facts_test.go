package network_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

func TestFactsOfAnAccountAreChecked(t *testing.T) {
	t.Parallel()
	d := limited()
	d.Fields = []network.Field{{
		Name: "audience", Label: "Who can see it", Kind: network.FieldChoice,
		Choices: []network.Choice{{Value: "ALL", Label: "Everyone"}, {Value: "FRIENDS", Label: "Friends"}, {Value: "ME", Label: "Only me"}},
	}, {Name: "silent", Label: "No comments", Kind: network.FieldSwitch}}
	type settings struct {
		Audience string `json:"audience,omitempty"`
		Silent   bool   `json:"silent,omitzero"`
	}
	narrow := map[string][]string{"audience": {"FRIENDS", "ME"}, "silent": {"true"}}
	length := func(ms int64) []core.Media { return []core.Media{film(func(m *core.Media) { m.DurationMs = ms })} }
	quota := func(used int) *core.PostQuota { return &core.PostQuota{Used: used, Limit: 250, Window: 24 * time.Hour} }

	for name, c := range map[string]struct {
		settings string
		media    []core.Media
		facts    core.Facts
		want     []string // codes, or words of the finding
	}{
		"no facts":             {`{"audience": "ALL"}`, length(60_000), core.Facts{}, nil},
		"a choice it offers":   {`{"audience": "ME"}`, nil, core.Facts{Choices: narrow}, nil},
		"nothing chosen":       {`{}`, nil, core.Facts{Choices: narrow}, nil},
		"no settings":          {``, nil, core.Facts{Choices: narrow}, nil},
		"a switch that is on":  {`{"silent": true}`, nil, core.Facts{Choices: narrow}, nil},
		"another setting's":    {`{"audience": "ALL"}`, nil, core.Facts{Choices: map[string][]string{"silent": {"true"}}}, nil},
		"a choice it lacks":    {`{"audience": "ALL"}`, nil, core.Facts{Choices: narrow}, []string{"setting_unavailable"}},
		"in words":             {`{"audience": "ALL"}`, nil, core.Facts{Choices: narrow}, []string{`"Who can see it: Everyone"`}},
		"what it can use":      {`{"audience": "ALL"}`, nil, core.Facts{Choices: narrow}, []string{"Use Friends (FRIENDS) or Only me (ME) for audience."}},
		"no choice at all":     {`{"audience": "ALL"}`, nil, core.Facts{Choices: map[string][]string{"audience": nil}}, []string{"Leave out audience."}},
		"the longest video":    {`{}`, length(15_000), core.Facts{LongestVideoMs: 15_000}, nil},
		"a longer video":       {`{}`, length(15_001), core.Facts{LongestVideoMs: 15_000}, []string{"duration_too_long", "15 seconds"}},
		"too long for anybody": {`{}`, length(90_001), core.Facts{LongestVideoMs: 15_000}, []string{"duration_too_long"}},
		"a photo":              {`{}`, []core.Media{photo(nil)}, core.Facts{LongestVideoMs: 1}, nil},
		"a quota with room":    {`{}`, nil, core.Facts{Quota: quota(224)}, nil},
		"a quota nearly used":  {`{}`, nil, core.Facts{Quota: quota(225)}, []string{"account_limit_near", "225 of the 250 posts that Somewhere allows in 24 hours"}},
		"a blocked account":    {`{}`, nil, core.Facts{Blocked: "Ask the owner."}, []string{"account_blocked", "Ask the owner."}},
		"everything at one time": {
			`{"audience": "ALL"}`, length(20_000),
			core.Facts{Choices: narrow, LongestVideoMs: 15_000, Quota: quota(250), Blocked: "No."},
			[]string{"setting_unavailable", "duration_too_long", "account_limit_near", "account_blocked"},
		},
	} {
		draft := network.Draft{Media: c.media, Settings: json.RawMessage(c.settings), Facts: c.facts}
		issues, warnings := network.CheckDraftAndFactsWith(d, draft, func(_ settings, f *network.Findings) {
			if len(draft.Media) > 0 {
				f.CheckLimits(d, map[core.FileKind]string{core.FileImage: "photo", core.FileVideo: "video"}[draft.Media[0].Kind], draft)
			}
		})
		var said strings.Builder
		codes := map[core.IssueCode]bool{}
		for _, i := range append(issues, warnings...) {
			said.WriteString(string(i.Code) + " " + i.Message + " " + i.Hint + "\n")
			if codes[i.Code] {
				t.Errorf("%s: %s is found twice", name, i.Code)
			}
			codes[i.Code] = true
		}
		if (c.want == nil) != (said.Len() == 0) {
			t.Errorf("%s: want %v, got %q", name, c.want, said.String())
		}
		for _, want := range c.want {
			if !strings.Contains(said.String(), want) {
				t.Errorf("%s: want %q, got %q", name, want, said.String())
			}
		}
	}
}
