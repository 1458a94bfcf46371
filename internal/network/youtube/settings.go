package youtube

import (
	"encoding/json"
	"regexp"

	"belfry/internal/network"
)

// Settings is the network's settings block. Those that are on by themselves are nil until someone says.
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

// Settings decodes a block strictly and gives its normal form.
func (Rules) Settings(block json.RawMessage) (json.RawMessage, error) {
	return network.NormalSettings[Settings](description, block)
}

var (
	category = regexp.MustCompile(`^[0-9]{1,4}$`)
	language = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$`) // the form of BCP 47
	playlist = regexp.MustCompile(`^[A-Za-z0-9_-]{2,64}$`)
)

var fields = []network.Field{
	{
		Name: "visibility", Label: "Visibility", Kind: network.FieldChoice, Default: "public", Help: "Who can see the video.",
		Choices: []network.Choice{{Value: "public", Label: "Public"}, {Value: "unlisted", Label: "Unlisted"}, {Value: "private", Label: "Private"}},
	},
	{Name: "madeForKids", Label: "Made for kids", Kind: network.FieldSwitch, Help: "The law asks you to say so. There are no comments and no notifications then."},
	{
		Name: "useCoverAsThumbnail", Label: "Use the image as thumbnail", Kind: network.FieldSwitch,
		Help: "The image among the files stands for the video. The channel must be verified.",
	},
	{
		Name: "category", Label: "Category", Kind: network.FieldText, Default: "22", Pattern: category, Example: "22",
		Help: "The number of a category; 22 is People & Blogs.",
	},
	{Name: "language", Label: "Language", Kind: network.FieldText, Pattern: language, Example: "pt-BR", Help: "Of title and description, such as en or pt-BR."},
	{Name: "audioLanguage", Label: "Spoken language", Kind: network.FieldText, Pattern: language, Example: "pt-BR", Help: "Spoken in the video, such as en or pt-BR."},
	{Name: "recordingDate", Label: "Recorded on", Kind: network.FieldDate, Help: "The day on which the video was recorded."},
	{
		Name: "license", Label: "License", Kind: network.FieldChoice, Default: "youtube", Help: "What others may do with the video.",
		Choices: []network.Choice{{Value: "youtube", Label: "Standard license"}, {Value: "creativeCommon", Label: "Creative Commons, attribution"}},
	},
	{Name: "embeddable", Label: "Embeddable", Kind: network.FieldSwitch, Default: "true", Help: "Others may show the video on their pages."},
	{Name: "publicStatsViewable", Label: "Public figures", Kind: network.FieldSwitch, Default: "true", Help: "Everyone may see the detailed figures."},
	{Name: "containsSyntheticMedia", Label: "Altered or synthetic", Kind: network.FieldSwitch, Help: "It looks real and was altered or generated."},
	{Name: "paidProductPlacement", Label: "Paid promotion", Kind: network.FieldSwitch, Help: "Somebody paid for a product to be shown."},
	{Name: "notifySubscribers", Label: "Notify subscribers", Kind: network.FieldSwitch, Default: "true", Help: "Tell the channel's subscribers of the video."},
	{
		Name: "playlistId", Label: "Playlist", Kind: network.FieldText, Pattern: playlist, Example: "PL59FEE129ADFF2B12",
		Help: "The id of a playlist of the channel. If it is refused, the video goes out all the same.",
	},
}
