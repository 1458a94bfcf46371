package main

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// trustedIdle is how long a connection is idle before a pool checks that it still works.
	trustedIdle = time.Second
	// unpingedIdle is how long it is idle before the check is a ping. A ping also finds a connection that a device on the
	// way has dropped without a word, which takes minutes.
	unpingedIdle = 15 * time.Second
)

// shouldPing reports whether a pool pings a connection before it is used. A service at rest would ping before most of
// its statements, so a connection that was idle for a short time is only pinged if its socket is not quiet: a database
// that has ended the connection has closed the socket or sent a message.
func shouldPing(_ context.Context, p pgxpool.ShouldPingParams) bool {
	return p.IdleDuration > trustedIdle &&
		(p.IdleDuration > unpingedIdle || !isSocketQuiet(p.Conn.PgConn().Conn()))
}

// isSocketQuiet reports whether nothing has arrived on a connection, not even its end. It returns false for a
// connection with TLS, which has no socket of its own.
func isSocketQuiet(conn net.Conn) (quiet bool) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = errors.Is(err, syscall.EAGAIN)
	})
	return err == nil && quiet
}
