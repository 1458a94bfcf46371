package tiktok

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Waits after a throttle. TikTok does not say how long a throttle lasts.
const (
	minuteWait = time.Minute
	// capWait is the wait after a 24-hour limit is reached. Another post may be allowed in less than 24 hours.
	capWait = time.Hour
)

// Hints that several codes share.
const (
	hintLater      = "TikTok has a temporary problem. If the post still fails, try again later."
	hintThrottled  = "TikTok is temporarily refusing further requests. Belfry will try again."
	hintCap        = "The account has reached TikTok's 24-hour limit on posts. Belfry will try again."
	hintParameter  = "Something in this post is not allowed. Correct it in a copy of the post."
	hintUnknown    = "Check the post, and the account on TikTok, before you send the post again."
	hintReconnect  = "Reconnect the account in the dashboard, under Accounts."
	hintPermission = "Reconnect the account and leave every permission selected."
	hintOperator   = "The server's credentials for TikTok are wrong. Ask the server's operator to correct them."
	hintBanned     = "TikTok does not allow this account to post. Open the account on TikTok to see why."
	hintCode       = "The sign-in took too long or was completed twice. Connect the account again."
	hintConnect    = "TikTok has a temporary problem. Connect the account again later."
	hintApp        = "This server's app is not set up correctly on TikTok. Ask the server's operator to check the app."
	hintReport     = "This is a bug in Belfry. Ask the server's operator to report it."
	hintPull       = "TikTok could not download the files from this server. If the post still fails, try again later."
	hintSpam       = "TikTok treats this post as spam. Change the text in a copy of the post, and post less often for a while."
	hintPicture    = "In a copy of the post, use images of up to 1080 × 1920 or 1920 × 1080 pixels, or a video of 360 to 4096 pixels on each side."
	hintFile       = "In a copy of the post, replace the file with one that TikTok accepts."
	hintFormat     = "In a copy of the post, replace the file with an MP4 or MOV video, or with JPEG or WebP images."
	hintDuration   = "In a copy of the post, replace the file with a video of at most 10 minutes. Some accounts have a lower limit."
	hintFrameRate  = "In a copy of the post, replace the file with a video that has 23 to 60 frames per second."
)

const (
	codeInvalidGrant = "invalid_grant"
	codeAuthRemoved  = "auth_removed" // the owner withdrew access after TikTok had accepted the post
)

// errorTable holds the codes of the API and of the token endpoint.
var errorTable = map[string]network.ErrorMeaning{
	"invalid_param":  {Kind: network.Rejected, Hint: hintParameter},
	"invalid_params": {Kind: network.Rejected, Hint: hintParameter},
	"invalid_publish_id": {
		Kind: network.Rejected,
		Hint: "This upload no longer exists on TikTok. Before you send the post again, make sure that it is not already on the account.",
	},
	"token_not_authorized_for_specified_publish_id": {
		Kind: network.Rejected, Actor: network.ActorOwner,
		Hint: "The upload belongs to another account. Reconnect the account that this post is for.",
	},
	"invalid_file_upload": {Kind: network.Rejected, Hint: hintFile},
	"app_version_check_failed": {
		Kind: network.Rejected, Actor: network.ActorOwner,
		Hint: "Ask the account's owner to update the TikTok app, and then retry the post.",
	},
	"access_token_invalid":    {Kind: network.Lapsed, Hint: hintReconnect},
	"scope_not_authorized":    {Kind: network.Revoked, Hint: hintPermission},
	"scope_permission_missed": {Kind: network.Revoked, Hint: hintPermission},

	"spam_risk_too_many_posts": {
		Kind: network.RateLimited, Hint: hintCap, Wait: capWait, Scope: network.ScopeAccount,
	},
	"spam_risk_too_many_pending_share": {
		Kind: network.RateLimited, Hint: hintCap, Wait: capWait, Scope: network.ScopeAccount,
	},
	"reached_active_user_cap": {
		Kind: network.RateLimited, Wait: capWait, Scope: network.ScopeApp,
		Hint: "This server's TikTok app has reached the 24-hour limit on the number of accounts that can post. Belfry will try again.",
	},
	"rate_limit_exceeded": {
		Kind: network.RateLimited, Hint: hintThrottled, Wait: minuteWait, Scope: network.ScopeAccount,
	},
	"spam_risk_user_banned_from_posting": {Kind: network.Rejected, Hint: hintBanned, Actor: network.ActorOwner},
	"unaudited_client_can_only_post_to_private_accounts": {
		Kind: network.Rejected, Actor: network.ActorOperator,
		Hint: "TikTok has not audited this server's app yet. Until it has, make the account private on TikTok and, " +
			"in a copy of the post, choose “Only me” under “Who can see the post”. Ask the server's operator about the audit.",
	},
	"url_ownership_unverified": {
		Kind: network.Rejected, Actor: network.ActorOperator,
		Hint: "TikTok has not verified the server's address for files. Ask the server's operator to verify the address.",
	},
	"privacy_level_option_mismatch": {
		Kind: network.Rejected,
		Hint: "The account does not allow this audience. In a copy of the post, choose another audience under " +
			"“Who can see the post”.",
	},
	"internal_error": {Kind: network.Transient, Hint: hintLater},

	codeInvalidGrant:            newConnectingMeaning(network.Rejected, network.ActorOwner, hintCode),
	"invalid_request":           newConnectingMeaning(network.Rejected, network.ActorOwner, "Connect the account again."),
	"access_denied":             newConnectingMeaning(network.Rejected, network.ActorOwner, "Connect the account again, and allow access."),
	"invalid_scope":             newConnectingMeaning(network.Rejected, network.ActorOperator, hintApp),
	"invalid_client":            newConnectingMeaning(network.Rejected, network.ActorOperator, hintOperator),
	"unauthorized_client":       newConnectingMeaning(network.Rejected, network.ActorOperator, hintApp),
	"unsupported_grant_type":    newConnectingMeaning(network.Rejected, network.ActorOperator, hintReport),
	"unsupported_response_type": newConnectingMeaning(network.Rejected, network.ActorOperator, hintReport),
	"server_error":              newConnectingMeaning(network.Transient, network.ActorOwner, hintConnect),
	"temporarily_unavailable":   newConnectingMeaning(network.Transient, network.ActorOwner, hintConnect),
}

// newConnectingMeaning returns the meaning of a code of the token endpoint.
func newConnectingMeaning(kind network.ErrorKind, actor network.Actor, hint string) network.ErrorMeaning {
	return network.ErrorMeaning{Kind: kind, Actor: actor, Hint: hint, Connecting: true}
}

// listDocumentedErrors returns the codes and the reasons why TikTok gives up on a post, sorted.
func listDocumentedErrors() []network.DocumentedError {
	var all []network.DocumentedError
	for code, meaning := range errorTable {
		all = append(all, network.DocumentedError{Code: code, ErrorMeaning: meaning})
	}
	for reason, f := range failures {
		if _, known := errorTable[reason]; !known { // a reason that is also a code has the same meaning
			meaning := network.ErrorMeaning{Kind: f.equivalentErrorKind(reason), Hint: f.hint}
			all = append(all, network.DocumentedError{Code: reason, ErrorMeaning: meaning})
		}
	}
	network.SortDocumentedErrors(all)
	return all
}

// meaningOf returns the meaning of a code. For an unknown code, the HTTP status decides.
func meaningOf(code string, status int) network.ErrorMeaning {
	r, known := errorTable[code]
	switch {
	case known:
		return r
	case status == http.StatusTooManyRequests:
		return errorTable["rate_limit_exceeded"]
	case status >= http.StatusInternalServerError:
		return errorTable["internal_error"]
	}
	return network.ErrorMeaning{Kind: network.Rejected, Hint: hintUnknown}
}

// apiFault is the error in the API's envelope.
type apiFault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	LogID   string `json:"log_id"`
}

// newAPIError returns the error for a refusal, with TikTok's message. The code decides, whatever the status.
func (n *Network) newAPIError(resp *network.Response, f apiFault) *network.Error {
	r := meaningOf(f.Code, resp.Status)
	e := r.NewError(f.Code, cmp.Or(f.Message, f.Code))
	e.Trace, e.Scope = f.LogID, r.Scope
	if r.Kind == network.RateLimited {
		e.RetryAfter = cmp.Or(resp.RetryAfter(n.env.Now()), r.Wait)
	}
	return resp.AttachRedactedTo(e)
}

// decodeResponse decodes the body of a response. A body that does not decode is an Unknown error.
func decodeResponse(resp *network.Response, into any) error {
	if err := json.Unmarshal(resp.Body, into); err != nil {
		return resp.AttachRedactedTo(
			network.Error{Kind: network.Unknown, Message: "TikTok sent a response that Belfry cannot read."},
		)
	}
	return nil
}

// postJSON posts a JSON body to the API and decodes the data of the response.
func (n *Network) postJSON(ctx context.Context, token network.Secret, path string, body, into any) error {
	return n.callAPI(ctx, network.Request{Method: http.MethodPost, URL: apiURL + path, JSON: body, Token: token}, into)
}

// callAPI calls the API and decodes the data in its envelope. Only the code "ok" is a success.
func (n *Network) callAPI(ctx context.Context, r network.Request, into any) error {
	resp, err := n.env.Client.CallOnce(ctx, r)
	if err != nil {
		return err
	}
	var envelope struct {
		Data  json.RawMessage `json:"data"`
		Error apiFault        `json:"error"`
	}
	if err := decodeResponse(resp, &envelope); err != nil {
		return err
	}
	switch envelope.Error.Code {
	case "":
		return resp.AttachRedactedTo(
			network.Error{Kind: network.Unknown, Message: "TikTok did not report whether the call succeeded."},
		)
	case "ok":
	default:
		return n.newAPIError(resp, envelope.Error)
	}
	if err := json.Unmarshal(envelope.Data, into); err != nil {
		return resp.AttachRedactedTo(
			network.Error{Kind: network.Unknown, Message: "TikTok sent data that Belfry cannot read."},
		)
	}
	return nil
}

// postFailure is the consequence of a reason why TikTok gave up on a post.
type postFailure struct {
	verdict core.Verdict
	hint    string
}

// equivalentErrorKind returns the kind of error that would have the same consequence as the failure.
func (f postFailure) equivalentErrorKind(reason string) network.ErrorKind {
	switch {
	case reason == codeAuthRemoved:
		return network.Revoked
	case f.verdict == core.Broken:
		return network.Transient
	}
	return network.Rejected
}

// failures holds the consequences of the reasons why TikTok gives up on a post, which was never visible.
var failures = map[string]postFailure{
	"file_format_check_failed":  {core.Doomed, hintFormat},
	"duration_check_failed":     {core.Doomed, hintDuration},
	"frame_rate_check_failed":   {core.Doomed, hintFrameRate},
	"picture_size_check_failed": {core.Doomed, hintPicture},
	"internal":                  {core.Broken, hintLater},
	"video_pull_failed":         {core.Broken, hintPull},
	"photo_pull_failed":         {core.Broken, hintPull},
	"publish_cancelled":         {core.Doomed, "The post was cancelled on TikTok. If you still want to publish it, retry the post."},
	codeAuthRemoved:             {core.Doomed, "Reconnect the account, and then retry the post."},
	// The next upload is throttled and waits.
	"spam_risk_too_many_posts":           {core.Dead, hintCap},
	"spam_risk_user_banned_from_posting": {core.Doomed, hintBanned},
	"spam_risk_text":                     {core.Doomed, hintSpam},
	"spam_risk":                          {core.Doomed, hintSpam},
}

// failedStatus returns the status of a post that TikTok accepted and then gave up on for the given reason.
func failedStatus(reason string) network.Status {
	f, known := failures[reason]
	if !known {
		f.verdict, f.hint = core.Doomed, hintUnknown
	}
	st := network.Status{
		Verdict: f.verdict, Code: reason, Hint: f.hint,
		Message: "TikTok did not publish the post: " + cmp.Or(reason, "no reason given"),
	}
	if reason == codeAuthRemoved {
		st.Lost = core.AccountRevoked
	}
	return st
}
