package core

import (
	"strconv"
	"strings"
	"time"
)

// Issue is a reason why the network, the plan or the calendar would refuse a post, or only a warning.
type Issue struct {
	Code    IssueCode
	Message string
	Hint    string
	// Setting is the name of the setting concerned; "" for none.
	Setting string

	text     IssueText
	args     []any    // of the message and the hint, without those of limits
	networks []string // the networks that Message names
	limits   []string // what the hint says about each of these networks: the words in {each: …}
	reason   wording  // identifies what is wrong: the words for several networks, without the networks and limits
}

// String returns the message and the hint, if there is one, as one text.
func (i Issue) String() string { return strings.TrimSpace(i.Message + " " + i.Hint) }

// IssueCode identifies a kind of issue (decisions.md, Issue codes).
type IssueCode string

// The table of issues: every code with its messages and hints. They are worded only here. Arguments are passed in the
// order in which they occur in the message and the hint; issue_text.go explains the marks.
var (
	IssueCaptionTooLong = newIssue("caption_too_long",
		"[The text has %d %s, more than {network} allows|The text is too long for {network}].",
		"The limit is {each: %d}, by [the|each] network's own count. Shorten the text, or write a separate text for "+
			"[this network|these networks].")
	IssueTextRequired = newIssue("text_required", "A post on {any network} needs text or a file.",
		"Write some text, or add a file.")
	IssueTextOrLinkRequired = newIssue("text_required", "A post on {any network} needs text, a link or a file.",
		"Write some text, or add a link or a file.")
	IssueTextNotAllowed = newIssue("text_not_allowed", "This kind of post on {any network} cannot have text.",
		"Remove the text and tags for [this network|these networks].")
	IssueTitleTooLong = newIssue("title_too_long",
		"[The title has %d %s, more than {network} allows|The title is too long for {network}].",
		"The limit is {each: %d}.")
	IssueTitleRequired = newIssue("youtube_title_required", "A video on {any network} needs a title.",
		"Add a title.")
	IssueTagsTooLong = newIssue("tags_too_long", "The tags are longer than {network} [allows|allow].",
		"The limit is {each: %d characters in total}.")
	IssueHashtagsMany = newIssue("hashtags_too_many", "The text has %d hashtags, more than {network} [allows|allow].",
		"The limit is {each: %d}.")
	IssueMentionsTooMany = newIssue("mentions_too_many",
		"The text mentions %d accounts, more than {network} [allows|allow].",
		"The limit is {each: %d mentions that begin with @}.")
	IssueCharactersUnsupported = newIssue("characters_unsupported",
		"{network} [does|do] not allow %s in text or titles.",
		"Remove or replace these characters, or write a separate text for [this network|these networks].")
	IssueLinksTooMany = newIssue("links_too_many",
		"The post has %d different links, more than {network} [allows|allow].",
		"The limit is {each: %d}. A repeated address counts once.")

	IssueMediaRequired  = newIssue("media_required", "A post on {any network} needs a file.", "Add photos or a video.")
	IssueKindNeedsMedia = newIssue("media_required", "This kind of post on {any network} needs a file.",
		"Add a file, or choose another kind of post.")
	IssueVideoRequired  = newIssue("media_required", "A post on {any network} needs a video.", "Add a video.")
	IssueMediaUploading = newIssue("media_not_ready", "Belfry does not have the whole file %s yet.",
		"If you have not uploaded the file, upload it. Then wait until it is ready.")
	IssueMediaNotReady = newIssue("media_not_ready", "The file %s is still being processed.",
		"Wait until it is ready.")
	IssueMediaFailed = newIssue("media_failed", "The file %s cannot be used.",
		"The file's details show the reason. Fix the problem, and add the file again.")
	IssueMediaPurged = newIssue("media_purged",
		"The content of the file %s was deleted.", "Upload the file again.")
	IssueMediaKindUnsupported = newIssue("media_kind_unsupported",
		"This kind of post on {any network} does not accept this type of file.", "Choose another file or another kind of post.")
	IssueKindWithoutMedia = newIssue("media_kind_unsupported", "This kind of post on {any network} cannot have files.",
		"Remove the files, or choose another kind of post.")
	IssueImagesWithoutVideo = newIssue("media_kind_unsupported",
		"A post on {any network} needs a video, not only images.", "Use one video, and optionally one image as its thumbnail.")
	IssueMediaCountUnsupported = newIssue("media_count_unsupported",
		"%d is not a valid number of files for this post on {any network}.", "Use {each: %s}.")
	IssueMediaMixedUnsupported = newIssue("media_mixed_unsupported",
		"{network} [does|do] not allow photos and videos in the same post.", "Use only photos, or only one video.")
	IssueKindWithoutPhotos = newIssue("media_mixed_unsupported", "This kind of post on {any network} cannot have photos.",
		"Remove the photos, or choose another kind of post.")
	IssueKindWithoutVideos = newIssue("media_mixed_unsupported", "This kind of post on {any network} cannot have videos.",
		"Remove the videos, or choose another kind of post.")
	IssueThumbnailUnsupported = newIssue("media_mixed_unsupported",
		"A post on {any network} cannot combine these files.",
		"Use one video. To add one image, turn on the setting that uses the image as the thumbnail.")
	IssueMediaUnreachable = newIssue("media_unreachable",
		"{network} cannot download files from this server, because the server has no public https address.",
		"Ask the server's operator to set BELFRY_MEDIA_URL to an https address that is reachable from the internet.")

	IssueFormatUnsupported = newIssue("format_unsupported", "{network} [does|do] not accept the format of %s.",
		"[It accepts|They accept] {each: %s}; this file is %s.")
	IssueEncodingUnsupported = newIssue("format_unsupported", "{network} [does|do] not accept the encoding of %s.",
		"[It accepts|They accept] {each: %s}; this file has %s.")
	IssueFileTooLarge = newIssue("file_too_large",
		"The file %s is too large for {network}.", "The limit is {each: %s}.")
	IssueAspectUnsupported = newIssue("aspect_unsupported", "{network} [does|do] not accept the aspect ratio of %s.",
		"The ratio of width to height must be {each: from %s to %s}.")
	IssueResolutionUnsupported = newIssue("resolution_unsupported",
		"{network} [does|do] not accept the dimensions of %s.",
		"The file must be {each: %s}.")
	IssueDurationTooShort = newIssue("duration_too_short", "The video is shorter than {network} [allows|allow].",
		"The minimum is {each: %s}.")
	IssueDurationTooLong = newIssue("duration_too_long",
		"The video is longer than {network} [allows|allow].", "The maximum is {each: %s}.")
	IssueDurationOverAccount = newIssue("duration_too_long", "The video is longer than {network} [allows for this account|allow for these accounts].",
		"The maximum for the [account|accounts] is {each: %s}.")

	IssueSettingConflict = newIssue("setting_conflict",
		"The setting %s is not valid for this post on {any network}.", "%s").
		takingSettingFromFirstArg()
	IssueSettingUnavailable = newIssue("setting_unavailable", "This account cannot use the setting %s.", "%s")

	IssueAccountExpired = newIssue("account_expired", "Access to %s has expired.",
		"Reconnect the account in the dashboard, under Accounts.")
	IssueAccountRevoked = newIssue("account_revoked", "Belfry no longer has access to %s.",
		"Connect the account again in the dashboard, under Accounts.")
	IssueNetworkUnavailable = newIssue("network_unavailable", "{network} [is|are] not set up on this server.",
		"Ask the server's operator to add [the network's|the networks'] credentials.")

	IssueTimeInPast = newIssue("time_in_past", "The time is in the past.", "Choose a later time, or publish now.")
	IssueTimeTooFar = newIssue("time_too_far", "The time is more than "+strconv.Itoa(mostDaysAhead)+" days ahead.",
		"Choose an earlier time.")
	IssueTimeDoesNotExist = newIssue("time_does_not_exist", "This time does not exist in %s.",
		"The clocks go forward at that time. The nearest times are %s and %s.")
	IssueTimeRequired = newIssue("time_required", "A post must have a time before it can be queued.",
		"Choose a time, or publish now.")
	IssueQuotaExceeded = newIssue("quota_exceeded", "The workspace has used %d of this month's %d posts.",
		hintFreePostSlots)
	IssueTooManyDrafts = newIssue("quota_exceeded", "The workspace has %d drafts. The limit is %d.",
		"Queue or delete drafts, or change the subscription plan.")

	WarnImagesConverted = newWarning("images_converted", "Belfry sends %s to {network} in JPEG format.",
		"Transparent areas become white. The file in the library does not change.")

	WarnTimeOccursTwice = newWarning("time_occurs_twice", "The clocks go back on that day, so this time occurs twice.",
		"Belfry uses the first of the two times: %s.")
	WarnSettingIgnored = newWarning("setting_ignored",
		"The setting %s is not used for this kind of post on {any network}.", "%s").
		takingSettingFromFirstArg()
	WarnHashtagsMany = newWarning("hashtags_many", "With this many hashtags, {network} may show the post to fewer people.",
		"Use fewer hashtags.")
	WarnSameTextRecently = newWarning("same_text_recently", "The same text was posted to %s within the last day.",
		"Networks may reject or hide repeated text.")
	WarnSameTextQueued = newWarning("same_text_recently", "The same text is queued for %s within a day of this time.",
		"Networks may reject or hide repeated text.")
	WarnAccountLimitNear = newWarning("account_limit_near",
		"This account has published %d of the %d posts that %s allows in %s.",
		"A post beyond the limit waits until the network accepts it.")
	WarnAccountBlocked    = newWarning("account_blocked", "%s does not currently accept posts from this account.", "%s")
	WarnTitleNotPublished = newWarning("title_not_published",
		"{network} [does|do] not show a title with this kind of post.", "To publish the title, add it to the text.")
	WarnNotAShort = newWarning("not_a_short", "This video will not be a Short.",
		"A Short is square or vertical, and at most three minutes long.")
)

// HintReplacePurgedFile is the hint of IssueMediaPurged for a failed post, whose files cannot be changed.
const HintReplacePurgedFile = "Upload the file again, duplicate the post, and use the new file in the duplicate."

// AllIssueTexts returns the whole table of issues, for the API's description and docs/api/errors.md. A code can have
// several texts.
func AllIssueTexts() []IssueText {
	return []IssueText{
		IssueCaptionTooLong, IssueTitleTooLong, IssueTitleRequired, IssueTagsTooLong, IssueHashtagsMany, IssueMentionsTooMany,
		IssueCharactersUnsupported, IssueLinksTooMany,
		IssueTextRequired, IssueTextOrLinkRequired, IssueTextNotAllowed, IssueMediaRequired,
		IssueKindNeedsMedia, IssueVideoRequired, IssueMediaUploading, IssueMediaNotReady, IssueMediaFailed, IssueMediaPurged,
		IssueMediaKindUnsupported, IssueKindWithoutMedia,
		IssueImagesWithoutVideo, IssueMediaCountUnsupported, IssueMediaMixedUnsupported, IssueKindWithoutPhotos,
		IssueKindWithoutVideos, IssueThumbnailUnsupported, IssueMediaUnreachable,
		IssueFormatUnsupported, IssueEncodingUnsupported,
		IssueFileTooLarge, IssueAspectUnsupported, IssueResolutionUnsupported, IssueDurationTooShort, IssueDurationTooLong,
		IssueDurationOverAccount, IssueSettingConflict, IssueSettingUnavailable, IssueAccountExpired, IssueAccountRevoked,
		IssueNetworkUnavailable,
		IssueTimeInPast, IssueTimeTooFar, IssueTimeDoesNotExist, IssueTimeRequired, IssueQuotaExceeded, IssueTooManyDrafts,
		WarnImagesConverted,
		WarnTimeOccursTwice, WarnSettingIgnored, WarnHashtagsMany, WarnSameTextRecently, WarnSameTextQueued,
		WarnAccountLimitNear, WarnAccountBlocked, WarnTitleNotPublished, WarnNotAShort,
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
