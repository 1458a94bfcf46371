package youtube

import (
	"encoding/json"
	"regexp"

	"belfry/internal/network"
)

// Settings is the network's settings block. Switches that are on by default are nil until they are set.
type Settings struct {
	Visibility             string `json:"visibility,omitempty"`
	MadeForKids            bool   `json:"madeForKids,omitzero"`
	UseCoverAsThumbnail    bool   `json:"useCoverAsThumbnail,omitzero"`
	Category               string `json:"category,omitempty"`
	Language               string `json:"language,omitempty"`
	AudioLanguage          string `json:"audioLanguage,omitempty"`
	RecordingDate          string `json:"recordingDate,omitempty"`
	License                string `json:"license,omitempty"`
	Embeddable             *bool  `json:"embeddable,omitempty"`
	PublicStatsViewable    *bool  `json:"publicStatsViewable,omitempty"`
	ContainsSyntheticMedia bool   `json:"containsSyntheticMedia,omitzero"`
	PaidProductPlacement   bool   `json:"paidProductPlacement,omitzero"`
	NotifySubscribers      *bool  `json:"notifySubscribers,omitempty"`
	PlaylistID             string `json:"playlistId,omitempty"`
}

// NormalizeSettings decodes a settings block strictly and returns its normal form.
func (Rules) NormalizeSettings(block json.RawMessage) (json.RawMessage, error) {
	return network.NormalizeSettings[Settings](description, block)
}

var (
	category = regexp.MustCompile(`^[0-9]{1,4}$`)
	language = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$`) // the form of BCP 47
	playlist = regexp.MustCompile(`^[A-Za-z0-9_-]{2,64}$`)
)

// categories are those to which YouTube assigns videos in most countries (videoCategories.list).
var categories = []network.Choice{
	{Value: "1", Label: "Film & Animation"},
	{Value: "2", Label: "Autos & Vehicles"},
	{Value: "10", Label: "Music"},
	{Value: "15", Label: "Pets & Animals"},
	{Value: "17", Label: "Sports"},
	{Value: "19", Label: "Travel & Events"},
	{Value: "20", Label: "Gaming"},
	{Value: "22", Label: "People & Blogs"},
	{Value: "23", Label: "Comedy"},
	{Value: "24", Label: "Entertainment"},
	{Value: "25", Label: "News & Politics"},
	{Value: "26", Label: "Howto & Style"},
	{Value: "27", Label: "Education"},
	{Value: "28", Label: "Science & Technology"},
	{Value: "29", Label: "Nonprofits & Activism"},
}

var fields = []network.Field{
	{
		Name: "visibility", Label: "Visibility", Kind: network.FieldChoice, Default: "public", Help: "Who can see the video.",
		Choices: []network.Choice{
			{Value: "public", Label: "Public"}, {Value: "unlisted", Label: "Unlisted"}, {Value: "private", Label: "Private"},
		},
	},
	{
		Name: "madeForKids", Label: "Made for kids", Kind: network.FieldSwitch,
		Help: "By law, you must turn this on for videos made for children. YouTube then turns off comments and notifications.",
	},
	{
		Name: "useCoverAsThumbnail", Label: "Use the image as the thumbnail", Kind: network.FieldSwitch,
		Help: "Uses the image attached to the post as the video's thumbnail. The channel must be verified by phone on YouTube.",
	},
	{
		Name: "category", Label: "Category", Kind: network.FieldChoice, Default: "22", Pattern: category, Example: "22",
		Help: "The category in which YouTube lists the video. The default is People & Blogs.", Choices: categories,
	},
	{
		Name: "language", Label: "Language", Kind: network.FieldText, Pattern: language, Example: "pt-BR",
		Help: "The language of the title and description, such as en or pt-BR.",
	},
	{
		Name: "audioLanguage", Label: "Spoken language", Kind: network.FieldText, Pattern: language, Example: "pt-BR",
		Help: "The language spoken in the video, such as en or pt-BR.",
	},
	{
		Name: "recordingDate", Label: "Recorded on", Kind: network.FieldDate,
		Help: "The date on which the video was recorded.",
	},
	{
		Name: "license", Label: "License", Kind: network.FieldChoice, Default: "youtube",
		Help: "How others may use the video.",
		Choices: []network.Choice{
			{Value: "youtube", Label: "Standard license"}, {Value: "creativeCommon", Label: "Creative Commons, attribution"},
		},
	},
	{
		Name: "embeddable", Label: "Embeddable", Kind: network.FieldSwitch, Default: "true",
		Help: "Others can embed the video on their sites.",
	},
	{
		Name: "publicStatsViewable", Label: "Public statistics", Kind: network.FieldSwitch, Default: "true",
		Help: "Everyone can see detailed statistics.",
	},
	{
		Name: "containsSyntheticMedia", Label: "Altered or synthetic", Kind: network.FieldSwitch,
		Help: "The video looks real but was altered or generated.",
	},
	{
		Name: "paidProductPlacement", Label: "Paid promotion", Kind: network.FieldSwitch,
		Help: "The video contains paid product placement.",
	},
	{
		Name: "notifySubscribers", Label: "Notify subscribers", Kind: network.FieldSwitch, Default: "true",
		Help: "Notifies the channel's subscribers about the video.",
	},
	{
		Name: "playlistId", Label: "Playlist", Kind: network.FieldText, Pattern: playlist, Example: "PL59FEE129ADFF2B12",
		Help: "The ID of one of the channel's playlists. If YouTube refuses the playlist, the video is published anyway.",
	},
}
