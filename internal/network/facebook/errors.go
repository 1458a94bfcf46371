package facebook

import (
	"time"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// tooFast is how long a Page that posted too fast is left alone.
const tooFast = time.Hour

const (
	hintPages   = "Facebook takes no more calls for this Page for a while. The post waits."
	hintTrouble = "Facebook has trouble of its own. " + meta.Later
	hintFile    = "Facebook could not fetch or read the file. " + meta.Later
	hintLink    = "Facebook cannot use the link of this post. Check that it opens without signing in, and send the post again."
	hintVideo   = "A Reel is upright (9:16), at least 540 by 960 pixels, 3 to 90 seconds long, with 24 to 60 frames a second."
	hintPhoto   = "Facebook cannot use the photo. Save it as JPEG or PNG under 4 MB and send the post again."
	hintThere   = "Facebook says that this is on the Page already. Look before sending it again."
	hintAct     = "Facebook wants something done first. Open the Page there and see what it asks for."
	hintServer  = "This server's connection to Facebook is set up wrongly. Ask its operator."
	hintCode    = "Start connecting again: what Facebook handed out is used up or too old."
)

// errorTable holds the codes that Facebook uses in a way of its own; meta has those that all Graph APIs share.
var errorTable = meta.Table{
	{Code: 80001}:                 {Kind: network.RateLimited, Hint: hintPages},
	{Code: 368, Subcode: 1390008}: {Kind: network.RateLimited, Hint: hintPages, Wait: tooFast},

	{Code: 3919}:       {Kind: network.Transient, Hint: hintTrouble},
	{Subcode: 1363047}: {Kind: network.Transient, Hint: hintTrouble},
	{Subcode: 1609010}: {Kind: network.Transient, Hint: hintTrouble},
	{Code: 389}:        {Kind: network.Transient, Hint: hintFile},
	{Code: 6000}:       {Kind: network.Transient, Hint: hintFile},
	{Code: 6001}:       {Kind: network.Transient, Hint: hintFile},

	{Code: 382}:        {Kind: network.Rejected, Hint: "The video is too small for Facebook. Use a larger one."},
	{Subcode: 1363040}: {Kind: network.Rejected, Hint: hintVideo},
	{Subcode: 1363127}: {Kind: network.Rejected, Hint: hintVideo},
	{Subcode: 1363128}: {Kind: network.Rejected, Hint: hintVideo},
	{Subcode: 1363129}: {Kind: network.Rejected, Hint: hintVideo},

	{Code: 506}:        {Kind: network.Rejected, Hint: hintThere},
	{Subcode: 1366051}: {Kind: network.Rejected, Hint: hintThere},

	{Subcode: 1609005}: {Kind: network.Rejected, Hint: hintLink},
	{Subcode: 1609008}: {Kind: network.Rejected, Hint: "Facebook does not take links to itself here. Use another one."},
	{Subcode: 2061006}: {Kind: network.Rejected, Hint: hintLink},
	{Subcode: 1366046}: {Kind: network.Rejected, Hint: hintPhoto},
	{Subcode: 2069019}: {Kind: network.Rejected, Hint: hintPhoto},

	{Subcode: 1404082}: {Kind: network.Rejected, Hint: "Facebook takes this for a repeated post. Change the text and send it again."},
	{Subcode: 4854002}: {Kind: network.Rejected, Hint: "Facebook wants an identity confirmed. Do that there, then send the post again."},
	{Subcode: 1346003}: {Kind: network.Rejected, Hint: hintAct},
	{Subcode: 1404102}: {Kind: network.Rejected, Hint: hintAct},
	{Subcode: 1404112}: {Kind: network.Rejected, Hint: hintAct},
	{Subcode: 1404078}: {Kind: network.Revoked, Hint: "The Page needs Facebook's publishing authorization. Complete it there, then reconnect."},

	{Code: 101}:  {Kind: network.Rejected, Hint: hintServer},
	{Code: 2635}: {Kind: network.Rejected, Hint: hintServer},
	{Code: 3001}: {Kind: network.Rejected, Hint: hintServer},

	{Code: 100, Subcode: 36007}: {Kind: network.Rejected, Hint: hintCode},
	{Code: 100, Subcode: 36008}: {Kind: network.Rejected, Hint: hintServer},
	{Code: 100, Subcode: 36009}: {Kind: network.Rejected, Hint: hintCode},
}
