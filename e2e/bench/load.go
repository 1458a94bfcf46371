package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// request returns the next request of a client, which is sent unchanged.
type request func(client, n int) []byte

// load is a fixed number of clients that send requests to one server without pauses. Like real clients, each has its
// own connection and, if the machine allows it, its own loopback address.
type load struct {
	clients []*client
}

type client struct {
	conn net.Conn
	in   *bufio.Reader
	n    int
}

func dial(ctx context.Context, addr string, clients int) (*load, error) {
	l := &load{}
	for i := range clients {
		from := &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(i+1))}
		conn, err := (&net.Dialer{LocalAddr: from}).DialContext(ctx, "tcp", addr)
		if err != nil { // not every system has more than one loopback address
			conn, err = new(net.Dialer).DialContext(ctx, "tcp", addr)
		}
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.clients = append(l.clients, &client{conn: conn, in: bufio.NewReader(conn)})
	}
	return l, nil
}

func (l *load) close() error {
	var err error
	for _, c := range l.clients {
		err = errors.Join(err, c.conn.Close())
	}
	return err
}

// turn sends requests for the given time. It returns the number of requests per second, and the processor time that
// each took of the programs under test and of their database.
func (l *load) turn(ctx context.Context, length time.Duration, want int, next request,
) (rate float64, each time.Duration, err error) {
	before, err := descendantsProcessorTime()
	if err != nil {
		return 0, 0, err
	}
	group, ctx := errgroup.WithContext(ctx)
	counts, began := make([]int, len(l.clients)), time.Now()
	for i, c := range l.clients {
		group.Go(func() error {
			for time.Since(began) < length && ctx.Err() == nil {
				if err := c.ask(next(i, c.n), want); err != nil {
					return err
				}
				c.n++
				counts[i]++
			}
			return ctx.Err()
		})
	}
	err = group.Wait()
	took, total := time.Since(began), 0
	for _, n := range counts {
		total += n
	}
	after, timeErr := descendantsProcessorTime()
	return float64(total) / took.Seconds(), (after - before) / time.Duration(max(total, 1)), errors.Join(err, timeErr)
}

// ask sends a request and reads the whole response. It does nothing else, so that the load leaves the processor to the
// servers.
func (c *client) ask(request []byte, want int) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if len(line) < 12 || string(line[9:12]) != strconv.Itoa(want) {
		rest := make([]byte, min(c.in.Buffered(), 4096))
		_, _ = c.in.Read(rest)
		return fmt.Errorf("the response is %q, want %d: %s", bytes.TrimSpace(line), want, rest)
	}
	length := -1
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := strings.Cut(string(line), ":")
		if strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("a response has no Content-Length header")
	}
	_, err = io.CopyN(io.Discard, c.in, int64(length))
	return err
}
