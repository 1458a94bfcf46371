package tiktok

import (
	"context"

	"belfry/internal/network"
)

// photoInfo holds the settings of photos, as TikTok expects them.
type photoInfo struct {
	Title          string `json:"title,omitempty"`
	Description    string `json:"description,omitempty"`
	Privacy        string `json:"privacy_level"`
	DisableComment bool   `json:"disable_comment"`
	Music          bool   `json:"auto_add_music"`
	BrandContent   bool   `json:"brand_content_toggle"`
	BrandOrganic   bool   `json:"brand_organic_toggle"`
	AI             bool   `json:"is_aigc,omitempty"` // not documented for photos, so only sent if set
}

// startSelfPublishingPhotoPost sends TikTok the addresses of photos and returns the handle. TikTok immediately fetches
// the photos and then publishes the post, so the addresses return nothing before the arm.
func (n *Network) startSelfPublishingPhotoPost(
	ctx context.Context, it network.Item, info postInfo, s Settings,
) (handle string, err error) {
	cover := 0
	if s.PhotoCoverIndex != nil {
		cover = *s.PhotoCoverIndex
	}
	var images []string
	for _, f := range it.Files {
		images = append(images, f.URL)
	}
	body := map[string]any{
		"media_type": "PHOTO", "post_mode": "DIRECT_POST",
		"post_info": photoInfo{
			Title: it.Title, Description: info.Title, Privacy: info.Privacy, DisableComment: info.DisableComment,
			Music: s.AutoAddMusic, BrandContent: info.BrandContent, BrandOrganic: info.BrandOrganic, AI: info.AI,
		},
		"source_info": map[string]any{"source": "PULL_FROM_URL", "photo_cover_index": cover, "photo_images": images},
	}
	var out struct {
		Task string `json:"publish_id"`
	}
	if err := n.postJSON(ctx, it.Token.Access, "/v2/post/publish/content/init/", body, &out); err != nil {
		return "", err
	}
	if out.Task == "" {
		return "", &network.Error{Kind: network.Unknown, Message: "TikTok did not return an ID for the photos."}
	}
	return postHandle{Task: out.Task}.encode(), nil
}
