package core

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Issue is a reason why the network, the plan or the calendar would refuse a post. It can also be only a warning.
type Issue struct {
	Code    IssueCode
	Message string
	Hint    string
	// Setting is the name of the setting concerned; "" for none.
	Setting string
}

// IssueCode identifies a kind of issue (decisions.md, Issue codes).
type IssueCode string

// IssueText is a row of the table of issues: a code, and formats of its message and hint.
type IssueText struct {
	Code    IssueCode
	message string
	hint    string
	Warning bool
	// messageArgs is how many of the arguments belong to the message; the rest belong to the hint.
	messageArgs int
}

// With returns the issue with its arguments filled in: first the message's, then the hint's.
func (t IssueText) With(args ...any) Issue {
	issue := Issue{
		Code: t.Code, Message: fmt.Sprintf(t.message, args[:t.messageArgs]...),
		Hint: fmt.Sprintf(t.hint, args[t.messageArgs:]...),
	}
	if t.Code == IssueSettingConflict.Code {
		issue.Setting = fmt.Sprint(args[0])
	}
	return issue
}

// AppendTo appends the issue with its arguments to issues, or to warnings if it is a warning.
func (t IssueText) AppendTo(issues, warnings *[]Issue, args ...any) {
	if t.Warning {
		issues = warnings
	}
	*issues = append(*issues, t.With(args...))
}

// WithEllipses returns the message and the hint with an ellipsis for each argument.
func (t IssueText) WithEllipses() (message, hint string) {
	fill := strings.NewReplacer("%s", "…", "%d", "…")
	return fill.Replace(t.message), fill.Replace(t.hint)
}

func newIssue(code IssueCode, messageArgs int, message, hint string) IssueText {
	return IssueText{Code: code, message: message, hint: hint, messageArgs: messageArgs}
}

func newWarning(code IssueCode, messageArgs int, message, hint string) IssueText {
	return IssueText{Code: code, message: message, hint: hint, messageArgs: messageArgs, Warning: true}
}

// The table of issues: every code with its messages and hints. No other place words them. Arguments are given in the
// order in which they occur.
var (
	IssueCaptionTooLong = newIssue("caption_too_long", 3, "The text has %d %s, more than %s allows.",
		"The limit is %d, counted the way the network counts. Shorten the text, or write a separate text for this network.")
	IssueTextRequired = newIssue("text_required", 1, "A post on %s needs text or a file.",
		"Write some text, or add a file.")
	IssueTextNotAllowed = newIssue("text_not_allowed", 1, "This kind of post on %s cannot have text.",
		"Remove the text and tags for this network.")
	IssueTitleTooLong = newIssue("title_too_long", 3, "The title has %d %s, more than %s allows.",
		"The limit is %d.")
	IssueTitleRequired = newIssue("youtube_title_required", 0, "A video on this network needs a title.",
		"Add a title.")
	IssueTagsTooLong = newIssue("tags_too_long", 1, "The tags are longer than %s allows.",
		"The limit is %d characters in total.")
	IssueHashtagsMany = newIssue("hashtags_too_many", 2, "The text has %d hashtags, more than %s allows.",
		"The limit is %d.")
	IssueMentionsTooMany = newIssue("mentions_too_many", 2, "The text mentions %d accounts, more than %s allows.",
		"The limit is %d mentions that begin with @.")
	IssueCharactersUnsupported = newIssue("characters_unsupported", 2, "%s does not allow %s in a text or a title.",
		"Remove or replace these characters, or write a separate text for this network.")
	IssueLinksTooMany = newIssue("links_too_many", 2, "The post has %d different links, more than %s allows.",
		"The limit is %d. A repeated address counts once.")

	IssueMediaRequired = newIssue("media_required", 1, "A post on %s needs a file.", "Add a photo or a video.")
	IssueVideoRequired = newIssue("media_required", 1, "A post on %s needs a video.", "Add a video.")
	IssueMediaNotReady = newIssue("media_not_ready", 1, "The file %s is still being processed.",
		"Wait until it is ready.")
	IssueMediaFailed = newIssue("media_failed", 1, "The file %s cannot be used.",
		"The file's details say why. Fix the file and upload it again.")
	IssueMediaPurged          = newIssue("media_purged", 1, "The content of the file %s was deleted.", "Upload the file again.")
	IssueMediaKindUnsupported = newIssue("media_kind_unsupported", 1,
		"This kind of post on %s does not accept this type of file.", "Choose another file or another kind of post.")
	IssueImagesWithoutVideo = newIssue("media_kind_unsupported", 1,
		"A post on %s needs a video, not only images.", "Use one video, and optionally one image as its thumbnail.")
	IssueMediaCountUnsupported = newIssue("media_count_unsupported", 2,
		"%d is not a valid number of files for this post on %s.", "Use from %d to %d files.")
	IssueMediaMixedUnsupported = newIssue("media_mixed_unsupported", 1,
		"%s does not allow photos and videos in the same post.", "Use only photos, or only videos.")
	IssueThumbnailUnsupported = newIssue("media_mixed_unsupported", 1,
		"A post on %s cannot have these files together.",
		"Use one video, and optionally one image. Turn on the setting that makes the image the thumbnail.")
	IssueMediaUnreachable = newIssue("media_unreachable", 1,
		"%s cannot download files from this server, because its address is not public.",
		"Ask the server's operator to set BELFRY_MEDIA_URL to an https address that the internet can reach.")

	IssueFormatUnsupported = newIssue("format_unsupported", 2, "%s does not accept the format of %s.",
		"It accepts %s; this file is %s.")
	IssueFileTooLarge      = newIssue("file_too_large", 2, "The file %s is too large for %s.", "The limit is %s.")
	IssueAspectUnsupported = newIssue("aspect_unsupported", 2, "%s does not accept the aspect ratio of %s.",
		"The ratio of width to height must be from %s to %s.")
	IssueResolutionUnsupported = newIssue("resolution_unsupported", 2, "%s does not accept the dimensions of %s.",
		"Use from %s to %s pixels.")
	IssueDurationTooShort = newIssue("duration_too_short", 1, "The video is shorter than %s allows.",
		"The minimum is %s.")
	IssueDurationTooLong     = newIssue("duration_too_long", 1, "The video is longer than %s allows.", "The maximum is %s.")
	IssueDurationOverAccount = newIssue("duration_too_long", 1, "The video is longer than %s allows this account.",
		"The maximum for the account is %s.")

	IssueSettingConflict = newIssue("setting_conflict", 2, "The setting %s does not apply to this kind of post on %s.",
		"%s")
	IssueSettingUnavailable = newIssue("setting_unavailable", 1, "This account cannot use the setting %s.", "%s")

	IssueAccountExpired = newIssue("account_expired", 1, "Access to %s has expired.",
		"Reconnect the account in the dashboard, under Accounts.")
	IssueAccountRevoked = newIssue("account_revoked", 1, "Access to %s was revoked.",
		"Reconnect the account in the dashboard, under Accounts.")
	IssueNetworkUnavailable = newIssue("network_unavailable", 1, "%s is not set up on this server.",
		"Ask the server's operator to add the network's credentials.")

	IssueTimeInPast = newIssue("time_in_past", 0, "The time is in the past.", "Choose a later time, or publish now.")
	IssueTimeTooFar = newIssue("time_too_far", 0, "The time is more than "+strconv.Itoa(mostDaysAhead)+" days ahead.",
		"Choose an earlier time.")
	IssueTimeDoesNotExist = newIssue("time_does_not_exist", 1, "This time does not exist in %s.",
		"The clocks go forward at that time. The nearest times are %s and %s.")
	IssueTimeRequired = newIssue("time_required", 0, "A post must have a time before it can be queued.",
		"Choose a time, or publish now.")
	IssueQuotaExceeded = newIssue("quota_exceeded", 2, "This month's quota is used up: %d of %d posts.",
		"Wait until next month, cancel queued posts, or change the plan.")

	IssueTooManyDrafts = newIssue("quota_exceeded", 2, "The workspace has %d of the %d drafts that its plan allows.",
		"Queue or delete drafts, or change the plan.")

	WarnTimeOccursTwice = newWarning("time_occurs_twice", 0, "This time occurs twice on that day.",
		"The first one is used: %s.")
	WarnHashtagsMany = newWarning("hashtags_many", 1, "With this many hashtags, %s may show the post to fewer people.",
		"Use only a few.")
	WarnSameTextRecently = newWarning("same_text_recently", 1, "The same text was posted to %s within the last day.",
		"Networks may reject or hide repeated text.")
	WarnSameTextQueued = newWarning("same_text_recently", 1, "The same text is queued for %s within a day of this time.",
		"Networks may reject or hide repeated text.")
	WarnAccountLimitNear = newWarning("account_limit_near", 4,
		"This account has published %d of the %d posts that %s allows in %s.",
		"A post beyond the limit waits until the network accepts it.")
	WarnAccountBlocked = newWarning("account_blocked", 1, "%s does not currently accept posts from this account.", "%s")
	WarnNotAShort      = newWarning("not_a_short", 0, "This video will not be a Short.",
		"A Short is vertical and at most three minutes long.")
)

// AllIssueTexts returns the whole table, for the API's description and docs/api/errors.md. A code can have several
// texts.
func AllIssueTexts() []IssueText {
	return []IssueText{
		IssueCaptionTooLong, IssueTitleTooLong, IssueTitleRequired, IssueTagsTooLong, IssueHashtagsMany, IssueMentionsTooMany,
		IssueCharactersUnsupported, IssueLinksTooMany,
		IssueTextRequired, IssueTextNotAllowed, IssueMediaRequired,
		IssueVideoRequired, IssueMediaNotReady, IssueMediaFailed, IssueMediaPurged,
		IssueMediaKindUnsupported,
		IssueImagesWithoutVideo, IssueMediaCountUnsupported, IssueMediaMixedUnsupported,
		IssueThumbnailUnsupported, IssueMediaUnreachable,
		IssueFormatUnsupported,
		IssueFileTooLarge, IssueAspectUnsupported, IssueResolutionUnsupported, IssueDurationTooShort, IssueDurationTooLong,
		IssueDurationOverAccount, IssueSettingConflict, IssueSettingUnavailable, IssueAccountExpired, IssueAccountRevoked,
		IssueNetworkUnavailable,
		IssueTimeInPast, IssueTimeTooFar, IssueTimeDoesNotExist, IssueTimeRequired, IssueQuotaExceeded, IssueTooManyDrafts,
		WarnTimeOccursTwice, WarnHashtagsMany, WarnSameTextRecently, WarnSameTextQueued, WarnAccountLimitNear,
		WarnAccountBlocked, WarnNotAShort,
	}
}

// PlanRow is the plan's row for one account: when its post would be published, and its issues.
type PlanRow struct {
	Account   AccountID
	Platform  Platform
	PublishAt time.Time // zero for a draft, and for a time that does not exist
	Issues    []Issue
	Warnings  []Issue
}

// OK reports whether the row has no issues.
func (r PlanRow) OK() bool { return len(r.Issues) == 0 }
