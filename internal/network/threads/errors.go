package threads

import (
	"errors"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

const hintQuota = "The profile has reached Threads' 24-hour limit on posts. Belfry will try again."

// errorTable holds the error codes that are specific to Threads. Package meta has those that all Graph APIs share.
var errorTable = meta.ErrorTable{
	{Code: 9, Subcode: 2207042}: {
		Kind: network.RateLimited, Hint: hintQuota, UntilQuotaHasRoom: true, Wait: meta.QuotaWait,
	},
	{Code: 9007, Subcode: 2207027}: {
		Kind: network.Transient, Hint: "Threads has not finished processing the post. " + meta.Later,
	},
	{Code: 24, Subcode: 4279009}: {
		Kind: network.Transient, Hint: "Threads cannot find the post that it was preparing. " + meta.Later,
	},
	{Code: 0, Subcode: 4279013}: {
		Kind: network.Rejected, Actor: network.ActorOwner, Hint: "Threads has restricted this profile. Open it on Threads to see why.",
	},
	{Code: 452, Subcode: 0}: {
		Kind: network.Rejected, Actor: network.ActorOwner, Hint: "Connect the account again.", Connecting: true,
	},
}

// missingCodes are the codes for a container that does not exist.
var missingCodes = map[string]bool{"24/4279009": true, "24/2207006": true, "24/2207008": true, "100/33": true}

func isContainerMissing(err error) bool {
	var e *network.Error
	return errors.As(err, &e) && missingCodes[e.Code]
}

// isRejectedOrRateLimited reports whether Threads refused a call in a way that an exhausted quota could explain.
func isRejectedOrRateLimited(err error) bool {
	var e *network.Error
	return errors.As(err, &e) && (e.Kind == network.Rejected || e.Kind == network.RateLimited)
}
