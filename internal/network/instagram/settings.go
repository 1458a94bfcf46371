package instagram

import (
	"encoding/json"
	"regexp"

	"belfry/internal/network"
)

// Settings is the network's settings block.
type Settings struct {
	ContentType   string   `json:"contentType,omitempty"`
	Collaborators []string `json:"collaborators,omitempty"`
	ShareToFeed   *bool    `json:"shareToFeed,omitempty"` // nil is true
	AltText       string   `json:"altText,omitempty"`
	CoverMs       *int64   `json:"coverMs,omitempty"`
}

// NormalizeSettings decodes a settings block strictly and returns its normal form.
func (Rules) NormalizeSettings(block json.RawMessage) (json.RawMessage, error) {
	return network.NormalizeSettings[Settings](description, block)
}

var username = regexp.MustCompile(`^[A-Za-z0-9._]{1,30}$`)

var fields = []network.Field{
	{
		Name: "contentType", Label: "Kind of post", Kind: network.FieldChoice,
		Help: "By default, a single video is a Reel, and everything else goes to the feed.",
		Choices: []network.Choice{
			{Value: typeFeed, Label: "Feed post or carousel"},
			{Value: typeReels, Label: "Reel"},
			{Value: typeStories, Label: "Story"},
		},
	},
	{
		Name: "collaborators", Label: "Collaborators", Kind: network.FieldList, Max: maxCollaborators, Pattern: username,
		Example: "nightowl.cycles",
		Help:    "Up to three usernames. Not for Stories.",
	},
	{Name: "shareToFeed", Label: "Also show in the feed", Kind: network.FieldSwitch, Default: "true", Help: "Reels only."},
	{
		Name: "altText", Label: "Image description", Kind: network.FieldText, Max: maxAlt, Files: true,
		Help: "Alternative text for screen readers. Only for a single image in the feed: in a carousel, each image has its own alternative text.",
	},
	{
		Name: "coverMs", Label: "Cover frame", Kind: network.FieldNumber, VideoTime: true,
		Help: "The default is the first frame. Reels only.",
	},
}
