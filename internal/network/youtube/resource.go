package youtube

import (
	"cmp"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Defaults of settings that are always sent.
const (
	defaultVisibility = "public"
	defaultCategory   = "22" // People & Blogs
)

// videoResource is the metadata of a video, as an upload sends it.
type videoResource struct {
	Snippet   snippet    `json:"snippet"`
	Status    status     `json:"status"`
	Recording *recording `json:"recordingDetails,omitempty"`
	Placement *placement `json:"paidProductPlacementDetails,omitempty"`
}

type snippet struct {
	Title         string   `json:"title"`
	Description   string   `json:"description"`
	Tags          []string `json:"tags,omitempty"`
	Category      string   `json:"categoryId"`
	Language      string   `json:"defaultLanguage,omitempty"`
	AudioLanguage string   `json:"defaultAudioLanguage,omitempty"`
}

type status struct {
	Visibility  string `json:"privacyStatus"`
	License     string `json:"license,omitempty"`
	Embeddable  *bool  `json:"embeddable,omitempty"`
	PublicStats *bool  `json:"publicStatsViewable,omitempty"`
	// MadeForKids is the channel's declaration. YouTube's own field madeForKids cannot be set.
	MadeForKids bool `json:"selfDeclaredMadeForKids"`
	Synthetic   bool `json:"containsSyntheticMedia"`
}

type recording struct {
	Date string `json:"recordingDate"`
}

type placement struct {
	Paid bool `json:"hasPaidProductPlacement"`
}

// newVideoResource returns the metadata of a post's video.
func newVideoResource(it network.Item, s Settings) videoResource {
	v := videoResource{
		Snippet: snippet{
			Title: it.Title, Description: it.Text, Tags: it.Tags, Category: cmp.Or(s.Category, defaultCategory),
			Language: s.Language, AudioLanguage: s.AudioLanguage,
		},
		Status: status{
			Visibility: cmp.Or(s.Visibility, defaultVisibility), License: s.License, Embeddable: s.Embeddable,
			PublicStats: s.PublicStatsViewable, MadeForKids: s.MadeForKids, Synthetic: s.ContainsSyntheticMedia,
		},
	}
	if s.RecordingDate != "" {
		v.Recording = &recording{s.RecordingDate + "T00:00:00Z"}
	}
	if s.PaidProductPlacement {
		v.Placement = &placement{true}
	}
	return v
}

// joinSectionNames returns the names of the resource's sections, as an upload requires.
func (v videoResource) joinSectionNames() string {
	parts := []string{"snippet", "status"}
	if v.Recording != nil {
		parts = append(parts, "recordingDetails")
	}
	if v.Placement != nil {
		parts = append(parts, "paidProductPlacementDetails")
	}
	return strings.Join(parts, ",")
}

// requireVideoFile returns the post's video, or a refusal if it has none.
func requireVideoFile(it network.Item) (network.File, error) {
	for _, f := range it.Files {
		if f.Kind == core.FileVideo {
			return f, nil
		}
	}
	return network.File{}, &network.Error{
		Kind: network.Rejected, Message: "The post has no video.", Hint: "Add a video to a copy of the post.",
	}
}
