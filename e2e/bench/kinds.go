package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"belfry/internal/media/mediatest"
)

// postKind is a kind of post on a network.
type postKind struct {
	network, file string
	settings      map[string]any
}

// chooseKind returns the kind of the nth post.
type chooseKind func(n int) postKind

// chooseText makes every post a text post.
func chooseText(n int) postKind { return postKind{network: []string{"threads", "facebook"}[n%2]} }

// chooseAny uses every network as often as its limits allow for many posts on manyAccounts accounts.
func chooseAny(n int) postKind {
	switch at := n % 1000; {
	case at < 6:
		return postKind{network: "tiktok", file: clip}
	case at < 14:
		return postKind{network: "youtube", file: clip}
	case at < 214:
		return postKind{network: "instagram", file: picture}
	case at < 264:
		return postKind{network: "threads", file: picture}
	case at < 314:
		return postKind{network: "facebook", file: picture}
	}
	return chooseText(n)
}

// chooseReel makes every post a Reel.
func chooseReel(n int) postKind {
	return postKind{
		network: []string{"instagram", "facebook"}[n%2], file: clip, settings: map[string]any{"contentType": "reels"},
	}
}

// Names of files.
const (
	picture = "picture.jpg"
	clip    = "clip.mp4"
)

// uploadFiles uploads the files that posts need.
func (p *publisher) uploadFiles(ctx context.Context, posts int, choose chooseKind) error {
	for n := range posts {
		name := choose(n).file
		if name == "" || p.files[name] != "" {
			continue
		}
		content := mediatest.JPEG(640, 640)
		if name == clip {
			content = mediatest.MP4(mediatest.Movie{Duration: 5 * time.Second, Audio: "mp4a"})
		}
		id, err := p.uploadFile(ctx, name, content)
		if err != nil {
			return fmt.Errorf("upload %s: %w", name, err)
		}
		p.files[name] = id
	}
	return nil
}

// uploadFile uploads a file, and returns its id once it is ready.
func (p *publisher) uploadFile(ctx context.Context, name string, content []byte) (string, error) {
	var made struct{ MediaID, UploadURL string }
	body := map[string]any{"filename": name, "mime": "application/octet-stream", "size": len(content)}
	if err := p.call(ctx, p.seed.Key, http.MethodPost, "/media/uploads", body, &made); err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, made.UploadURL, bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		return "", errors.Join(fmt.Errorf("the response to the upload is %s", answer.Status), err)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; {
		var m struct{ Status string }
		err := p.call(ctx, p.seed.Key, http.MethodGet, "/media/"+made.MediaID, nil, &m)
		if err != nil || m.Status == "ready" {
			return made.MediaID, err
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("after a minute, the status of the file is %s", m.Status)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-tick.C:
		}
	}
}
