package threads

import (
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Check says what the network would refuse. Tags are not sent to it (Spec §2), so they do not count.
func (n *Network) Check(d network.Draft) (issues, warnings []core.Issue) {
	s, err := network.DecodeSettings[Settings](n.about, d.Settings)
	if err != nil {
		return []core.Issue{core.IssueSettingUnavailable.With("perPlatform", err.Error())}, nil
	}
	d.Title = ""
	issues = network.CheckLimits(n.about, contentType(d.Media), d, s.LinkAttachment)
	files := len(d.Media) > 0
	add := func(wrong bool, i core.IssueText, args ...any) {
		if wrong {
			issues = append(issues, i.With(args...))
		}
	}
	add(!files && strings.TrimSpace(d.Text) == "", core.IssueTextRequired, n.about.Name)
	add(files && s.LinkAttachment != "", core.IssueSettingConflict, "linkAttachment", n.about.Name, "A link preview goes with a post without files only.")
	add(!files && s.AltText != "", core.IssueSettingConflict, "altText", n.about.Name, "There is no image to describe.")
	return issues, nil
}

// contentType follows from the files.
func contentType(media []core.Media) string {
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
