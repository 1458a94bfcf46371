package tiktok

import (
	"encoding/json"

	"belfry/internal/network"
)

// onlyMe is the privacy level for a post that only the owner sees.
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

// NormalizeSettings decodes a settings block strictly and returns its normal form.
func (Rules) NormalizeSettings(block json.RawMessage) (json.RawMessage, error) {
	return network.NormalizeSettings[Settings](description, block)
}

var fields = []network.Field{
	{
		Name: "privacyLevel", Label: "Who can see the post", Kind: network.FieldChoice, Ask: true,
		Help:    "TikTok requires a choice for each post.",
		APIHelp: "If a request omits it, Belfry uses the widest audience that the account allows.",
		Choices: []network.Choice{
			{Value: "PUBLIC_TO_EVERYONE", Label: "Everyone"},
			{Value: "MUTUAL_FOLLOW_FRIENDS", Label: "Friends"},
			{Value: "FOLLOWER_OF_CREATOR", Label: "Followers"},
			{Value: onlyMe, Label: "Only me"},
		},
	},
	{Name: "disableComment", Label: "No comments", Kind: network.FieldSwitch, Help: "Nobody can comment."},
	{Name: "disableDuet", Label: "No duets", Kind: network.FieldSwitch, Help: "Videos only."},
	{Name: "disableStitch", Label: "No stitches", Kind: network.FieldSwitch, Help: "Videos only."},
	{
		Name: "coverMs", Label: "Cover frame", Kind: network.FieldNumber, Files: true, VideoTime: true,
		Help: "The default is the first frame. Videos only.",
	},
	{Name: "autoAddMusic", Label: "Add music", Kind: network.FieldSwitch, Help: "TikTok chooses the music. Photos only."},
	{
		Name: "photoCoverIndex", Label: "Cover photo", Kind: network.FieldNumber, Max: maxPhotos - 1,
		FileIndex: true, Help: "The default is the first photo. Photos only.",
	},
	{
		Name: "brandContent", Label: "Paid partnership", Kind: network.FieldSwitch,
		Help: "The post promotes another business.",
	},
	{Name: "brandOrganic", Label: "Own business", Kind: network.FieldSwitch, Help: "The post promotes your own business."},
	{
		Name: "aiGenerated", Label: "Made by AI", Kind: network.FieldSwitch,
		Help: "AI generated the images or the audio.",
	},
}
