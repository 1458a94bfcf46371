package network

import "net/http"

// Client is the one HTTP client through which every network is reached.
type Client struct{ http *http.Client }
