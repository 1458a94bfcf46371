package threads

import "belfry/internal/network"

// kindNames are the names of the content types for people.
var kindNames = map[string]string{typeText: "post", typeImage: "post", typeVideo: "video", typeCarousel: "carousel"}

// Preview returns how a phone shows the post.
func (Rules) Preview(d network.Draft) network.Preview {
	s, _ := network.DecodeSettings[Settings](description, d.Settings) // unreadable settings count as empty
	p := network.Preview{
		Kind: kindNames[postContentType(d.Media)], Several: network.Row, MinRatio: 3.0 / 4, ByUsername: true,
		Parts: []network.PreviewPart{
			network.PartAccount, network.PartText, network.PartMedia, network.PartLink, network.PartActions,
		},
		Topic: s.TopicTag, Text: d.Text,
		Actions: []network.PreviewAction{
			network.ActionLike, network.ActionComment, {Icon: "repeat-2"}, network.ActionSend,
		},
	}
	if len(d.Media) == 0 {
		if p.Link = s.LinkAttachment; p.Link == "" {
			p.Link = network.FirstLink(d.Text)
		}
	}
	return p
}
