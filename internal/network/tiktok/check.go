package tiktok

import (
	"belfry/internal/core"
	"belfry/internal/network"
)

// CheckDraft returns what the network would refuse from any account. The text is the caption of a video or the
// description of photos. Only photos have a title (decisions.md, Records).
func (Rules) CheckDraft(d network.Draft) (issues, warnings []core.Issue) {
	return network.CheckDraftAndFactsWith(description, d, func(s Settings, f *network.Findings) {
		kind := postContentType(d.Media)
		d.Text = network.AppendMissingTags(d.Text, d.Tags)
		if kind == typeVideo {
			f.DropTitle(&d)
		}
		f.CheckLimits(description, kind, d)
		for _, c := range []struct {
			wrong     bool
			name, why string
		}{
			{kind == typePhoto && s.DisableDuet, "disableDuet", "This setting is only for videos."},
			{kind == typePhoto && s.DisableStitch, "disableStitch", "This setting is only for videos."},
			{kind == typePhoto && s.CoverMs != nil, "coverMs", "This setting is only for videos."},
			{kind == typeVideo && s.AutoAddMusic, "autoAddMusic", "This setting is only for photos."},
			{kind == typeVideo && s.PhotoCoverIndex != nil, "photoCoverIndex", "This setting is only for photos."},
			{
				kind == typePhoto && isIndexOutOfRange(s.PhotoCoverIndex, d.Media), "photoCoverIndex",
				"The cover must be one of the post's photos.",
			},
			{
				s.BrandContent && s.PrivacyLevel == onlyMe, "privacyLevel",
				"A post with a paid partnership cannot have the audience “Only me”. Choose another one.",
			},
		} {
			f.AddIf(c.wrong, core.IssueSettingConflict, c.name, c.why)
		}
	})
}

// PostContentType returns the draft's content type.
func (Rules) PostContentType(d network.Draft) string { return postContentType(d.Media) }

// postContentType returns the content type that follows from the files.
func postContentType(media []core.Media) string {
	if network.CountFiles(media, core.FileImage) > 0 {
		return typePhoto
	}
	return typeVideo
}

func isIndexOutOfRange(index *int, media []core.Media) bool {
	return index != nil && *index >= len(media)
}
