package facebook

import "belfry/internal/network"

// fold is the number of characters after which the feed cuts a text.
const fold = 477

// Preview returns how a phone shows a Page's post.
func (Rules) Preview(d network.Draft) network.Preview {
	s, _ := network.DecodeSettings[Settings](description, d.Settings) // unreadable settings count as empty
	p := network.Preview{
		Kind: "post", Several: network.Tiles, MinRatio: network.RatioPortrait,
		Parts: []network.PreviewPart{
			network.PartAccount, network.PartText, network.PartMedia, network.PartLink, network.PartActions,
		},
		Text: network.AppendMissingTags(d.Text, d.Tags), Fold: fold,
		Actions: []network.PreviewAction{
			{Icon: "thumbs-up", Word: "Like"}, {Icon: "message-circle", Word: "Comment"}, {Icon: "forward", Word: "Share"},
		},
	}
	switch postContentType(s, d.Media) {
	case typeText:
		if p.Link = s.Link; p.Link == "" {
			p.Link = network.FirstLink(d.Text)
		}
	case typeVideo:
		p.Kind, p.Title = "video", d.Title
		p.Parts = []network.PreviewPart{
			network.PartAccount, network.PartTitle, network.PartText, network.PartMedia, network.PartActions,
		}
	case typeReels:
		p.Kind, p.Fills, p.Fold = "Reel", true, 60
		p.Parts = []network.PreviewPart{network.PartMedia, network.PartAccount, network.PartText, network.PartActions}
	case typeStories:
		p.Kind, p.Fills = "Story", true
		p.Parts = []network.PreviewPart{network.PartAccount, network.PartMedia}
	}
	return p
}
