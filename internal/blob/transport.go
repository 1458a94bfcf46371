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
	silence     = 60 * time.Second // with no byte in either direction
	poolIdle    = 5 * time.Second  // servers close theirs after ten or more; and less than silence
	poolSize    = 64
)

func newTransport(silence time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return impatient{c, silence}, nil
		},
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: poolSize,
		IdleConnTimeout:     poolIdle,
		DisableCompression:  true,
		WriteBufferSize:     64 << 10,
		ReadBufferSize:      64 << 10,
	}
}

// impatient is a connection that ends when nothing moves on it.
type impatient struct {
	net.Conn
	silence time.Duration
}

// Read moves the deadline only when bytes came.
func (c impatient) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.extend()
	return n, err
}

// Write moves the deadline of reading too: the answer is due only after the question.
func (c impatient) Write(p []byte) (int, error) {
	c.extend()
	n, err := c.Conn.Write(p)
	c.extend()
	return n, err
}

// extend's failure means that the connection is closed, as the next call on it will say.
func (c impatient) extend() {
	_ = c.SetDeadline(time.Now().Add(c.silence)) //nolint:forbidigo // a connection lives by the machine's clock
}
