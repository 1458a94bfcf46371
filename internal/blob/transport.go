package blob

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Limits of connections to a bucket. Without them, requests to a frozen server would never end.
const (
	dialTimeout = 10 * time.Second
	idleTimeout = 60 * time.Second // without a byte in either direction
	poolIdle    = 5 * time.Second  // shorter than idleTimeout, and than the ten or more seconds of most servers
	poolSize    = 64
)

func newTransport(idleTimeout time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return idleTimeoutConn{c, idleTimeout}, nil
		},
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: poolSize,
		IdleConnTimeout:     poolIdle,
		DisableCompression:  true,
		WriteBufferSize:     64 << 10,
		ReadBufferSize:      64 << 10,
	}
}

// idleTimeoutConn is a connection that fails if no bytes are transferred for idleTimeout.
type idleTimeoutConn struct {
	net.Conn
	idleTimeout time.Duration
}

// Read implements net.Conn. It extends the deadline after each call.
func (c idleTimeoutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.extendDeadline()
	return n, err
}

// Write implements net.Conn. It also extends the read deadline, because the response arrives only after the request.
func (c idleTimeoutConn) Write(p []byte) (int, error) {
	c.extendDeadline()
	n, err := c.Conn.Write(p)
	c.extendDeadline()
	return n, err
}

// extendDeadline moves the deadline to idleTimeout from now. An error would mean that the connection is closed, which
// the next call reports.
func (c idleTimeoutConn) extendDeadline() {
	_ = c.SetDeadline(time.Now().Add(c.idleTimeout)) //nolint:forbidigo // connections use the machine's clock
}
