package facebook

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// createVideo lets the network fetch a Page video that nobody sees until its publishing.
func (n *Network) createVideo(ctx context.Context, it network.Item) (string, error) {
	form := words(map[string]string{"title": it.Title, "description": message(it), "file_url": it.Files[0].URL})
	form.Set("published", "false")
	return n.made(ctx, it, "/videos", form)
}

func (n *Network) statusOfVideo(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	v, err := n.video(ctx, it, handle)
	switch {
	case err != nil:
		return n.missing(it, err)
	case v.Published:
		return network.Status{Verdict: core.Done, ExternalID: handle}, nil
	case v.Status.Video == videoReady:
		return network.Status{Verdict: core.Ready}, nil
	}
	return v.unready(it)
}

func (n *Network) publishVideo(ctx context.Context, it network.Item, handle string) (string, error) {
	err := n.graph.Post(ctx, "/"+url.PathEscape(handle), it.Token.Access, url.Values{"published": {"true"}}, &success{})
	return "", n.judged(ctx, err, it.Token)
}

// createReel begins a Reel and gives the network the address of its file.
func (n *Network) createReel(ctx context.Context, it network.Item) (string, error) {
	return n.begin(ctx, it, "/video_reels")
}

// statusOfReel asks about the video.
func (n *Network) statusOfReel(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	v, err := n.video(ctx, it, handle)
	publishing := v.Status.Publishing
	switch {
	case err != nil:
		return n.missing(it, err)
	case publishing.complete() && publishing.Publish == publishPublished:
		return network.Status{Verdict: core.Done, ExternalID: handle}, nil
	}
	return v.uploaded(it)
}

func (n *Network) publishReel(ctx context.Context, it network.Item, handle string) (string, error) {
	form := words(map[string]string{"title": it.Title, "description": message(it)})
	form.Set("upload_phase", "finish")
	form.Set("video_id", handle)
	form.Set("video_state", "PUBLISHED")
	return "", n.post(ctx, it, "/video_reels", form, &success{})
}

// success is the answer to what was taken, and to nothing else.
type success struct{}

// UnmarshalJSON takes an object that says so.
func (*success) UnmarshalJSON(data []byte) error {
	var out struct {
		Success bool `json:"success"`
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return err
	}
	if !out.Success {
		return errors.New("no success")
	}
	return nil
}

// begin makes a video at an edge that takes it in phases.
func (n *Network) begin(ctx context.Context, it network.Item, edge string) (string, error) {
	var out struct {
		ID     meta.ID `json:"video_id"`
		Upload string  `json:"upload_url"`
	}
	if err := n.post(ctx, it, edge, url.Values{"upload_phase": {"start"}}, &out); err != nil {
		return "", err
	}
	if u, err := url.Parse(out.Upload); err != nil || out.ID == "" || u.Scheme != "https" || u.Host != uploads || !strings.HasSuffix(u.Path, "/"+string(out.ID)) {
		return "", &network.Error{Kind: network.Unknown, Message: "Facebook answered without a place for the upload."}
	}
	token := it.Token.Access
	err := n.graph.Send(ctx, network.Request{
		Method: http.MethodPost, URL: out.Upload, Secrets: []network.Secret{token},
		Header: http.Header{"Authorization": {"OAuth " + token.Reveal()}, "file_url": {it.Files[0].URL}},
	}, &success{})
	return string(out.ID), n.judged(ctx, err, it.Token)
}

// Words of a video's status.
const (
	videoReady       = "ready"
	videoExpired     = "expired"
	publishPublished = "published"
)

// film is a video as the network tells of it.
type film struct {
	Published bool `json:"published"`
	Status    struct {
		Video      string `json:"video_status"`
		Uploading  phase  `json:"uploading_phase"`
		Processing phase  `json:"processing_phase"`
		Publishing phase  `json:"publishing_phase"`
	} `json:"status"`
}

type phase struct {
	Status  string    `json:"status"`
	Publish string    `json:"publish_status"`
	Error   *problem  `json:"error"`
	Errors  []problem `json:"errors"`
}

type problem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// complete knows both spellings: the network's own documents disagree.
func (p phase) complete() bool { return p.Status == "complete" || p.Status == "completed" }

func (n *Network) video(ctx context.Context, it network.Item, id string) (v film, err error) {
	return v, n.get(ctx, it, "/"+url.PathEscape(id), url.Values{"fields": {"status,published"}}, &v)
}

func (v film) phases() []phase {
	return []phase{v.Status.Uploading, v.Status.Processing, v.Status.Publishing}
}

// failed tells whether the network has given the video up.
func (v film) failed() bool {
	return slices.Contains([]string{"error", "upload_failed", videoExpired}, v.Status.Video) ||
		slices.ContainsFunc(v.phases(), func(p phase) bool { return p.Status == "error" || p.Publish == "error" })
}

// uploaded is the status of a video of which the file is enough to publish it. What the network has taken for
// publishing becomes visible when it is processed; until then it is not called for again.
func (v film) uploaded(it network.Item) (network.Status, error) {
	taken := !it.ArmedAt.IsZero() && v.Status.Publishing.Publish == publishPublished
	if !v.failed() && !taken && v.Status.Uploading.complete() {
		return network.Status{Verdict: core.Ready}, nil
	}
	return v.unready(it)
}

// unready is the status of a video that cannot be published, or not yet. What is wrong with the file itself
// would be wrong with another upload of it too.
func (v film) unready(it network.Item) (network.Status, error) {
	if !v.failed() {
		return network.Status{Verdict: core.Pending, Code: v.Status.Video}, nil
	}
	dead := network.Status{Verdict: core.Dead, Code: v.Status.Video, Message: "Facebook could not use the video: " + v.Status.Video}
	for _, p := range v.phases() {
		problems := p.Errors
		if p.Error != nil {
			problems = append(problems, *p.Error)
		}
		for _, x := range problems {
			dead.Message = x.Message
			row := table.Row(meta.Code{Code: x.Code})
			if it.ArmedAt.IsZero() && row.Kind == network.Rejected && x.Code != 0 {
				return network.Status{}, &network.Error{Kind: network.Rejected, Code: strconv.Itoa(x.Code), Message: x.Message, Hint: row.Hint}
			}
		}
	}
	return dead, nil
}
