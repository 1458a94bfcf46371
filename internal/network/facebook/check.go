package facebook

import (
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Check says what the network would refuse.
func (n *Network) Check(d network.Draft) (issues, warnings []core.Issue) {
	s, err := network.DecodeSettings[Settings](n.about, d.Settings)
	if err != nil {
		return []core.Issue{core.IssueSettingUnavailable.With("perPlatform", err.Error())}, nil
	}
	kind := contentType(s, d.Media)
	d.Text = network.WithTags(d.Text, d.Tags)
	if kind != typeVideo && kind != typeReels {
		d.Title = "" // only videos have one (Spec §2)
	}
	issues = network.CheckLimits(n.about, kind, d)
	blank := strings.TrimSpace(d.Text) == ""
	add := func(wrong bool, i core.IssueText, args ...any) {
		if wrong {
			issues = append(issues, i.With(args...))
		}
	}
	add(kind == typeText && blank && s.Link == "", core.IssueTextRequired, n.about.Name)
	add(kind == typeStories && !blank, core.IssueTextNotAllowed, n.about.Name)
	add(kind != typeText && s.Link != "", core.IssueSettingConflict, "link", n.about.Name, "A link goes with a text post only.")
	return issues, nil
}

// contentType is the chosen one, else it follows from the files.
func contentType(s Settings, media []core.Media) string {
	switch {
	case s.ContentType != "":
		return s.ContentType
	case len(media) == 0:
		return typeText
	case len(media) == 1 && media[0].Kind == core.FileVideo:
		return typeVideo
	}
	return typePhoto
}
