package e2e

import (
	"io"
	"strings"
	"sync"
)

// slowBody is a request's body whose second half waits until rest is closed.
type slowBody struct {
	first, second *strings.Reader
	begun, rest   chan struct{}
	once          sync.Once
}

func newSlowBody(first, second string) *slowBody {
	return &slowBody{
		first: strings.NewReader(first), second: strings.NewReader(second), begun: make(chan struct{}),
		rest: make(chan struct{}),
	}
}

// Read gives the first half, says that it has, and waits.
func (b *slowBody) Read(p []byte) (int, error) {
	n, err := b.first.Read(p)
	if err != io.EOF {
		return n, err
	}
	b.once.Do(func() { close(b.begun) })
	<-b.rest
	return b.second.Read(p)
}
