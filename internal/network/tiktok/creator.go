package tiktok

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
)

// creatorInfo is what the account can do. TikTok requires a query before every post.
type creatorInfo struct {
	Privacy         []string `json:"privacy_level_options"`
	CommentDisabled bool     `json:"comment_disabled"`
	DuetDisabled    bool     `json:"duet_disabled"`
	StitchDisabled  bool     `json:"stitch_disabled"`
	LongestSeconds  int64    `json:"max_video_post_duration_sec"`
}

func (n *Network) fetchCreatorInfo(ctx context.Context, token network.Secret) (creatorInfo, error) {
	var c creatorInfo
	return c, n.postJSON(ctx, token, "/v2/post/publish/creator_info/query/", struct{}{}, &c)
}

// ReadAccountFacts returns which audiences the account can choose, what it has switched off and how long its videos
// can be. For an account that currently cannot post, TikTok refuses the call, and the facts say that it is blocked.
func (n *Network) ReadAccountFacts(ctx context.Context, _ string, t network.Token) (core.Facts, error) {
	c, err := n.fetchCreatorInfo(ctx, t.Access)
	if e, ok := errors.AsType[*network.Error](err); ok && slices.Contains(blocks, e.Code) {
		return core.Facts{Blocked: e.Hint}, nil
	}
	switch {
	case err != nil:
		return core.Facts{}, err
	case len(c.Privacy) == 0:
		return core.Facts{}, &network.Error{Kind: network.Unknown, Message: noAudiences}
	}
	return c.toFacts(), nil
}

const noAudiences = "TikTok did not return the audiences that the account allows."

// blocks are the codes for an account that currently cannot post (networks/tiktok.md, 3.0).
var blocks = []string{"spam_risk_too_many_posts", "spam_risk_user_banned_from_posting", "reached_active_user_cap"}

func (c creatorInfo) toFacts() core.Facts {
	f := core.Facts{Choices: map[string][]string{}, LongestVideoMs: c.LongestSeconds * 1000}
	for _, level := range fields[0].Choices {
		if slices.Contains(c.Privacy, level.Value) {
			f.Choices["privacyLevel"] = append(f.Choices["privacyLevel"], level.Value)
		}
	}
	for setting, disabled := range map[string]bool{
		"disableComment": c.CommentDisabled, "disableDuet": c.DuetDisabled, "disableStitch": c.StitchDisabled,
	} {
		if disabled {
			f.Choices[setting] = []string{"true"}
		}
	}
	return f
}

// widestFirst are the privacy levels, widest audience first.
var widestFirst = []string{"PUBLIC_TO_EVERYONE", "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", onlyMe}

// postInfo holds the settings of a video, as TikTok expects them.
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

// newPostInfo combines the settings of a post with the account's restrictions. It returns a refusal if the account
// does not allow the audience or the length, or TikTok returned no audiences.
func (c creatorInfo) newPostInfo(it network.Item, s Settings) (postInfo, error) {
	info := postInfo{
		Title: network.AppendMissingTags(it.Text, it.Tags), Privacy: s.PrivacyLevel, CoverMs: s.CoverMs,
		DisableDuet: s.DisableDuet || c.DuetDisabled, DisableStitch: s.DisableStitch || c.StitchDisabled,
		DisableComment: s.DisableComment || c.CommentDisabled,
		BrandContent:   s.BrandContent, BrandOrganic: s.BrandOrganic, AI: s.AIGenerated,
	}
	for _, level := range widestFirst {
		if info.Privacy == "" && slices.Contains(c.Privacy, level) && !(s.BrandContent && level == onlyMe) {
			info.Privacy = level
		}
	}
	switch labels := c.allowedPrivacyLabels(s.BrandContent); {
	case len(c.Privacy) == 0:
		return info, newRefusal(noAudiences, "Check in the TikTok app whether the account can post. Then retry the post.")
	case slices.Contains(c.Privacy, info.Privacy):
	case s.BrandContent && len(labels) == 0:
		return info, newRefusal("The account allows only private posts, which cannot have a paid partnership.",
			"Turn off “Paid partnership” in a copy of the post.")
	default:
		return info, newRefusal("The account does not allow the audience that was chosen for this post.",
			"In a copy of the post, choose one of these audiences: "+strings.Join(labels, ", ")+".")
	}
	if length := it.Files[0].DurationMs; c.LongestSeconds > 0 && length > c.LongestSeconds*1000 {
		return info, newRefusal(fmt.Sprintf("The account cannot post videos longer than %d seconds.", c.LongestSeconds),
			"Use a shorter video in a copy of the post.")
	}
	return info, nil
}

// allowedPrivacyLabels returns the labels of the privacy levels that the account allows. A post with a paid partnership
// cannot be private.
func (c creatorInfo) allowedPrivacyLabels(hasPaidPartnership bool) []string {
	var labels []string
	for _, choice := range fields[0].Choices {
		if slices.Contains(c.Privacy, choice.Value) && !(hasPaidPartnership && choice.Value == onlyMe) {
			labels = append(labels, choice.Label)
		}
	}
	return labels
}

func newRefusal(message, hint string) error {
	return &network.Error{Kind: network.Rejected, Message: message, Hint: hint}
}
