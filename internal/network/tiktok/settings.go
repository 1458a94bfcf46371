package tiktok

import (
	"encoding/json"

	"belfry/internal/network"
)

// onlyMe is the privacy level that nobody else sees.
const onlyMe = "SELF_ONLY"

// Settings is the network's settings block.
type Settings struct {
	PrivacyLevel    string `json:"privacyLevel,omitempty"`
	DisableComment  bool   `json:"disableComment,omitzero"`
	DisableDuet     bool   `json:"disableDuet,omitzero"`
	DisableStitch   bool   `json:"disableStitch,omitzero"`
	CoverMs         *int64 `json:"coverMs,omitempty"`
	AutoAddMusic    bool   `json:"autoAddMusic,omitzero"`
	PhotoCoverIndex *int   `json:"photoCoverIndex,omitempty"`
	BrandContent    bool   `json:"brandContent,omitzero"`
	BrandOrganic    bool   `json:"brandOrganic,omitzero"`
	AIGenerated     bool   `json:"aiGenerated,omitzero"`
}

// Settings decodes a block strictly and gives its normal form.
func (Rules) Settings(block json.RawMessage) (json.RawMessage, error) {
	return network.NormalSettings[Settings](description, block)
}

var fields = []network.Field{
	{
		Name: "privacyLevel", Label: "Who can see it", Kind: network.FieldChoice, Help: "Left empty, as many as the account allows.",
		Choices: []network.Choice{
			{Value: "PUBLIC_TO_EVERYONE", Label: "Everyone"},
			{Value: "MUTUAL_FOLLOW_FRIENDS", Label: "Friends"},
			{Value: "FOLLOWER_OF_CREATOR", Label: "Followers"},
			{Value: onlyMe, Label: "Only me"},
		},
	},
	{Name: "disableComment", Label: "No comments", Kind: network.FieldSwitch, Help: "Nobody may comment."},
	{Name: "disableDuet", Label: "No duets", Kind: network.FieldSwitch, Help: "Videos only."},
	{Name: "disableStitch", Label: "No stitches", Kind: network.FieldSwitch, Help: "Videos only."},
	{Name: "coverMs", Label: "Cover frame", Kind: network.FieldNumber, Help: "Milliseconds into the video. Videos only."},
	{Name: "autoAddMusic", Label: "Add music", Kind: network.FieldSwitch, Help: "TikTok chooses it. Photos only."},
	{Name: "photoCoverIndex", Label: "Cover photo", Kind: network.FieldNumber, Max: maxPhotos - 1, Help: "Which photo stands for the post; the first is 0. Photos only."},
	{Name: "brandContent", Label: "Paid partnership", Kind: network.FieldSwitch, Help: "It promotes somebody else's business."},
	{Name: "brandOrganic", Label: "Own business", Kind: network.FieldSwitch, Help: "It promotes your own business."},
	{Name: "aiGenerated", Label: "Made by AI", Kind: network.FieldSwitch, Help: "Pictures or sound were generated."},
}
