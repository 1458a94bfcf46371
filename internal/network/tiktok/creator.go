package tiktok

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"belfry/internal/network"
)

// creator is what the account may do. TikTok demands that it is asked before every post.
type creator struct {
	Privacy         []string `json:"privacy_level_options"`
	CommentDisabled bool     `json:"comment_disabled"`
	DuetDisabled    bool     `json:"duet_disabled"`
	StitchDisabled  bool     `json:"stitch_disabled"`
	LongestSeconds  int64    `json:"max_video_post_duration_sec"`
}

func (n *Network) fetchCreator(ctx context.Context, token network.Secret) (creator, error) {
	var c creator
	return c, n.postJSON(ctx, token, "/v2/post/publish/creator_info/query/", struct{}{}, &c)
}

// widestFirst are the levels of privacy, the widest first.
var widestFirst = []string{"PUBLIC_TO_EVERYONE", "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", onlyMe}

// postInfo is how a video is posted.
type postInfo struct {
	Title          string `json:"title,omitempty"`
	Privacy        string `json:"privacy_level"`
	DisableDuet    bool   `json:"disable_duet"`
	DisableStitch  bool   `json:"disable_stitch"`
	DisableComment bool   `json:"disable_comment"`
	CoverMs        *int64 `json:"video_cover_timestamp_ms,omitempty"`
	BrandContent   bool   `json:"brand_content_toggle"`
	BrandOrganic   bool   `json:"brand_organic_toggle"`
	AI             bool   `json:"is_aigc"`
}

// newPostInfo joins the settings of a post with what the account allows, or says what it does not allow.
func (c creator) newPostInfo(it network.Item, s Settings) (postInfo, error) {
	info := postInfo{
		Title: network.WithTags(it.Text, it.Tags), Privacy: s.PrivacyLevel, CoverMs: s.CoverMs,
		DisableDuet: s.DisableDuet || c.DuetDisabled, DisableStitch: s.DisableStitch || c.StitchDisabled,
		DisableComment: s.DisableComment || c.CommentDisabled,
		BrandContent:   s.BrandContent, BrandOrganic: s.BrandOrganic, AI: s.AIGenerated,
	}
	for _, level := range widestFirst {
		if info.Privacy == "" && slices.Contains(c.Privacy, level) && !(s.BrandContent && level == onlyMe) {
			info.Privacy = level
		}
	}
	if !slices.Contains(c.Privacy, info.Privacy) {
		return info, refusal("The account does not allow the audience of the post.",
			"Choose one that it allows: "+strings.Join(c.privacyLabels(), ", ")+".")
	}
	if length := it.Files[0].DurationMs; c.LongestSeconds > 0 && length > c.LongestSeconds*1000 {
		return info, refusal(fmt.Sprintf("The account cannot post videos longer than %d seconds.", c.LongestSeconds),
			"Shorten the video and send the post again.")
	}
	return info, nil
}

// privacyLabels are the levels of privacy that the account allows, as a form shows them.
func (c creator) privacyLabels() []string {
	var labels []string
	for _, choice := range fields[0].Choices {
		if slices.Contains(c.Privacy, choice.Value) {
			labels = append(labels, choice.Label)
		}
	}
	return labels
}

func refusal(message, hint string) error {
	return &network.Error{Kind: network.Rejected, Message: message, Hint: hint}
}
