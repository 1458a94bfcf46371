package instagram

import (
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// CheckDraft returns what the network would refuse and what it advises against.
func (Rules) CheckDraft(d network.Draft) (issues, warnings []core.Issue) {
	return network.CheckDraftAndFactsWith(description, d, func(s Settings, f *network.Findings) {
		kind := postContentType(s, d.Media)
		d.Text, d.Title = network.AppendMissingTags(d.Text, d.Tags), ""
		f.CheckLimits(description, kind, d)
		tags := network.CountHashtags(d.Text)
		f.AddIf(tags > manyHashtags && tags <= maxHashtags, core.WarnHashtagsMany)
		f.AddIf(kind == typeStories && strings.TrimSpace(d.Text) != "", core.IssueTextNotAllowed)
		for _, c := range []struct {
			wrong     bool
			name, why string
		}{
			{kind == typeStories && len(s.Collaborators) > 0, "collaborators", "This setting is not available for Stories."},
			{kind != typeReels && s.ShareToFeed != nil, "shareToFeed", "This setting is only for Reels."},
			{kind != typeFeed && kind != typeCarousel && s.AltText != "", "altText", "This setting is only for a single image in the feed."},
			{kind != typeReels && s.CoverMs != nil, "coverMs", "This setting is only for Reels."},
			{
				kind == typeReels && isCoverOutsideVideo(s.CoverMs, d.Media), "coverMs",
				"The video ends before this frame. Choose an earlier frame.",
			},
		} {
			f.AddIf(c.wrong, core.IssueSettingConflict, c.name, c.why)
		}
		f.AddIf(
			kind == typeCarousel && s.AltText != "", core.WarnSettingIgnored, "altText",
			"In a carousel, Belfry uses the alternative text of each image instead.",
		)
	})
}

// PostContentType returns the draft's content type.
func (Rules) PostContentType(d network.Draft) string {
	s, _ := network.DecodeSettings[Settings](description, d.Settings) // CheckDraft reports errors
	return postContentType(s, d.Media)
}

// postContentType returns the chosen content type, or the one that follows from the files. Several files in the feed
// are a carousel.
func postContentType(s Settings, media []core.Media) string {
	switch {
	case s.ContentType == "" && len(media) == 1 && media[0].Kind == core.FileVideo:
		return typeReels
	case s.ContentType == typeReels, s.ContentType == typeStories:
		return s.ContentType
	case len(media) > 1:
		return typeCarousel
	}
	return typeFeed
}

// isCoverOutsideVideo reports whether the cover frame is after the end of the video.
func isCoverOutsideVideo(coverMs *int64, media []core.Media) bool {
	return coverMs != nil && len(media) == 1 && media[0].DurationMs > 0 && *coverMs >= media[0].DurationMs
}
