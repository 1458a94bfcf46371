package instagram

import "belfry/internal/network"

// The numbers of characters after which texts are cut, in the feed and over a Reel.
const (
	fold     = 125
	reelFold = 55
)

// Preview returns how a phone shows the post.
func (Rules) Preview(d network.Draft) network.Preview {
	s, _ := network.DecodeSettings[Settings](description, d.Settings) // unreadable settings count as empty
	p := network.Preview{
		Kind: "post", Several: network.Slides, MinRatio: image.MinRatio, MaxRatio: image.MaxRatio, ByUsername: true,
		Parts: []network.PreviewPart{network.PartAccount, network.PartMedia, network.PartActions, network.PartText},
		Text:  network.AppendMissingTags(d.Text, d.Tags), Fold: fold,
		Actions: []network.PreviewAction{
			network.ActionLike, network.ActionComment, network.ActionSend, network.ActionSave,
		},
	}
	switch postContentType(s, d.Media) {
	case typeCarousel:
		p.Kind = "carousel"
	case typeReels:
		p.Kind, p.Fills, p.Fold = "Reel", true, reelFold
		p.Parts = []network.PreviewPart{network.PartMedia, network.PartAccount, network.PartText, network.PartActions}
		p.Actions = p.Actions[:3]
	case typeStories:
		p.Kind, p.Fills = "Story", true
		p.Parts = []network.PreviewPart{network.PartAccount, network.PartMedia}
	}
	return p
}
