package tiktok

import "belfry/internal/network"

// fold is the number of characters after which a caption is cut.
const fold = 80

// Preview returns how a phone shows the post.
func (Rules) Preview(d network.Draft) network.Preview {
	p := network.Preview{
		Kind: "video", Fills: true, Several: network.Slides, ByUsername: true,
		Parts: []network.PreviewPart{network.PartMedia, network.PartAccount, network.PartText, network.PartActions},
		Text:  network.AppendMissingTags(d.Text, d.Tags), Fold: fold,
		Actions: []network.PreviewAction{
			network.ActionLike, network.ActionComment, network.ActionSave, network.ActionShare,
		},
	}
	if postContentType(d.Media) == typePhoto {
		p.Kind, p.Title = "photos", d.Title
		p.Parts = []network.PreviewPart{
			network.PartMedia, network.PartAccount, network.PartTitle, network.PartText, network.PartActions,
		}
	}
	return p
}
