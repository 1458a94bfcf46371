package instagram

import (
	"errors"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

const (
	hintQuota     = "The account has reached Instagram's 24-hour limit on posts. Belfry will try again."
	hintThrottled = "Instagram is temporarily refusing further requests for this account. Belfry will try again."
	hintTrouble   = "Instagram has a temporary problem. " + meta.Later
	hintFetch     = "Instagram could not fetch or process the file. " + meta.Later
	hintMissing   = "Instagram cannot find the post that it was preparing. " + meta.Later
	hintVideo     = "Save the video as MP4 with H.264 video, AAC audio, 23 to 60 frames per second and a width of at most 1920 pixels. " +
		"Then use it in a copy of the post."
	hintCover  = "In a copy of the post, choose a cover frame that lies within the video."
	hintCount  = "A carousel must have 2 to 10 files. Change the files in a copy of the post."
	hintTags   = "A caption can have at most 30 hashtags and 20 mentions. Change the text in a copy of the post."
	hintServer = "Instagram did not recognize a request from this server. Report this to the server's operator."
)

// errorTable holds the error codes that are specific to Instagram. Package meta has those that all Graph APIs share.
var errorTable = meta.ErrorTable{
	{Code: 80002}: {Kind: network.RateLimited, Hint: hintThrottled},
	{Code: 9, Subcode: 2207042}: {
		Kind: network.RateLimited, Hint: hintQuota, UntilQuotaHasRoom: true, Wait: meta.QuotaWait,
	},

	{Code: -1}:         {Kind: network.Transient, Hint: hintTrouble},
	{Code: -2}:         {Kind: network.Transient, Hint: hintFetch},
	{Subcode: 2207053}: {Kind: network.Transient, Hint: hintFetch},
	{Subcode: 2207006}: {Kind: network.Transient, Hint: hintMissing},
	{Subcode: 2207008}: {Kind: network.Transient, Hint: hintMissing},
	{Subcode: 2207027}: {
		Kind: network.Transient, Hint: "Instagram has not finished processing the post. " + meta.Later,
	},
	{Code: 1, Subcode: badCover}: {Kind: network.Rejected, Hint: hintCover},

	{Subcode: 2207050}: {
		Kind: network.Rejected, Actor: network.ActorOwner, Hint: "Instagram has restricted this account. Open the Instagram app to see why.",
	},
	{Subcode: 2207023}:  {Kind: network.Rejected, Hint: hintServer, Actor: network.ActorOperator},
	{Subcode: 2207028}:  {Kind: network.Rejected, Hint: hintCount},
	{Subcode: 2207040}:  {Kind: network.Rejected, Hint: hintTags},
	{Subcode: badVideo}: {Kind: network.Rejected, Hint: hintVideo},
	{Code: 36000}: {
		Kind: network.Rejected, Hint: "Use an image of at most 8 MB in a copy of the post.",
	},
	{Code: 36001}: {Kind: network.Rejected, Hint: "Save the image as JPEG, and use it in a copy of the post."},
	{Code: 36003}: {
		Kind: network.Rejected, Hint: "Crop the image to an aspect ratio between 4:5 and 1.91:1, and use it in a copy of the post.",
	},
	{Code: 36004}: {Kind: network.Rejected, Hint: "Shorten the text in a copy of the post."},
}

// Subcodes for files that another upload would not fix. They also appear in the status of a container.
const (
	badVideo = 2207026
	badCover = 2207057
)

// missingCodes are the codes for a container that does not exist.
var missingCodes = map[string]bool{"24/2207006": true, "24/2207008": true, "100/33": true}

func isContainerMissing(err error) bool {
	var e *network.Error
	return errors.As(err, &e) && missingCodes[e.Code]
}
