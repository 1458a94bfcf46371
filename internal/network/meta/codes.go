package meta

import (
	"time"

	"belfry/internal/network"
)

// The range of codes for permission errors.
const (
	permissionFirst = 200
	permissionLast  = 299
)

// Later ends the hints for temporary errors. It also fits a post that has no retries left.
const Later = "If the post still fails, try again later."

// Hints that several rows share.
const (
	hintLater      = "The network has a temporary problem. " + Later
	hintThrottled  = "The network is temporarily refusing further requests. Belfry will try again."
	hintReconnect  = "Reconnect the account in the dashboard, under Accounts."
	hintPermission = "Reconnect the account and leave every permission selected."
	hintOperator   = "The server's credentials for this network are wrong. Ask the server's operator to correct them."
	hintParameter  = "Something in this post is not allowed. Correct it in a copy of the post."
	hintUnknown    = "Check the post, and the account on the network, before you send the post again."
	hintGone       = "The account no longer has access to this content on the network. To restore access, reconnect the account."
	hintBlocked    = "The network has temporarily blocked this account. Open the account on the network to see why."
	hintFetch      = "The network could not fetch the file from this server. " + Later
	hintUpload     = "The network did not accept the file. " + Later
	hintSpam       = "The network treats this post as spam. Change the text in a copy of the post, and post less often for a while."
	hintConnect    = "Connect the account again."
)

// Waits after a refusal that concerns the account itself. Meta does not say how long its blocks last.
const (
	// BlockedWait is the wait after a policy block.
	BlockedWait = 4 * time.Hour
	// SpamWait is the wait after a post was treated as spam.
	SpamWait = time.Hour
)

// common is the table of errors that all Graph APIs share.
var common = ErrorTable{
	{Code: 1, Subcode: 0}: {Kind: network.Transient, Hint: hintLater},
	{Code: 2, Subcode: 0}: {Kind: network.Transient, Hint: hintLater},

	{Code: 4, Subcode: 0}:       {Kind: network.RateLimited, Hint: hintThrottled, Scope: network.ScopeApp},
	{Code: 17, Subcode: 0}:      {Kind: network.RateLimited, Hint: hintThrottled},
	{Code: 32, Subcode: 0}:      {Kind: network.RateLimited, Hint: hintThrottled},
	{Code: 613, Subcode: 0}:     {Kind: network.RateLimited, Hint: hintThrottled},
	{Code: 341, Subcode: 0}:     {Kind: network.RateLimited, Hint: hintThrottled, Scope: network.ScopeApp},
	{Code: 0, Subcode: 2207051}: {Kind: network.Rejected, Hint: hintSpam, Wait: SpamWait},

	{Code: 10, Subcode: 0}:  {Kind: network.Revoked, Hint: hintPermission},
	{Code: 100, Subcode: 0}: {Kind: network.Rejected, Hint: hintParameter},
	// A permission that was never granted is reported as a wrong parameter.
	{Code: 100, Subcode: 10}: {Kind: network.Revoked, Hint: hintPermission},
	{Code: 100, Subcode: 33}: {Kind: network.Rejected, Hint: hintGone, Actor: network.ActorOwner},
	{Code: 104, Subcode: 0}:  {Kind: network.Rejected, Hint: hintOperator, Actor: network.ActorOperator},

	{Code: 102, Subcode: 0}:   {Kind: network.Revoked, Hint: hintReconnect},
	{Code: 102, Subcode: 463}: {Kind: network.Expired, Hint: hintReconnect},
	{Code: 190, Subcode: 0}:   {Kind: network.Revoked, Hint: hintReconnect},
	{Code: 190, Subcode: 463}: {Kind: network.Expired, Hint: hintReconnect},
	{Code: 190, Subcode: 459}: {
		Kind: network.Revoked,
		Hint: "The account's owner must sign in to the network and confirm their identity. Then reconnect the account.",
	},
	{Code: 190, Subcode: 464}: {
		Kind: network.Revoked, Hint: "The account's owner must confirm the account on the network. Then reconnect the account.",
	},
	{Code: 190, Subcode: 492}: {
		Kind: network.Revoked,
		Hint: "The person who connected the account no longer has access to it. Someone with access must reconnect it.",
	},

	{Code: 368, Subcode: 0}: {
		Kind: network.Rejected, Hint: hintBlocked, Wait: BlockedWait, Actor: network.ActorOwner,
	},
	{Code: 506, Subcode: 0}: {
		Kind: network.Rejected,
		Hint: "According to the network, the same post has already been published. " +
			"Check whether the post appears on the account. If it does not, change the text in a copy of the post.",
	},

	{Code: 9004, Subcode: 0}:    {Kind: network.Transient, Hint: hintFetch},
	{Code: 0, Subcode: 2207052}: {Kind: network.Transient, Hint: hintFetch},
}
