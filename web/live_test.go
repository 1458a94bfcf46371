package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/media/mediatest"
	"belfry/internal/network/sim"
)

// stream is an open page's connection.
type stream struct {
	t      *testing.T
	status int
	lines  chan string // closed at its end
	event  string      // the name of the event that is being read
}

// listen opens a stream of the workspace with the slug one at a server that runs.
func (b *browser) listen(server string) *stream {
	b.r.t.Helper()
	request, err := http.NewRequestWithContext(b.r.t.Context(), http.MethodGet, server+"/w/one/live", nil)
	must(b.r.t, err)
	request.Host = b.host
	request.Header.Set("Accept", "text/event-stream")
	for _, c := range b.cookies {
		request.AddCookie(c)
	}
	answer, err := http.DefaultClient.Do(request)
	must(b.r.t, err)
	b.r.t.Cleanup(func() { answer.Body.Close() })
	s := &stream{t: b.r.t, status: answer.StatusCode, lines: make(chan string, 100)}
	go func() {
		defer close(s.lines)
		for read := bufio.NewScanner(answer.Body); read.Scan(); {
			s.lines <- read.Text()
		}
	}()
	return s
}

// next is the next change, or nil at the end of the stream.
func (s *stream) next() *app.Changes {
	s.t.Helper()
	data, ok := s.nextData("change")
	if !ok {
		return nil
	}
	var c app.Changes
	must(s.t, json.Unmarshal([]byte(data), &c))
	return &c
}

// nextData is the data of the next event with a name; ok is false at the end of the stream.
func (s *stream) nextData(event string) (data string, ok bool) {
	s.t.Helper()
	timeout := time.After(20 * time.Second) // heartbeats do not prolong it
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				return "", false
			}
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				s.event = name
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok && s.event == event {
				return data, true
			}
		case <-timeout:
			s.t.Fatalf("no %s is heard for 20 seconds", event)
		}
	}
}

// waitFor reads changes until one names an id.
func (s *stream) waitFor(id string) {
	s.t.Helper()
	for {
		c := s.next()
		if c == nil {
			s.t.Fatalf("the stream has ended before a change of %s", id)
		}
		if strings.Contains(strings.Join(append(c.Posts, c.Media...), " "), id) {
			return
		}
	}
}

// wait reads until the stream ends.
func (s *stream) waitForEnd() {
	s.t.Helper()
	for s.next() != nil {
	}
}

func TestAnOpenPageHearsWhatChangesInItsWorkspace(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	server := httptest.NewServer(s.server)
	defer server.CloseClientConnections()
	other := s.Workspace("two")
	foreign := other.Draft("elsewhere", other.Account("threads"))
	post := s.ws.Now("ding", s.threads)
	heard := s.b.listen(server.URL)
	if heard.status != http.StatusOK {
		t.Fatalf("the stream answers %d", heard.status)
	}
	heard.waitFor(post.ID) // made just before the page was opened
	s.Clock.Advance(time.Minute)
	s.work(post)
	for {
		c := heard.next()
		if strings.Contains(strings.Join(c.Posts, " "), foreign.ID) {
			t.Error("it hears of another workspace")
		}
		if s.show(post).status(t) == "live" {
			break
		}
	}
	heard.waitFor(s.ws.Upload("picture.jpg", mediatest.JPEG(64, 64)).ID)
}

// The number of failed posts came with the page, and was lost when a part of the page was updated.
func TestAnOpenPageHearsHowManyPostsHaveFailed(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	server := httptest.NewServer(s.server)
	defer server.CloseClientConnections()
	heard := s.b.listen(server.URL)
	waitForNumber := func(want string) {
		t.Helper()
		for {
			got, ok := heard.nextData("failed")
			if !ok {
				t.Fatalf("the stream has ended before the number %s", want)
			}
			if got == want {
				return
			}
		}
	}
	waitForNumber(`""`)
	twice := 2
	s.Fault(sim.Fault{Network: "threads", Call: "create", Kind: sim.Reject, Times: &twice})
	first, second := s.ws.Now("ding", s.threads), s.ws.Now("dong", s.threads)
	s.work(first)
	waitForNumber(`"1"`)
	s.work(second)
	waitForNumber(`"2"`)
	s.act(first, "retry")
	s.work(first)
	waitForNumber(`"1"`)
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	server := httptest.NewServer(s.server)
	defer server.CloseClientConnections()
	heard := s.b.listen(server.URL)
	before := *s.b
	s.b.post("/sign-out").leads(t, "/sign-in")
	s.ws.Now("ding", s.threads)
	if c := heard.next(); c != nil {
		t.Errorf("after signing out, the page hears of %v", c.Posts)
	}
	if again := before.listen(server.URL); again.status != http.StatusNoContent {
		t.Errorf("without a session, a stream answers %d", again.status)
	}
}

func TestTheServersStopDoesNotWaitForStreams(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	ctx, stop := context.WithCancel(t.Context())
	must(t, s.server.Listen(ctx))
	stopped := make(chan error, 1)
	go func() { stopped <- s.server.Run(ctx) }()
	_, port, err := net.SplitHostPort(s.server.Addr())
	must(t, err)
	heard := s.b.listen("http://127.0.0.1:" + port)
	began := time.Now()
	stop()
	heard.waitForEnd()
	must(t, <-stopped)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the stop takes %s", took)
	}
}

func TestASessionHasSoManyStreams(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	server := httptest.NewServer(s.server)
	defer server.CloseClientConnections()
	for range 8 {
		if got := s.b.listen(server.URL).status; got != http.StatusOK {
			t.Fatalf("a stream answers %d", got)
		}
	}
	if got := s.b.listen(server.URL).status; got != http.StatusNoContent {
		t.Errorf("one too many answers %d", got)
	}
	if got := s.as(s.ws).listen(server.URL).status; got != http.StatusOK {
		t.Errorf("another session's stream answers %d", got)
	}
}

func TestAStreamIsNoSignOfAPerson(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	server := httptest.NewServer(s.server)
	defer server.CloseClientConnections()
	s.Clock.Advance(11 * time.Hour)
	heard := s.b.listen(server.URL)
	s.Clock.Advance(2 * time.Hour)
	s.ws.Now("ding", s.threads)
	if c := heard.next(); c != nil {
		t.Errorf("13 hours after the person did something, the page hears of %v", c.Posts)
	}
}
