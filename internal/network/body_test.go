package network_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// openBytes is a file in memory that counts how often it is closed.
type openBytes struct {
	*bytes.Reader
	closed *atomic.Int64
}

func (o openBytes) Close() error {
	o.closed.Add(1)
	return nil
}

// fileOf returns a file with these bytes. opened and closed count its openings and closings.
func fileOf(content string) (f network.File, opened, closed *atomic.Int64) {
	opened, closed = &atomic.Int64{}, &atomic.Int64{}
	return network.File{
		Media: core.Media{FileFacts: core.FileFacts{Mime: "video/mp4"}},
		Open: func(context.Context) (io.ReadSeekCloser, error) {
			opened.Add(1)
			return openBytes{bytes.NewReader([]byte(content)), closed}, nil
		},
	}, opened, closed
}

func TestARequestHasABodyInJSON(t *testing.T) {
	t.Parallel()
	var got string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Header.Get("Content-Type") + " " + string(body)
		_, _ = io.WriteString(w, ok)
	})
	c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
	_, err := c.CallOnce(t.Context(), network.Request{
		Method: http.MethodPost, URL: "https://a.example/", JSON: map[string]any{"text": "a", "n": 1},
	})
	if want := `application/json; charset=UTF-8 {"n":1,"text":"a"}`; err != nil || got != want {
		t.Errorf("want %s, got %s, %v", want, got, err)
	}
}

func TestAPartOfAFileIsSentWithItsSize(t *testing.T) {
	t.Parallel()
	var got string
	var length int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, length = r.Header.Get("Content-Type")+" "+string(body), r.ContentLength
		_, _ = io.WriteString(w, ok)
	})
	c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
	f, opened, closed := fileOf("0123456789")
	for part, want := range map[[2]int64]string{{0, 4}: "0123", {4, 5}: "45678", {9, 1}: "9"} {
		_, err := c.CallOnce(t.Context(), network.Request{
			Method: http.MethodPut, URL: "https://a.example/", Body: f.PartBody(part[0], part[1]),
		})
		if err != nil || got != "video/mp4 "+want || length != part[1] {
			t.Errorf("part %v: want %q, got %q of %d bytes, %v", part, want, got, length, err)
		}
	}
	if opened.Load() != 3 || closed.Load() != 3 {
		t.Errorf("opened %d times, closed %d times", opened.Load(), closed.Load())
	}
	_, err := c.CallOnce(t.Context(), network.Request{Method: http.MethodPut, URL: "https://a.example/", Body: f.PartBody(10, 0)})
	if err != nil || got != " " || length != 0 {
		t.Errorf("nothing of the file: got %q of %d bytes, %v", got, length, err)
	}
}

// What cannot be read was not sent, and what was not sent is closed.
func TestBytesThatCannotBeReadAreNotSent(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	s := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
	broken := network.File{Open: func(context.Context) (io.ReadSeekCloser, error) { return nil, errors.New("disk on fire") }}
	_, err := c.CallOnce(t.Context(), network.Request{Method: http.MethodPut, URL: "https://a.example/", Body: broken.PartBody(0, 1)})
	if want := "not_sent: The call was not made: a file could not be read: disk on fire."; err == nil || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
	late, cancel := network.WithMonotonicAndWallDeadline(t.Context(), time.Now(), time.Now().Add(time.Minute))
	defer cancel()
	f, opened, closed := fileOf("0123456789")
	_, err = c.CallOnce(late, network.Request{
		Method: http.MethodPut, URL: "https://a.example/", Body: f.PartBody(0, 1),
		Header: http.Header{"Idempotency-Key": {"1"}},
	})
	if kindOf(t, err) != network.NotSent || opened.Load() != closed.Load() {
		t.Errorf("got %v; opened %d times, closed %d times", err, opened.Load(), closed.Load())
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// A connection that breaks while bytes are sent costs that call and no other.
func TestBytesAreSentOnce(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, ok)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	})
	c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
	f, opened, closed := fileOf(strings.Repeat("x", 1<<20))
	request := network.Request{Method: http.MethodPut, URL: "https://a.example/", Body: f.PartBody(0, 1<<20)}
	if _, err := c.CallOnce(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	_, err := c.CallOnce(t.Context(), request)
	if kindOf(t, err) != network.Unknown || requests.Load() != 2 || opened.Load() != 2 {
		t.Errorf("want unknown after two requests, got %v after %d; opened %d times", err, requests.Load(), opened.Load())
	}
	if closed.Load() != 2 {
		t.Errorf("closed %d times", closed.Load())
	}
}

func TestACallNamesTheStatusesThatAreComplete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status   int
		location string
		body     string
		complete []int
		kind     network.ErrorKind
	}{
		"an empty success":                {200, "", "", []int{200}, ""},
		"an empty success not named":      {200, "", "", nil, network.Unknown},
		"another is named":                {201, "", "", []int{200}, network.Unknown},
		"a created session":               {200, "https://a.example/session", "", []int{200}, ""},
		"between two parts":               {308, "", "", []int{308}, ""},
		"a redirect to elsewhere":         {308, "/elsewhere", "", []int{308}, network.Unknown},
		"between two parts, not expected": {308, "", "", []int{200}, network.Unknown},
		"a page where that is complete":   {206, "", "<html>", []int{206}, ""},
		"JSON whatever is named":          {400, "", ok, []int{308}, ""},
	} {
		var requests atomic.Int64
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			if c.location != "" {
				w.Header().Set("Location", c.location)
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		resp, err := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)}).CallOnce(t.Context(), network.Request{
			Method: http.MethodPut, URL: "https://a.example/", CompleteWithoutJSON: c.complete,
		})
		if n := requests.Load(); n != 1 {
			t.Errorf("%s: %d requests", name, n)
		}
		if c.kind != "" {
			if kindOf(t, err) != c.kind {
				t.Errorf("%s: want %s, got %v", name, c.kind, err)
			}
			continue
		}
		if err != nil || resp.Status != c.status || resp.Header.Get("Location") != c.location || string(resp.Body) != c.body {
			t.Errorf("%s: got %+v, %v", name, resp, err)
		}
	}
}

// Whoever has the address of an upload may send bytes to it.
func TestTheAddressOfAnUploadDoesNotComeBack(t *testing.T) {
	t.Parallel()
	const id = "AHmUCY0123456789"
	for _, body := range []string{
		`{"upload_url":"https://up.example/x?upload_id=` + id, `no session ` + id + ` here`, `https://up.example/?upload_id=` + id,
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		c := client(t, network.ClientConfig{NetworksURL: parsed(t, s.URL)})
		_, err := c.CallOnce(t.Context(), network.Request{Method: http.MethodPut, URL: "https://up.example/x?upload_id=" + id})
		var e *network.Error
		if !errors.As(err, &e) || strings.Contains(string(e.Raw)+e.Error(), id) {
			t.Errorf("%s: told in %v", body, err)
		}
	}
}
