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

// Waits after a throttle: TikTok does not say how long it lasts.
const (
	minuteWait = time.Minute
	// capWait is after a cap of a moving day: another post may be allowed at any time.
	capWait = time.Hour
)

// Hints that several codes share.
const (
	hintLater      = "TikTok has a temporary problem. Send the post again later if no retry is scheduled."
	hintThrottled  = "TikTok temporarily does not allow more calls. Belfry will try again."
	hintCap        = "The account has reached TikTok's limit of posts for 24 hours. Belfry will try again."
	hintParameter  = "Something in this post is not allowed. Change the post and send it again."
	hintReconnect  = "Reconnect the account in the dashboard, Accounts."
	hintPermission = "Reconnect the account and leave every permission selected."
	hintOperator   = "The server's credentials for TikTok are wrong. Ask the server's operator."
	hintBanned     = "TikTok does not allow this account to post. Open the account on TikTok to see why."
	hintCode       = "The authorization code was already used or has expired. Start again from Accounts."
	hintSpam       = "TikTok treats this post as spam. Change the text, and post less often for a while."
	hintFile       = "Replace the video with one that TikTok accepts, and send the post again."
)

const codeInvalidGrant = "invalid_grant"

// row is what a code means.
type row struct {
	kind  network.Kind
	hint  string
	wait  time.Duration // of a throttle
	scope network.Scope
}

// errorTable holds the codes of the API and of the calls about tokens.
var errorTable = map[string]row{
	"invalid_param":  {kind: network.Rejected, hint: hintParameter},
	"invalid_params": {kind: network.Rejected, hint: hintParameter},
	"invalid_publish_id": {
		kind: network.Rejected, hint: "TikTok no longer knows this upload. Look at the account on TikTok before you send the post again.",
	},
	"token_not_authorized_for_specified_publish_id": {
		kind: network.Rejected, hint: "The upload belongs to another account. Reconnect the account that the post is for.",
	},
	"invalid_file_upload": {kind: network.Rejected, hint: hintFile},
	"app_version_check_failed": {
		kind: network.Rejected, hint: "Update the TikTok app of the account's owner, and send the post again.",
	},
	"access_token_invalid":    {kind: network.Lapsed, hint: hintReconnect},
	"scope_not_authorized":    {kind: network.Revoked, hint: hintPermission},
	"scope_permission_missed": {kind: network.Revoked, hint: hintPermission},

	"spam_risk_too_many_posts": {
		kind: network.RateLimited, hint: hintCap, wait: capWait, scope: network.ScopeAccount,
	},
	"spam_risk_too_many_pending_share": {
		kind: network.RateLimited, hint: hintCap, wait: capWait, scope: network.ScopeAccount,
	},
	"reached_active_user_cap": {
		kind: network.RateLimited, wait: capWait, scope: network.ScopeApp,
		hint: "The app has reached TikTok's limit of accounts that post in 24 hours. Belfry will try again.",
	},
	"rate_limit_exceeded": {
		kind: network.RateLimited, hint: hintThrottled, wait: minuteWait, scope: network.ScopeAccount,
	},
	"spam_risk_user_banned_from_posting": {kind: network.Rejected, hint: hintBanned},
	"unaudited_client_can_only_post_to_private_accounts": {
		kind: network.Rejected, hint: "TikTok has not audited the app. Until then, make the account private on TikTok and set " +
			"who can see the post to Only me. Ask the server's operator about the audit.",
	},
	"url_ownership_unverified": {
		kind: network.Rejected, hint: "The server's address for files is not verified at TikTok. Ask the server's operator.",
	},
	"privacy_level_option_mismatch": {
		kind: network.Rejected, hint: "The account does not allow this audience. Choose another in Who can see the post.",
	},
	"internal_error": {kind: network.Transient, hint: hintLater},

	codeInvalidGrant:            {kind: network.Rejected, hint: hintCode},
	"invalid_request":           {kind: network.Rejected, hint: "Start again from Accounts."},
	"access_denied":             {kind: network.Rejected, hint: "Start again from Accounts and allow the access."},
	"invalid_scope":             {kind: network.Rejected, hint: hintOperator},
	"invalid_client":            {kind: network.Rejected, hint: hintOperator},
	"unauthorized_client":       {kind: network.Rejected, hint: hintOperator},
	"unsupported_grant_type":    {kind: network.Rejected, hint: hintOperator},
	"unsupported_response_type": {kind: network.Rejected, hint: hintOperator},
	"server_error":              {kind: network.Transient, hint: hintLater},
	"temporarily_unavailable":   {kind: network.Transient, hint: hintLater},
}

// rowOf is what a code means; of an unknown one the status tells.
func rowOf(code string, status int) row {
	r, known := errorTable[code]
	switch {
	case known:
		return r
	case status == http.StatusTooManyRequests:
		return errorTable["rate_limit_exceeded"]
	case status >= http.StatusInternalServerError:
		return errorTable["internal_error"]
	}
	return errorTable["invalid_params"]
}

// apiFault is the error member of the API's envelope.
type apiFault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	LogID   string `json:"log_id"`
}

// classify is the error of a refusal in TikTok's words. The code decides, whatever the status.
func (n *Network) classify(resp *network.Response, f apiFault) *network.Error {
	r := rowOf(f.Code, resp.Status)
	e := network.Error{
		Kind: r.kind, Code: f.Code, Message: cmp.Or(f.Message, f.Code), Hint: r.hint, Trace: f.LogID, Scope: r.scope,
	}
	if r.kind == network.RateLimited {
		e.RetryAfter = cmp.Or(resp.RetryAfter(n.env.Now()), r.wait)
	}
	return resp.Fail(e)
}

// decodeBody reads a complete response; one that is something else proves nothing.
func decodeBody(resp *network.Response, into any) error {
	if err := json.Unmarshal(resp.Body, into); err != nil {
		return resp.Fail(network.Error{Kind: network.Unknown, Message: "TikTok sent a response that Belfry cannot read."})
	}
	return nil
}

// postJSON makes a call of the API with a JSON body.
func (n *Network) postJSON(ctx context.Context, token network.Secret, path string, body, into any) error {
	return n.callAPI(ctx, network.Request{Method: http.MethodPost, URL: apiURL + path, JSON: body, Token: token}, into)
}

// callAPI makes a call of the API and reads the data of its envelope. Only the code "ok" is a success.
func (n *Network) callAPI(ctx context.Context, r network.Request, into any) error {
	resp, err := n.env.Client.Do(ctx, r)
	if err != nil {
		return err
	}
	var envelope struct {
		Data  json.RawMessage `json:"data"`
		Error apiFault        `json:"error"`
	}
	if err := decodeBody(resp, &envelope); err != nil {
		return err
	}
	switch envelope.Error.Code {
	case "":
		return resp.Fail(network.Error{Kind: network.Unknown, Message: "TikTok did not say whether the call succeeded."})
	case "ok":
	default:
		return n.classify(resp, envelope.Error)
	}
	if err := json.Unmarshal(envelope.Data, into); err != nil {
		return resp.Fail(network.Error{Kind: network.Unknown, Message: "TikTok sent data that Belfry cannot read."})
	}
	return nil
}

// failures says what follows from the reason for which TikTok gave a post up. It was never visible.
var failures = map[string]struct {
	verdict core.Verdict
	hint    string
}{
	"file_format_check_failed":  {core.Doomed, hintFile},
	"duration_check_failed":     {core.Doomed, hintFile},
	"frame_rate_check_failed":   {core.Doomed, hintFile},
	"picture_size_check_failed": {core.Doomed, hintFile},
	"internal":                  {core.Broken, hintLater},
	"video_pull_failed":         {core.Broken, hintLater},
	"photo_pull_failed":         {core.Broken, hintLater},
	"publish_cancelled":         {core.Doomed, "The post was cancelled on TikTok."},
	"auth_removed":              {core.Doomed, "The access to the account was removed. Reconnect the account, and send the post again."},
	// The next upload is throttled, and waits.
	"spam_risk_too_many_posts":           {core.Dead, hintCap},
	"spam_risk_user_banned_from_posting": {core.Doomed, hintBanned},
	"spam_risk_text":                     {core.Doomed, hintSpam},
	"spam_risk":                          {core.Doomed, hintSpam},
}

// failedStatus is the status of a post that TikTok took and gave up for a reason.
func failedStatus(reason string) network.Status {
	f, known := failures[reason]
	if !known {
		f.verdict, f.hint = core.Doomed, hintParameter
	}
	return network.Status{
		Verdict: f.verdict, Code: reason, Message: "TikTok did not publish the post: " + cmp.Or(reason, "no reason given"), Hint: f.hint,
	}
}
