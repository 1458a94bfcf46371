package youtube

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

const (
	// clockDrift is how far YouTube's clock may be behind ours.
	clockDrift = 5 * time.Minute
	// searchPages limits a search to 500 videos, more than a channel can upload after an arm.
	searchPages = 10
)

// listedVideo is an entry of a playlist.
type listedVideo struct {
	Snippet struct {
		Title       string    `json:"title"`
		Description string    `json:"description"`
		At          time.Time `json:"publishedAt"`
	} `json:"snippet"`
	Details struct {
		ID string `json:"videoId"`
	} `json:"contentDetails"`
}

// FindPost searches the channel's uploads since the arm for one with the same title and description.
func (n *Network) FindPost(ctx context.Context, it network.Item) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return network.Status{}, errors.New("cannot search YouTube for a video that was never armed")
	}
	since := it.ArmedAt.Add(-clockDrift)
	var found []string
	query := url.Values{
		"part": {"snippet,contentDetails"}, "playlistId": {uploadsPlaylistID(it.Profile)}, "maxResults": {"50"},
	}
	for range searchPages {
		var page struct {
			Items []listedVideo `json:"items"`
			Next  string        `json:"nextPageToken"`
		}
		if err := n.getJSON(ctx, "/playlistItems", it.Token.Access, query, &page); err != nil {
			return network.Status{}, err
		}
		older := false
		for _, v := range page.Items {
			older = older || v.Snippet.At.Before(since)
			if !v.Snippet.At.Before(since) && isSameText(v.Snippet.Title, it.Title) &&
				isSameText(v.Snippet.Description, it.Text) && !slices.Contains(it.Known, v.Details.ID) {
				found = append(found, v.Details.ID)
			}
		}
		if older || page.Next == "" {
			break
		}
		query.Set("pageToken", page.Next)
	}
	switch len(found) {
	case 0:
		return network.Status{Verdict: core.Absent}, nil
	case 1:
		return doneStatus(found[0]), nil
	}
	return network.Status{Verdict: core.Ambiguous}, nil
}

// uploadsPlaylistID returns the id of the playlist of all uploads of a channel.
func uploadsPlaylistID(channel string) string { return "UU" + strings.TrimPrefix(channel, "UC") }

// isSameText reports whether texts are equal as YouTube stores them: without surrounding white space and with line
// feeds only.
func isSameText(a, b string) bool {
	normal := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return normal(a) == normal(b)
}
