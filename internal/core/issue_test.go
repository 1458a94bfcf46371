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
	addedWarnings = `account_limit_near account_blocked setting_ignored images_converted title_not_published`
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
	"caption_too_long":        {501, "characters", 500},
	"title_too_long":          {101, "characters", 100},
	"tags_too_long":           {500},
	"hashtags_too_many":       {31, 30},
	"mentions_too_many":       {21, 20},
	"characters_unsupported":  {"< or >"},
	"links_too_many":          {6, 5},
	"media_not_ready":         {"a.jpg"},
	"media_failed":            {"a.jpg"},
	"media_purged":            {"a.jpg"},
	"media_count_unsupported": {11, "2 to 10 files"},
	"format_unsupported":      {"a.gif", "JPEG or PNG", "GIF"},
	"file_too_large":          {"a.jpg", "8 MB"},
	"aspect_unsupported":      {"a.jpg", "4:5", "1.91:1"},
	"resolution_unsupported":  {"a.jpg", "at most 1440 × 1800 pixels"},
	"duration_too_short":      {"3 s"},
	"duration_too_long":       {"90 s"},
	"setting_conflict":        {"link", "Take it away."},
	"setting_unavailable":     {"link", "Ask the owner."},
	"setting_ignored":         {"altText", "Each image has its own."},
	"account_expired":         {"Ann"},
	"account_revoked":         {"Ann"},
	"time_does_not_exist":     {"Europe/Berlin", "01:59", "03:00"},
	"quota_exceeded":          {30, 30},
	"time_occurs_twice":       {"Sun 25 Oct 2026, 02:30 CEST"},
	"same_text_recently":      {"Ann"},
	"account_limit_near":      {240, 250, "Network", "24 hours"},
	"account_blocked":         {"Network", "Open the account to see why."},
	"images_converted":        {"a.png and 2 other images"},
}

// checkIssueWords checks that an issue consists of complete sentences that contain all the given words.
func checkIssueWords(t *testing.T, issue core.Issue, words ...any) {
	t.Helper()
	for what, sentence := range map[string]string{"message": issue.Message, "hint": issue.Hint} {
		if sentence == "" || regexp.MustCompile(`[%{}|[]|\]|\bnil\b`).MatchString(sentence) {
			t.Errorf("%s, %s: %q", issue.Code, what, sentence)
		}
		if !strings.HasSuffix(sentence, ".") {
			t.Errorf("%s, %s does not end as a sentence does: %q", issue.Code, what, sentence)
		}
	}
	for _, word := range words {
		if word, ok := word.(string); ok && !strings.Contains(issue.Message+issue.Hint, word) {
			t.Errorf("%s says nothing of %q: %+v", issue.Code, word, issue)
		}
	}
}

func TestEveryIssueReadsAsSentences(t *testing.T) {
	t.Parallel()
	for _, text := range core.AllIssueTexts() {
		issue := text.OnNetwork("Network", issueArguments[text.Code]...)
		if issue.Code != text.Code {
			t.Errorf("%s is called %s", text.Code, issue.Code)
		}
		checkIssueWords(t, issue, issueArguments[text.Code]...)
		account := strings.HasPrefix(string(text.Code), "account_") // has the name only as an argument
		if !account && strings.Contains(issue.Message, "Network") != issue.NamesNetwork() {
			t.Errorf("whether it names the network: %+v", issue)
		}
	}
}

func TestEveryIssueReadsAsSentencesForSeveralNetworks(t *testing.T) {
	t.Parallel()
	joined := 0
	for _, text := range core.AllIssueTexts() {
		args := issueArguments[text.Code]
		first := text.OnNetwork("First", args...)
		if !first.NamesNetwork() {
			continue
		}
		joined++
		issue, ok := first.Join(text.OnNetwork("Second", args...))
		if ok {
			issue, ok = issue.Join(text.OnNetwork("Third", args...))
		}
		if !ok {
			t.Errorf("%s is not the same on three networks", text.Code)
		}
		checkIssueWords(t, issue, "First, Second ", " Third")
		if again, ok := issue.Join(text.OnNetwork("Second", args...)); !ok || again.Message != issue.Message {
			t.Errorf("another account changes %+v", issue)
		}
		if strings.Contains(issue.Hint, " on First") {
			t.Errorf("the same limit is given for each network: %+v", issue)
		}
	}
	if joined < 20 {
		t.Errorf("only %d issues name a network", joined)
	}
}

func TestJoinedIssues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		issues        []core.Issue
		message, hint string
	}{
		"a limit for each network": {
			[]core.Issue{
				core.IssueCaptionTooLong.OnNetwork("One", 2501, "bytes", 500), core.IssueCaptionTooLong.OnNetwork("Two", 2500, "characters", 2200),
			},
			"The text is too long for One and Two.",
			"The limit is 500 on One and 2,200 on Two, by each network's own count. Shorten the text, or write a " +
				"separate text for these networks.",
		},
		"a limit that some of the networks share": {
			[]core.Issue{
				core.IssueCaptionTooLong.OnNetwork("One", 2501, "bytes", 500), core.IssueCaptionTooLong.OnNetwork("Two", 2500, "characters", 2200),
				core.IssueCaptionTooLong.OnNetwork("Three", 2501, "characters", 2200),
			},
			"The text is too long for One, Two and Three.",
			"The limit is 500 on One, and 2,200 on Two and Three, by each network's own count. Shorten the text, or " +
				"write a separate text for these networks.",
		},
		"from least to most": {
			[]core.Issue{
				core.IssueMediaCountUnsupported.OnNetwork("One", 40, "2 to 10 files"),
				core.IssueMediaCountUnsupported.OnNetwork("Two", 40, "2 to 20 files"),
				core.IssueMediaCountUnsupported.OnNetwork("Three", 40, "2 to 35 files"),
			},
			"40 is not a valid number of files for this post on One, Two or Three.",
			"Use 2 to 10 files on One, 2 to 20 files on Two and 2 to 35 files on Three.",
		},
		"a file of the same format": {
			[]core.Issue{
				core.IssueFormatUnsupported.OnNetwork("One", "{network} 100%s.gif", "JPEG", "GIF"),
				core.IssueFormatUnsupported.OnNetwork("Two", "{network} 100%s.gif", "JPEG or PNG", "GIF"),
			},
			"One and Two do not accept the format of {network} 100%s.gif.",
			"They accept JPEG on One and JPEG or PNG on Two; this file is GIF.",
		},
		"no network": {
			[]core.Issue{core.IssueTimeInPast.OnNetwork("One"), core.IssueTimeInPast.OnNetwork("Two")},
			"The time is in the past.", "Choose a later time, or publish now.",
		},
	} {
		got := c.issues[0]
		for _, other := range c.issues[1:] {
			joined, ok := got.Join(other)
			if !ok {
				t.Fatalf("%s: not joined: %+v", name, other)
			}
			got = joined
		}
		if got.Message != c.message || got.Hint != c.hint {
			t.Errorf("%s: %q, %q", name, got.Message, got.Hint)
		}
	}
}

func TestIssuesForDifferentReasonsAreNotJoined(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]core.Issue{
		"another rule": {core.IssueMediaRequired.OnNetwork("One"), core.IssueTextRequired.OnNetwork("Two")},
		"other words":  {core.IssueMediaRequired.OnNetwork("One"), core.IssueVideoRequired.OnNetwork("Two")},
		"another file": {core.IssueFileTooLarge.OnNetwork("One", "a.jpg", "8 MB"), core.IssueFileTooLarge.OnNetwork("Two", "b.jpg", "8 MB")},
		"another codec": {
			core.IssueFormatUnsupported.OnNetwork("One", "a.mp4", "video in H.264", "VP9"),
			core.IssueFormatUnsupported.OnNetwork("Two", "a.mp4", "audio in AAC", "MP3"),
		},
		"another account": {core.IssueAccountExpired.WithoutNetwork("Ann"), core.IssueAccountExpired.WithoutNetwork("Ben")},
		"another limit of an account": {
			core.IssueDurationOverAccount.OnNetwork("One", "60 s"), core.IssueDurationOverAccount.OnNetwork("One", "90 s"),
		},
		"a form's own words": {core.Issue{Message: "Choose a day."}, core.Issue{Message: "Choose a time."}},
	} {
		if got, ok := pair[0].Join(pair[1]); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestIssuesFillTheirArgumentsInOrder(t *testing.T) {
	t.Parallel()
	got := core.IssueCaptionTooLong.OnNetwork("Network", 501, "characters", 500)
	if got.Code != "caption_too_long" || got.Message != "The text has 501 characters, more than Network allows." ||
		got.Hint != "The limit is 500, by the network's own count. Shorten the text, or write a separate text for "+
			"this network." {
		t.Errorf("%+v", got)
	}
}

func TestIssuesSeparateThousands(t *testing.T) {
	t.Parallel()
	got := core.IssueCaptionTooLong.OnNetwork("Network", 64000, "characters", 63206)
	if !strings.Contains(got.Message, "64,000 characters") || !strings.Contains(got.Hint, "63,206,") {
		t.Errorf("%+v", got)
	}
}

func TestRowIsFineWithWarnings(t *testing.T) {
	t.Parallel()
	if row := (core.PlanRow{Warnings: []core.Issue{core.WarnNotAShort.WithoutNetwork()}}); !row.OK() {
		t.Error("a warning stands against the row")
	}
	if row := (core.PlanRow{Issues: []core.Issue{core.IssueTimeRequired.WithoutNetwork()}}); row.OK() {
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
