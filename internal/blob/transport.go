package blob

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Bounds of a connection to a bucket. A server that was frozen neither answers nor hangs up.
const (
	dialTimeout = 10 * time.Second
	idleTimeout = 60 * time.Second // with no byte in either direction
	poolIdle    = 5 * time.Second  // servers close theirs after ten or more; and less than silence
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

// idleTimeoutConn is a connection that fails if no bytes move for a while.
type idleTimeoutConn struct {
	net.Conn
	idleTimeout time.Duration
}

// Read extends the deadline only if bytes arrived.
func (c idleTimeoutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.extendDeadline()
	return n, err
}

// Write also extends the read deadline, because the response can arrive only after the request.
func (c idleTimeoutConn) Write(p []byte) (int, error) {
	c.extendDeadline()
	n, err := c.Conn.Write(p)
	c.extendDeadline()
	return n, err
}

// extendDeadline ignores errors: they mean that the connection is closed, which the next call reports.
func (c idleTimeoutConn) extendDeadline() {
	_ = c.SetDeadline(time.Now().Add(c.idleTimeout)) //nolint:forbidigo // a connection lives by the machine's clock
}
