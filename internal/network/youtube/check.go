package youtube

import (
	"slices"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// What YouTube adds to the length of tags: a comma between tags, and quotes around a tag with a space.
const (
	comma  = 1
	quotes = 2
)

// CheckDraft returns what the network would refuse, and warns if a video narrowly misses being a Short.
func (Rules) CheckDraft(d network.Draft) (issues, warnings []core.Issue) {
	return network.CheckDraftAndFactsWith(description, d, func(s Settings, f *network.Findings) {
		limits := description.Limits
		f.CheckTextAndEachFile(description, typeVideo, d)
		checkFiles(f, d.Media, s.UseCoverAsThumbnail)
		f.AddIf(strings.TrimSpace(d.Title) == "", core.IssueTitleRequired)
		f.AddIf(strings.ContainsAny(d.Title+d.Text, forbidden), core.IssueCharactersUnsupported, "< or >")
		f.AddIf(countTagsLength(limits.Tags.Unit, d.Tags) > limits.Tags.Max, core.IssueTagsTooLong, limits.Tags.Max)

		f.AddIf(
			network.CountFiles(d.Media, core.FileImage) == 0 && s.UseCoverAsThumbnail,
			core.IssueSettingConflict, "useCoverAsThumbnail",
			"The post has no image. Add one, or turn off this setting.",
		)
		for _, m := range d.Media {
			f.AddIf(m.Kind == core.FileVideo && isAlmostShort(d, m), core.WarnNotAShort)
		}
	})
}

// PostContentType returns the only content type.
func (Rules) PostContentType(network.Draft) string { return typeVideo }

// checkFiles adds at most one issue. A post needs one video, and can have one image as its thumbnail.
func checkFiles(f *network.Findings, media []core.Media, useThumbnail bool) {
	images, videos := network.CountFiles(media, core.FileImage), network.CountFiles(media, core.FileVideo)
	switch {
	case len(media) == 0:
		f.AddIf(true, core.IssueVideoRequired)
	case videos == 0:
		f.AddIf(true, core.IssueImagesWithoutVideo)
	case images == 0:
		f.AddIf(videos > 1, core.IssueMediaCountUnsupported, videos, network.FormatFileCount(1, 1))
	default:
		f.AddIf(videos > 1 || images > 1 || !useThumbnail, core.IssueThumbnailUnsupported)
	}
}

// countTagsLength returns the length of the tags as YouTube counts it.
func countTagsLength(unit core.Unit, tags []string) int {
	n := max(len(tags)-1, 0) * comma
	for _, tag := range tags {
		n += unit.Length(tag)
		if strings.Contains(tag, " ") {
			n += quotes
		}
	}
	return n
}

// isAlmostShort reports whether a video was probably meant as a Short but is not one: it is either short enough or
// upright, or it is tagged as a Short.
func isAlmostShort(d network.Draft, m core.Media) bool {
	if m.Width == 0 || m.Height == 0 || m.DurationMs == 0 {
		return false
	}
	upright := float64(m.Width)/float64(m.Height) <= shortRatio
	short := m.DurationMs <= shortMs
	said := strings.Contains(
		strings.ToLower(strings.Join(slices.Concat(d.Tags, []string{d.Title, d.Text}), " ")), "#short",
	)
	return (!upright || !short) && (upright || short || said)
}
