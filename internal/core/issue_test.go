package core_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
)

// decisions.md, Issue codes.
const (
	issueCodes = `caption_too_long title_too_long youtube_title_required tags_too_long hashtags_too_many links_too_many
		text_required text_not_allowed media_required media_not_ready media_failed media_purged media_kind_unsupported
		media_count_unsupported media_mixed_unsupported format_unsupported file_too_large aspect_unsupported
		resolution_unsupported duration_too_short duration_too_long setting_conflict setting_unavailable account_expired
		account_revoked network_unavailable time_in_past time_too_far time_does_not_exist time_required quota_exceeded`
	// Codes that the networks made necessary since: they refuse what the decisions have no word for.
	addedCodes    = `mentions_too_many characters_unsupported media_unreachable`
	warningCodes  = `time_occurs_twice hashtags_many same_text_recently not_a_short`
	addedWarnings = `account_limit_near account_blocked`
)

func TestIssuesAreThoseOfTheDecisions(t *testing.T) {
	t.Parallel()
	want := map[core.IssueCode]bool{} // whether it is a warning
	for code := range strings.FieldsSeq(issueCodes + " " + addedCodes) {
		want[core.IssueCode(code)] = false
	}
	for code := range strings.FieldsSeq(warningCodes + " " + addedWarnings) {
		want[core.IssueCode(code)] = true
	}
	seen, worded := map[core.IssueCode]bool{}, map[string]bool{}
	for _, text := range core.AllIssueTexts() {
		message, _ := text.WithEllipses()
		if worded[message] {
			t.Errorf("%s is in the table twice", text.Code)
		}
		seen[text.Code], worded[message] = true, true
		warning, known := want[text.Code]
		if !known {
			t.Errorf("%s is in the table and not among the decisions", text.Code)
		}
		if warning != text.Warning {
			t.Errorf("%s: warning %v", text.Code, text.Warning)
		}
	}
	for code := range want {
		if !seen[code] {
			t.Errorf("%s is decided and not in the table", code)
		}
	}
}

// The arguments that callers give, by type and in order: first the message's, then the hint's.
var issueArguments = map[core.IssueCode][]any{
	"caption_too_long":        {501, "characters", "Network", 500},
	"title_too_long":          {101, "characters", "Network", 100},
	"tags_too_long":           {"Network", 500},
	"hashtags_too_many":       {31, "Network", 30},
	"mentions_too_many":       {21, "Network", 20},
	"characters_unsupported":  {"Network", "< or >"},
	"links_too_many":          {6, "Network", 5},
	"text_required":           {"Network"},
	"text_not_allowed":        {"Network"},
	"media_required":          {"Network"},
	"media_not_ready":         {"a.jpg"},
	"media_failed":            {"a.jpg"},
	"media_purged":            {"a.jpg"},
	"media_kind_unsupported":  {"Network"},
	"media_count_unsupported": {11, "Network", 2, 10},
	"media_mixed_unsupported": {"Network"},
	"media_unreachable":       {"Network"},
	"format_unsupported":      {"Network", "a.gif", "JPEG or PNG", "GIF"},
	"file_too_large":          {"a.jpg", "Network", "8 MB"},
	"aspect_unsupported":      {"Network", "a.jpg", "4:5", "1.91:1"},
	"resolution_unsupported":  {"Network", "a.jpg", "320 × 320", "1440 × 1800"},
	"duration_too_short":      {"Network", "3 s"},
	"duration_too_long":       {"Network", "90 s"},
	"setting_conflict":        {"link", "Network", "Take it away."},
	"setting_unavailable":     {"link", "Ask the owner."},
	"account_expired":         {"Ann"},
	"account_revoked":         {"Ann"},
	"network_unavailable":     {"Network"},
	"time_does_not_exist":     {"Europe/Berlin", "01:59", "03:00"},
	"quota_exceeded":          {30, 30},
	"time_occurs_twice":       {"Sun 25 Oct 2026, 02:30 CEST"},
	"hashtags_many":           {"Network"},
	"same_text_recently":      {"Ann"},
	"account_limit_near":      {240, 250, "Network", "24 hours"},
	"account_blocked":         {"Network", "Open the account to see why."},
}

func TestEveryIssueReadsAsSentences(t *testing.T) {
	t.Parallel()
	leftOver := regexp.MustCompile(`%|\bnil\b`)
	for _, text := range core.AllIssueTexts() {
		issue := text.With(issueArguments[text.Code]...)
		if issue.Code != text.Code {
			t.Errorf("%s is called %s", text.Code, issue.Code)
		}
		for what, sentence := range map[string]string{"message": issue.Message, "hint": issue.Hint} {
			if sentence == "" || leftOver.MatchString(sentence) {
				t.Errorf("%s, %s: %q", text.Code, what, sentence)
			}
			if !strings.HasSuffix(sentence, ".") {
				t.Errorf("%s, %s does not end as a sentence does: %q", text.Code, what, sentence)
			}
		}
		for _, argument := range issueArguments[text.Code] {
			if word, ok := argument.(string); ok && !strings.Contains(issue.Message+issue.Hint, word) {
				t.Errorf("%s says nothing of %q: %+v", text.Code, word, issue)
			}
		}
	}
}

func TestIssuesFillTheirArgumentsInOrder(t *testing.T) {
	t.Parallel()
	got := core.IssueCaptionTooLong.With(501, "characters", "Network", 500)
	want := core.Issue{
		Code: "caption_too_long", Message: "The text has 501 characters, more than Network allows.",
		Hint: "The limit is 500, counted the way the network counts. Shorten the text, or write a separate text for this network.",
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestRowIsFineWithWarnings(t *testing.T) {
	t.Parallel()
	if row := (core.PlanRow{Warnings: []core.Issue{core.WarnNotAShort.With()}}); !row.OK() {
		t.Error("a warning stands against the row")
	}
	if row := (core.PlanRow{Issues: []core.Issue{core.IssueTimeRequired.With()}}); row.OK() {
		t.Error("an issue does not stand against the row")
	}
}

func TestIssueOfAnAccount(t *testing.T) {
	t.Parallel()
	for status, want := range map[core.AccountStatus]core.IssueCode{
		core.AccountExpired: "account_expired", core.AccountRevoked: "account_revoked",
	} {
		issue := core.Account{Status: status, DisplayName: "Ann"}.Issue()
		if issue == nil || issue.Code != want || !strings.Contains(issue.Message, "Ann") {
			t.Errorf("%s: %+v", status, issue)
		}
	}
	if issue := (core.Account{Status: core.AccountOK}).Issue(); issue != nil {
		t.Errorf("ok: %+v", issue)
	}
}

func TestIssueOfAFile(t *testing.T) {
	t.Parallel()
	purged := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for want, m := range map[core.IssueCode]core.Media{
		"media_not_ready": {Name: "a.jpg", Status: core.MediaProcessing},
		"media_failed":    {Name: "a.jpg", Status: core.MediaFailed},
		"media_purged":    {Name: "a.jpg", Status: core.MediaReady, PurgedAt: purged},
	} {
		if issue := m.Issue(); issue == nil || issue.Code != want || !strings.Contains(issue.Message, "a.jpg") {
			t.Errorf("%s: %+v", want, issue)
		}
	}
	if issue := (core.Media{Status: core.MediaReady}).Issue(); issue != nil {
		t.Errorf("ready: %+v", issue)
	}
}
