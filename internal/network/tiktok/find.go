package tiktok

import (
	"context"
	"net/http"
	"net/url"

	"belfry/internal/core"
	"belfry/internal/network"
)

const siteURL = "https://www.tiktok.com"

// FindPost always returns Ambiguous: TikTok lists only public posts, and lists them late. AdvanceStatus determines
// the result of a post.
func (*Network) FindPost(_ context.Context, _ network.Item) (ambiguous network.Status, err error) {
	return network.Status{Verdict: core.Ambiguous}, nil
}

// FetchLink returns the address of the page of a public post.
func (n *Network) FetchLink(ctx context.Context, it network.Item, externalID string) (postURL string, err error) {
	var out struct {
		Videos []struct {
			ID   string `json:"id"`
			Link string `json:"share_url"`
		} `json:"videos"`
	}
	err = n.callAPI(ctx, network.Request{
		Method: http.MethodPost, URL: apiURL + "/v2/video/query/", Query: url.Values{"fields": {"id,share_url"}},
		JSON: map[string]any{"filters": map[string]any{"video_ids": []string{externalID}}}, Token: it.Token.Access,
	}, &out)
	switch {
	case err != nil:
		return "", err
	case len(out.Videos) == 0:
		return "", newRefusal("TikTok does not list the post among the account's public posts.",
			"Check the account on TikTok.")
	}
	u, err := url.Parse(network.URLIfOnDomains(out.Videos[0].Link, "tiktok.com"))
	if err != nil || u.Host == "" {
		return "", &network.Error{
			Kind: network.Unknown, Message: "TikTok did not return a link to the post on tiktok.com.",
		}
	}
	u.RawQuery = "" // it only says which app asked
	return u.String(), nil
}
