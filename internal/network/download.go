package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// DownloadSimulated reads a file of at most maxBytes from an https address of a simulated network, without a
// credential. It fails for real networks, whose files can be on any host.
func (c *Client) DownloadSimulated(ctx context.Context, address string, maxBytes int64) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || c.calls == nil {
		return nil, errors.New("download a file: the address does not belong to a simulated network")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, nestURL(c.calls, u), http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("download a file: status %d", answer.StatusCode)
	case int64(len(body)) > maxBytes:
		return nil, fmt.Errorf("download a file: it is larger than %d bytes", maxBytes)
	}
	return body, nil
}
