package facebook

import (
	"net/url"
	"slices"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// CheckDraft returns what the network would refuse.
func (Rules) CheckDraft(d network.Draft) (issues, warnings []core.Issue) {
	return network.CheckDraftAndFactsWith(description, d, func(s Settings, f *network.Findings) {
		kind := postContentType(s, d.Media)
		d.Text = network.AppendMissingTags(d.Text, d.Tags)
		if kind != typeVideo && kind != typeReels {
			f.DropTitle(&d) // only videos have a title (Spec §2)
		}
		f.CheckLimits(description, kind, d)
		blank := strings.TrimSpace(d.Text) == ""
		f.AddIf(kind == typeText && blank && s.Link == "", core.IssueTextOrLinkRequired)
		f.AddIf(kind == typeStories && !blank, core.IssueTextNotAllowed)
		f.AddIf(
			kind != typeText && s.Link != "", core.IssueSettingConflict, "link",
			"Only text posts can have a link preview.",
		)
		f.AddIf(
			isFacebookLink(s.Link), core.IssueSettingConflict, "link",
			"Facebook does not accept links to Facebook. Use another link.",
		)
	})
}

// ownHosts are Facebook's own domains. Facebook refuses links to facebook.com with the code 1609008, and presumably
// also refuses links to the other domains.
var ownHosts = []string{"facebook.com", "fb.com", "fb.me", "fb.watch", "fbcdn.net"}

func isFacebookLink(link string) bool {
	u, err := url.Parse(link)
	return err == nil && slices.ContainsFunc(ownHosts, func(own string) bool {
		return strings.HasSuffix("."+strings.ToLower(u.Hostname()), "."+own)
	})
}

// PostContentType returns the draft's content type.
func (Rules) PostContentType(d network.Draft) string {
	s, _ := network.DecodeSettings[Settings](description, d.Settings) // CheckDraft reports errors
	return postContentType(s, d.Media)
}

// postContentType returns the chosen content type, or the one that follows from the files.
func postContentType(s Settings, media []core.Media) string {
	switch {
	case s.ContentType != "":
		return s.ContentType
	case len(media) == 0:
		return typeText
	case network.CountFiles(media, core.FileVideo) == len(media):
		return typeVideo
	}
	return typePhoto
}
