package threads

import (
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// CheckDraft returns what the network would refuse. Tags are not sent (Spec §2), so they do not count.
func (Rules) CheckDraft(d network.Draft) (issues, warnings []core.Issue) {
	return network.CheckDraftAndFactsWith(description, d, func(s Settings, f *network.Findings) {
		d.Title = ""
		f.CheckLimits(description, postContentType(d.Media), d, s.LinkAttachment)
		files := len(d.Media) > 0
		f.AddIf(!files && strings.TrimSpace(d.Text) == "", core.IssueTextRequired)
		f.AddIf(
			files && s.LinkAttachment != "", core.IssueSettingConflict, "linkAttachment",
			"Only posts without files can have a link preview.",
		)
		f.AddIf(
			!files && s.AltText != "", core.IssueSettingConflict, "altText", "The post has no file to describe.",
		)
	})
}

// PostContentType returns the draft's content type.
func (Rules) PostContentType(d network.Draft) string { return postContentType(d.Media) }

// postContentType returns the content type that follows from the files.
func postContentType(media []core.Media) string {
	switch {
	case len(media) == 0:
		return typeText
	case len(media) > 1:
		return typeCarousel
	case media[0].Kind == core.FileVideo:
		return typeVideo
	}
	return typeImage
}
