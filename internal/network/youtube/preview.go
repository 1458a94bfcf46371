package youtube

import (
	"slices"

	"belfry/internal/core"
	"belfry/internal/network"
)

// fold is the number of characters after which a description is cut.
const fold = 80

// Preview returns how a phone shows the video or Short.
func (Rules) Preview(d network.Draft) network.Preview {
	s, _ := network.DecodeSettings[Settings](description, d.Settings) // unreadable settings count as empty
	video := slices.IndexFunc(d.Media, func(m core.Media) bool { return m.Kind == core.FileVideo })
	p := network.Preview{
		Kind: "video", MinRatio: network.RatioWide, MaxRatio: network.RatioWide, Title: d.Title, Text: d.Text, Fold: fold,
		Parts: []network.PreviewPart{
			network.PartMedia, network.PartTitle, network.PartText, network.PartAccount, network.PartActions,
		},
		Actions: []network.PreviewAction{
			{Icon: "thumbs-up"}, {Icon: "thumbs-down"}, {Icon: "forward", Word: "Share"}, {Icon: "bookmark", Word: "Save"},
		},
	}
	if s.UseCoverAsThumbnail {
		p.Cover = 1 + slices.IndexFunc(d.Media, func(m core.Media) bool { return m.Kind == core.FileImage })
	}
	if video >= 0 && isShort(d.Media[video]) {
		p.Kind, p.Fills, p.Cover = "Short", true, 0
		p.Parts = []network.PreviewPart{network.PartMedia, network.PartAccount, network.PartTitle, network.PartActions}
		p.Actions = []network.PreviewAction{
			{Icon: "thumbs-up", Word: "Like"}, {Icon: "thumbs-down", Word: "Dislike"}, network.ActionComment, network.ActionShare,
		}
	}
	return p
}

// isShort reports whether YouTube shows a video as a Short: it is upright or square, and at most three minutes long.
func isShort(m core.Media) bool {
	return m.Width > 0 && m.Width <= m.Height && m.DurationMs > 0 && m.DurationMs <= shortMs
}
