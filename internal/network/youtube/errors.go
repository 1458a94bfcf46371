package youtube

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"belfry/internal/network"
)

// apiError is an error of the Data API.
type apiError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Errors  []struct {
		Reason string `json:"reason"`
	} `json:"errors"`
	Details []struct {
		Reason string `json:"reason"`
	} `json:"details"`
}

// firstReasonOrStatus returns the first reason of the error, or its status if it has none.
func (e apiError) firstReasonOrStatus() string {
	for _, entry := range append(e.Errors, e.Details...) {
		if entry.Reason != "" {
			return entry.Reason
		}
	}
	return e.Status
}

// newAPIError returns the error in an unsuccessful response, or an Unknown error if the response has none.
func newAPIError(resp *network.Response, now time.Time) *network.Error {
	var out struct {
		Error *apiError `json:"error"`
	}
	body := bytes.TrimSpace(resp.Body)
	if after, ok := bytes.CutPrefix(body, []byte("[")); ok { // some responses are a list of one error
		body = bytes.TrimSuffix(after, []byte("]"))
	}
	if json.Unmarshal(body, &out) != nil || out.Error == nil ||
		out.Error.Message == "" && out.Error.firstReasonOrStatus() == "" {
		return resp.AttachRedactedTo(network.Error{Kind: network.Unknown, Message: "YouTube responded in an unexpected way."})
	}
	reason, message := out.Error.firstReasonOrStatus(), out.Error.Message
	meaning, known := reasons[reason]
	switch {
	case strings.Contains(message, "per day"): // a 429 that is not a short throttle
		meaning = quotaUsed
	case !known:
		meaning = meaningOfStatus(resp.Status)
	}
	e := meaning.NewError(reason, message)
	if meaning.Kind == network.RateLimited {
		e.Scope, e.RetryAfter = meaning.Scope, cmp.Or(resp.RetryAfter(now), meaning.Wait)
		if meaning.Daily {
			e.RetryAfter = timeUntilQuotaResets(now)
		}
	}
	return resp.AttachRedactedTo(e)
}

// newTokenError returns the error in an unsuccessful response of the token endpoint.
func newTokenError(resp *network.Response, now time.Time) *network.Error {
	var out struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(resp.Body, &out) != nil || out.Code == "" {
		return resp.AttachRedactedTo(network.Error{Kind: network.Unknown, Message: "Google responded in an unexpected way."})
	}
	meaning := meaningOfStatus(resp.Status)
	e := network.Error{
		Kind: meaning.Kind, Code: out.Code, Message: cmp.Or(out.Description, out.Code), Hint: hintConnect,
	}
	known, isKnown := tokenReasons[out.Code]
	switch {
	case isKnown && known.Actor == network.ActorOperator:
		e = known.NewError(e.Code, e.Message)
	case meaning.Kind == network.RateLimited:
		e.Hint, e.RetryAfter = meaning.Hint, cmp.Or(resp.RetryAfter(now), meaning.Wait)
	case meaning.Kind == network.Transient:
		e.Hint = meaning.Hint
	default:
		e.Kind = network.Rejected
	}
	return resp.AttachRedactedTo(e)
}

// convertRefreshError turns a refusal to renew a token into an Expired or Revoked error, or a Transient one if
// Google refuses this server instead of the grant.
func convertRefreshError(err error, t network.Token, now time.Time) error {
	e, ok := errors.AsType[*network.Error](err)
	switch {
	case !ok || e.Kind != network.Rejected:
		return err
	case e.Code != "invalid_grant":
		e.Kind = network.Transient
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		e.Kind, e.Hint = network.Expired, hintReconnect
	default:
		e.Kind, e.Hint = network.Revoked, hintReconnect
	}
	return e
}

const (
	hintLater     = "Belfry will try again."
	hintFailing   = "YouTube has a temporary problem. If the post still fails, try again later."
	hintReconnect = "Reconnect the account."
	hintConnect   = "Connect the account again."
	hintQuota     = "This server's Google Cloud project has used up its quota. Publishing to YouTube resumes when the quota resets, at midnight in Los Angeles."
	hintUnknown   = "Check the post, and the channel on YouTube, before you send the post again."
	hintChannel   = "Open YouTube Studio to see what is wrong with the channel."
	hintProject   = "Ask the server's operator to check the server's Google Cloud project."
	hintReport    = "This is a bug in Belfry. Ask the server's operator to report it."
)

// Meanings that several reasons share.
var (
	failing   = network.ErrorMeaning{Kind: network.Transient, Hint: hintFailing}
	throttled = network.ErrorMeaning{
		Kind:  network.RateLimited,
		Hint:  hintLater,
		Scope: network.ScopeApp,
		Wait:  time.Minute,
	}
	perUser = network.ErrorMeaning{
		Kind: network.RateLimited, Hint: hintLater, Scope: network.ScopeAccount, Wait: time.Minute,
	}
	perThumbnail = network.ErrorMeaning{
		Kind: network.RateLimited, Hint: hintLater, Scope: network.ScopeAccount, Wait: time.Minute, AfterLive: true,
	}
	quotaUsed    = network.ErrorMeaning{Kind: network.RateLimited, Hint: hintQuota, Scope: network.ScopeApp, Daily: true}
	tokenLapsed  = network.ErrorMeaning{Kind: network.Lapsed, Hint: "Belfry renews the access token and tries again."}
	accessLost   = network.ErrorMeaning{Kind: network.Revoked, Hint: hintReconnect}
	unexplained  = network.ErrorMeaning{Kind: network.Rejected, Hint: hintUnknown}
	badChannel   = network.ErrorMeaning{Kind: network.Rejected, Hint: hintChannel, Actor: network.ActorOwner}
	badProject   = network.ErrorMeaning{Kind: network.Rejected, Hint: hintProject, Actor: network.ActorOperator}
	badThumbnail = network.ErrorMeaning{
		Kind: network.Rejected, Hint: "Set the thumbnail in YouTube Studio.", AfterLive: true,
	}
	badPlaylist = network.ErrorMeaning{
		Kind: network.Rejected, Hint: "Add the video to a playlist in YouTube Studio.", AfterLive: true,
	}
	serviceBug  = network.ErrorMeaning{Kind: network.Rejected, Hint: hintReport, Actor: network.ActorOperator}
	wrongClient = network.ErrorMeaning{
		Kind: network.Rejected, Actor: network.ActorOperator, Connecting: true,
		Hint: "Ask the server's operator to check BELFRY_" + varClientID + " and BELFRY_" + varClientSecret + ".",
	}
)

// reasons holds the meanings of YouTube's error reasons.
var reasons = map[string]network.ErrorMeaning{
	"internalError": failing, "backendError": failing,

	"rateLimitExceeded": throttled, "RESOURCE_EXHAUSTED": throttled, "userRateLimitExceeded": perUser,
	"uploadRateLimitExceeded": perThumbnail, "quotaExceeded": quotaUsed, "dailyLimitExceeded": quotaUsed,
	"uploadLimitExceeded": {
		Kind: network.RateLimited, Scope: network.ScopeAccount, Wait: 24 * time.Hour,
		Hint: "The channel has reached YouTube's daily upload limit. Belfry will try again.",
	},

	"authError": tokenLapsed, "UNAUTHENTICATED": tokenLapsed,
	"youtubeSignupRequired": accessLost, "authorizationRequired": accessLost, "insufficientPermissions": accessLost,
	"ACCESS_TOKEN_SCOPE_INSUFFICIENT": accessLost,

	"invalidTitle":            newContentMeaning("Correct the title in a copy of the post."),
	"invalidDescription":      newContentMeaning("The video's description comes from the text of the post. Correct the text in a copy of the post."),
	"invalidTags":             newContentMeaning("Correct the tags in a copy of the post."),
	"invalidCategoryId":       newContentMeaning("Choose another category in a copy of the post."),
	"invalidRecordingDetails": newContentMeaning("Correct the recording date in a copy of the post."),
	"invalidVideoMetadata":    newContentMeaning("Correct the title, text, tags or settings in a copy of the post."),
	"forbiddenLicenseSetting": newContentMeaning("Choose another license in a copy of the post."),
	"forbiddenPrivacySetting": newContentMeaning("Choose another visibility in a copy of the post."),

	"forbidden": badChannel, "authenticatedUserAccountClosed": badChannel, "authenticatedUserAccountSuspended": badChannel,
	"authenticatedUserNotChannel": badChannel, "channelClosed": badChannel, "channelSuspended": badChannel,
	"accountDelegationForbidden": badChannel,

	"accessNotConfigured": badProject, "keyInvalid": badProject,

	"invalidImage": badThumbnail, "imageFormatUnsupported": badThumbnail, "imageTooTall": badThumbnail, "imageTooWide": badThumbnail,
	"failedPrecondition": badThumbnail,

	"playlistNotFound": badPlaylist, "playlistContainsMaximumNumberOfVideos": badPlaylist, "playlistItemsNotAccessible": badPlaylist,
	"playlistOperationUnsupported": badPlaylist, "videoAlreadyInAnotherSeriesPlaylist": badPlaylist, "manualSortRequired": badPlaylist,
	"invalidContentDetails": badPlaylist, "invalidPlaylistItemPosition": badPlaylist, "invalidResourceType": badPlaylist,
	"channelIdRequired": badPlaylist, "playlistIdRequired": badPlaylist, "resourceIdRequired": badPlaylist,
	codeVideoNotFound: {
		Kind: network.Transient, Hint: "Check the channel on YouTube: the video may have been deleted.", AfterLive: true,
	},

	"missingRequiredParameter": serviceBug, "unexpectedParameter": serviceBug, "invalidPageToken": serviceBug,
	"invalidFilters": serviceBug, "incompatibleParameters": serviceBug,
	// These concern parts of a request that Belfry does not send or always sends.
	"invalidFilename": serviceBug, "invalidPublishAt": serviceBug, "invalidVideoGameRating": serviceBug,
	"defaultLanguageNotSet": serviceBug, "mediaBodyRequired": serviceBug,
}

// newContentMeaning returns the meaning of a refusal that the author can avoid.
func newContentMeaning(hint string) network.ErrorMeaning {
	return network.ErrorMeaning{Kind: network.Rejected, Hint: hint}
}

// tokenReasons holds the meanings of the token endpoint's errors.
var tokenReasons = map[string]network.ErrorMeaning{
	"invalid_grant": {
		Kind: network.Rejected, Hint: hintConnect, Actor: network.ActorOwner, Connecting: true,
	},
	"invalid_client": wrongClient, "unauthorized_client": wrongClient, "deleted_client": wrongClient,
}

// listDocumentedErrors returns all reasons, sorted.
func listDocumentedErrors() []network.DocumentedError {
	var all []network.DocumentedError
	for reason, meaning := range reasons {
		all = append(all, network.DocumentedError{Code: reason, ErrorMeaning: meaning})
	}
	for code, meaning := range tokenReasons {
		all = append(all, network.DocumentedError{Code: code, ErrorMeaning: meaning})
	}
	network.SortDocumentedErrors(all)
	return all
}

// meaningOfStatus returns the meaning of an error with an unknown reason.
func meaningOfStatus(status int) network.ErrorMeaning {
	switch {
	case status == http.StatusUnauthorized:
		return tokenLapsed
	case status == http.StatusTooManyRequests:
		return throttled
	case status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		return failing
	}
	return unexplained
}
