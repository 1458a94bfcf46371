package facebook

import (
	"time"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// tooFastWait is how long a Page must wait after it posted too fast.
const tooFastWait = time.Hour

const (
	hintPages   = "Facebook is temporarily refusing further requests for this Page. Belfry will try again."
	hintTrouble = "Facebook has a temporary problem. " + meta.Later
	hintFile    = "Facebook could not fetch or read the file. " + meta.Later
	hintLink    = "Facebook cannot open the link in this post. If people can open the link without signing in, " +
		"retry the post. Otherwise, correct the link in a copy of the post."
	hintVideo = "Replace the video in a copy of the post."
	hintPhoto = "Facebook cannot use the photo. Save it as a JPEG or PNG smaller than 4 MB, " +
		"and use it in a copy of the post."
	hintThere = "According to Facebook, the same post has already been published. " +
		"Check whether the post appears on the Page. If it does not, change the text in a copy of the post."
	hintAct    = "Facebook requires you to take action before you can post. Open the Page on Facebook to see what to do."
	hintServer = "This server is not configured correctly for Facebook. Ask the server's operator to fix its configuration."
	hintCode   = "The sign-in took too long or was completed twice. Connect the account again."
)

// blocked means that a policy blocks the account.
var blocked = network.ErrorMeaning{
	Kind: network.Rejected, Hint: hintAct, Wait: meta.BlockedWait, Actor: network.ActorOwner,
}

// errorTable holds the error codes that are specific to Facebook. Package meta has those that all Graph APIs share.
var errorTable = meta.ErrorTable{
	{Code: 80001}:                 {Kind: network.RateLimited, Hint: hintPages},
	{Code: 368, Subcode: 1390008}: {Kind: network.RateLimited, Hint: hintPages, Wait: tooFastWait},

	{Code: 3919}:       {Kind: network.Transient, Hint: hintTrouble},
	{Subcode: 1363047}: {Kind: network.Transient, Hint: hintTrouble},
	{Subcode: 1609010}: {Kind: network.Transient, Hint: hintTrouble},
	{Code: 389}:        {Kind: network.Transient, Hint: hintFile},
	{Code: 6000}:       {Kind: network.Transient, Hint: hintFile},
	{Code: 6001}:       {Kind: network.Transient, Hint: hintFile},

	{Code: 382}: {
		Kind: network.Rejected, Hint: "The video file is too small for Facebook. Use a larger file in a copy of the post.",
	},
	{Subcode: 1363040}: {Kind: network.Rejected, Hint: "A Reel must be vertical (9:16). " + hintVideo},
	{Subcode: 1363127}: {Kind: network.Rejected, Hint: "A Reel must be at least 540 × 960 pixels. " + hintVideo},
	{Subcode: 1363128}: {
		Kind: network.Rejected,
		Hint: "A Reel must be 3 to 90 seconds long, and the video of a Story must be at most 60 seconds long. " + hintVideo,
	},
	{Subcode: 1363129}: {Kind: network.Rejected, Hint: "A Reel must have a frame rate of 24 to 60 frames per second. " + hintVideo},

	{Code: 506}: {Kind: network.Rejected, Duplicate: true, Hint: hintThere},
	{Subcode: 1366051}: {
		Kind: network.Rejected, Duplicate: true,
		Hint: "According to Facebook, these photos have already been posted. " +
			"Check whether the post appears on the Page. If it does not, retry the post.",
	},

	{Subcode: 1609005}: {Kind: network.Rejected, Hint: hintLink},
	{Subcode: 1609008}: {
		Kind: network.Rejected, Hint: "Facebook does not accept links to Facebook. Use another link in a copy of the post.",
	},
	{Subcode: 2061006}: {
		Kind: network.Rejected, Hint: "Facebook does not accept the link in this post. Correct the link in a copy of the post.",
	},
	{Subcode: 1366046}: {Kind: network.Rejected, Hint: hintPhoto},
	// The file is invalid, or could not be fetched at that moment.
	{Subcode: 2069019}: {
		Kind: network.Transient,
		Hint: "Facebook could not fetch or read the photo. " +
			"If the post still fails, save the photo as a JPEG or PNG smaller than 4 MB, and use it in a copy of the post.",
	},

	{Subcode: 1404082}: {
		Kind: network.Rejected, Wait: meta.BlockedWait, Hint: "Facebook treats this post as a duplicate. Change the text in a copy of the post.",
	},
	{Subcode: 4854002}: {
		Kind: network.Rejected, Wait: meta.BlockedWait, Actor: network.ActorOwner,
		Hint: "Facebook requires an identity check. Complete the check on Facebook, and then retry the post.",
	},
	{Subcode: 1346003}: blocked,
	{Subcode: 1404102}: blocked,
	{Subcode: 1404112}: blocked,
	{Subcode: 1404078}: {
		Kind: network.Revoked, Hint: "The Page needs Facebook's publishing authorization. Complete the authorization on Facebook, and then reconnect the account.",
	},

	{Code: 101}:  {Kind: network.Rejected, Hint: hintServer, Actor: network.ActorOperator},
	{Code: 2635}: {Kind: network.Rejected, Hint: hintServer, Actor: network.ActorOperator},
	{Code: 3001}: {
		Kind: network.Rejected, Actor: network.ActorOperator, Hint: "This is a bug in Belfry. Ask the server's operator to report it.",
	},

	{Code: 100, Subcode: 36007}: {Kind: network.Rejected, Hint: hintCode, Actor: network.ActorOwner, Connecting: true},
	{Code: 100, Subcode: 36008}: {
		Kind: network.Rejected, Hint: hintServer, Actor: network.ActorOperator, Connecting: true,
	},
	{Code: 100, Subcode: 36009}: {Kind: network.Rejected, Hint: hintCode, Actor: network.ActorOwner, Connecting: true},
}
