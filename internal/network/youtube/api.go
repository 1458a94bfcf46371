package youtube

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"belfry/internal/network"
)

const (
	apiBase    = "https://www.googleapis.com/youtube/v3"
	uploadBase = "https://www.googleapis.com/upload/youtube/v3"
)

// getJSON makes a GET call to the Data API and decodes the response.
func (n *Network) getJSON(ctx context.Context, path string, token network.Secret, query url.Values, out any) error {
	return n.callJSON(ctx, network.Request{Method: http.MethodGet, URL: apiBase + path, Query: query, Token: token}, out)
}

// callJSON makes a call and decodes its JSON response, unless out is nil.
func (n *Network) callJSON(ctx context.Context, request network.Request, out any) error {
	resp, err := n.sendRequest(ctx, request)
	if err == nil && out != nil && json.Unmarshal(resp.Body, out) != nil {
		return resp.AttachRedactedTo(network.Error{Kind: network.Unknown, Message: "YouTube responded in an unexpected way."})
	}
	return err
}

// sendRequest makes a call. A status other than a success or 308 is an error.
func (n *Network) sendRequest(ctx context.Context, request network.Request) (successOr308 *network.Response, _ error) {
	resp, err := n.client.CallOnce(ctx, request)
	switch {
	case err != nil:
		return nil, err
	case resp.Status/100 != 2 && resp.Status != http.StatusPermanentRedirect:
		return nil, newAPIError(resp, n.now())
	}
	return resp, nil
}
