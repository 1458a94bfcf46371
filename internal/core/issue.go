package core

import (
	"fmt"
	"strings"
	"time"
)

// Issue is something that a network, the plan or the calendar would refuse, or a warning about it.
type Issue struct {
	Code    IssueCode
	Message string
	Hint    string
}

// IssueCode names a kind of issue (decisions.md, Issue codes).
type IssueCode string

// IssueText is one row of the table of issues: its code, and its message and hint as formats.
type IssueText struct {
	Code    IssueCode
	message string
	hint    string
	Warning bool
	// messageArgs of the arguments belong to the message; the rest are the hint's.
	messageArgs int
}

// With fills in the row: first the message's arguments, then the hint's.
func (t IssueText) With(args ...any) Issue {
	return Issue{Code: t.Code, Message: fmt.Sprintf(t.message, args[:t.messageArgs]...), Hint: fmt.Sprintf(t.hint, args[t.messageArgs:]...)}
}

// Words are the message and the hint with an ellipsis where a figure or a name will stand.
func (t IssueText) Words() (message, hint string) {
	fill := strings.NewReplacer("%s", "…", "%d", "…")
	return fill.Replace(t.message), fill.Replace(t.hint)
}

func issue(code IssueCode, messageArgs int, message, hint string) IssueText {
	return IssueText{Code: code, message: message, hint: hint, messageArgs: messageArgs}
}

func warning(code IssueCode, messageArgs int, message, hint string) IssueText {
	return IssueText{Code: code, message: message, hint: hint, messageArgs: messageArgs, Warning: true}
}

// The table of issues: every code with its messages and hints, here and nowhere else. Arguments are
// given in the order in which they stand.
var (
	IssueCaptionTooLong        = issue("caption_too_long", 3, "The text has %d %s, more than %s takes.", "At most %d, counted as that network counts. Shorten the text or give this network its own.")
	IssueTextRequired          = issue("text_required", 1, "A post on %s without files needs a text.", "Write a text or add a file.")
	IssueTextNotAllowed        = issue("text_not_allowed", 1, "This kind of post on %s carries no text.", "Take the text and the tags away for this network.")
	IssueTitleTooLong          = issue("title_too_long", 3, "The title has %d %s, more than %s takes.", "At most %d.")
	IssueTitleRequired         = issue("youtube_title_required", 0, "A video needs a title here.", "Write a title.")
	IssueTagsTooLong           = issue("tags_too_long", 1, "The tags are longer than %s takes.", "At most %d characters in all.")
	IssueHashtagsMany          = issue("hashtags_too_many", 2, "The text has %d hashtags, more than %s takes.", "At most %d.")
	IssueMentionsTooMany       = issue("mentions_too_many", 2, "The text mentions %d accounts, more than %s takes.", "At most %d names after an @.")
	IssueCharactersUnsupported = issue("characters_unsupported", 2, "%s takes no %s in a text or a title.", "Write it in words, or give this network its own text.")
	IssueLinksTooMany          = issue("links_too_many", 2, "The post has %d different links, more than %s takes.", "At most %d; the same address counts once.")

	IssueMediaRequired         = issue("media_required", 1, "A post on %s needs a file.", "Add a photo or a video.")
	IssueMediaNotReady         = issue("media_not_ready", 1, "The file %s is still being worked on.", "Wait until it is ready.")
	IssueMediaFailed           = issue("media_failed", 1, "The file %s cannot be used.", "Its record says why in `failReason`: mend that and upload it again.")
	IssueMediaPurged           = issue("media_purged", 1, "The bytes of the file %s were removed.", "Upload it again.")
	IssueMediaKindUnsupported  = issue("media_kind_unsupported", 1, "This kind of post on %s takes no such file.", "Choose another file or another kind of post.")
	IssueMediaCountUnsupported = issue("media_count_unsupported", 2, "%d files do not make a post on %s.", "From %d to %d files.")
	IssueMediaMixedUnsupported = issue("media_mixed_unsupported", 1, "%s does not mix photos and videos in one post.", "Use one kind.")

	IssueFormatUnsupported     = issue("format_unsupported", 2, "%s does not take %s as it is.", "It takes %s; this is %s.")
	IssueFileTooLarge          = issue("file_too_large", 2, "The file %s is too large for %s.", "At most %s.")
	IssueAspectUnsupported     = issue("aspect_unsupported", 2, "%s does not take the shape of %s.", "Width to height from %s to %s.")
	IssueResolutionUnsupported = issue("resolution_unsupported", 2, "%s does not take the size of %s.", "From %s to %s pixels.")
	IssueDurationTooShort      = issue("duration_too_short", 1, "The video is shorter than %s takes.", "At least %s.")
	IssueDurationTooLong       = issue("duration_too_long", 1, "The video is longer than %s takes.", "At most %s.")

	IssueSettingConflict    = issue("setting_conflict", 2, "The setting %s does not go with this kind of post on %s.", "%s")
	IssueSettingUnavailable = issue("setting_unavailable", 1, "This account cannot use the setting %s.", "%s")

	IssueAccountExpired     = issue("account_expired", 1, "The connection to %s has expired.", "Reconnect it in the dashboard, Accounts.")
	IssueAccountRevoked     = issue("account_revoked", 1, "The connection to %s was withdrawn.", "Reconnect it in the dashboard, Accounts.")
	IssueNetworkUnavailable = issue("network_unavailable", 1, "%s is not set up on this server.", "Ask its operator to enter the network's credentials.")

	IssueTimeInPast       = issue("time_in_past", 0, "The time is past.", "Choose a later time, or send it now.")
	IssueTimeTooFar       = issue("time_too_far", 0, "The time is more than 366 days ahead.", "Choose an earlier time.")
	IssueTimeDoesNotExist = issue("time_does_not_exist", 1, "Clocks in %s skip this time.", "The clocks go forward then: the nearest times are %s and %s.")
	IssueTimeRequired     = issue("time_required", 0, "A post needs a time to be queued.", "Give it `when`: \"now\" or a local time.")
	IssueQuotaExceeded    = issue("quota_exceeded", 2, "The month's quota is used up: %d of %d posts.", "Wait for the next month, cancel what is queued, or change the plan.")

	IssueTooManyDrafts = issue("quota_exceeded", 2, "The workspace has %d of the %d drafts that its plan allows.", "Queue or delete drafts, or change the plan.")

	WarnTimeOccursTwice  = warning("time_occurs_twice", 0, "Clocks show this time twice that day.", "The first one is meant: %s.")
	WarnHashtagsMany     = warning("hashtags_many", 1, "So many hashtags can make %s show the post to fewer people.", "A few are enough.")
	WarnSameTextRecently = warning("same_text_recently", 1, "The same text went to %s within the last day.", "Networks may refuse or hide a repeated text.")
	WarnSameTextQueued   = warning("same_text_recently", 1, "The same text is queued for %s within a day of this time.", "Networks may refuse or hide a repeated text.")
	WarnNotAShort        = warning("not_a_short", 0, "This video will not be a Short.", "A Short is vertical and at most three minutes long.")
)

// Issues lists the whole table, in which a code may have several wordings, for the API's description and docs/api/errors.md.
func Issues() []IssueText {
	return []IssueText{
		IssueCaptionTooLong, IssueTitleTooLong, IssueTitleRequired, IssueTagsTooLong, IssueHashtagsMany, IssueMentionsTooMany, IssueCharactersUnsupported, IssueLinksTooMany,
		IssueTextRequired, IssueTextNotAllowed, IssueMediaRequired, IssueMediaNotReady, IssueMediaFailed, IssueMediaPurged,
		IssueMediaKindUnsupported, IssueMediaCountUnsupported, IssueMediaMixedUnsupported, IssueFormatUnsupported,
		IssueFileTooLarge, IssueAspectUnsupported, IssueResolutionUnsupported, IssueDurationTooShort, IssueDurationTooLong,
		IssueSettingConflict, IssueSettingUnavailable, IssueAccountExpired, IssueAccountRevoked, IssueNetworkUnavailable,
		IssueTimeInPast, IssueTimeTooFar, IssueTimeDoesNotExist, IssueTimeRequired, IssueQuotaExceeded, IssueTooManyDrafts,
		WarnTimeOccursTwice, WarnHashtagsMany, WarnSameTextRecently, WarnSameTextQueued, WarnNotAShort,
	}
}

// PlanRow is what the plan says of one account: when its post would go out and what stands against it.
type PlanRow struct {
	Account   AccountID
	Platform  Platform
	PublishAt time.Time // zero for a draft, and for a time that does not exist
	Issues    []Issue
	Warnings  []Issue
}

// OK tells whether nothing stands against the row.
func (r PlanRow) OK() bool { return len(r.Issues) == 0 }
