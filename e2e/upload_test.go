package e2e

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// openUpload is a request to an upload address as no client library would send it: head and body are what they are,
// and the connection stays open until it is closed.
func openUpload(t testing.TB, address, head, body string) net.Conn {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(
		conn, "PUT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n%s", u.RequestURI(), u.Host, head, body,
	); err != nil {
		t.Fatal(err)
	}
	return conn
}

// readAnswer reads the answer on a connection.
func readAnswer(t testing.TB, conn net.Conn) (a answer) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	got, err := http.ReadResponse(reader, nil)
	if err == nil && got.StatusCode == http.StatusContinue {
		got, err = http.ReadResponse(reader, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	raw, err := io.ReadAll(got.Body)
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err != nil {
		t.Fatalf("%d %s: %v", got.StatusCode, raw, err)
	}
	a.Status, a.Raw, a.Header = got.StatusCode, string(raw), map[string]string{
		"Retry-After": got.Header.Get("Retry-After"),
	}
	return a
}

func (a answer) checkAnswer(t testing.TB, what string, status int, code string) {
	t.Helper()
	if a.Status != status || a.Code != code || code != "" && a.Message == "" {
		t.Errorf("%s is answered %d %s; want %d %s", what, a.Status, a.Raw, status, code)
	}
}

// Every way in which an upload address refuses, and that none of them leaves anything.
func TestUploadAddressRefusals(t *testing.T) {
	t.Parallel()
	s, c := newLibrary(t, "owner")
	content := string(mediatest.PNG(64, 48))
	length := fmt.Sprintf("Content-Length: %d\r\n", len(content))
	u, other := c.reserveUpload("bell.png", len(content)), c.uploadFile("other.png", mediatest.PNG(8, 8))
	thumbnail := *c.waitForFile(t, other.MediaID).ThumbnailURL
	var before fileCounts
	eventually(t, workerTimeout, "the other file has come to rest", func() bool {
		before = s.countFiles(c)
		return before.blobs == 2 && before.unfinished == 0
	})

	readAnswer(
		t,
		openUpload(
			t, u.UploadURL, "Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(content), content),
		),
	).checkAnswer(t, "a body of unknown length", 411, "size_mismatch")
	readAnswer(t, openUpload(t, u.UploadURL, "", "")).checkAnswer(t, "no body at all", 411, "size_mismatch")
	readAnswer(
		t, openUpload(t, u.UploadURL, "Content-Length: 0\r\n", ""),
	).checkAnswer(t, "an empty body", 400, "size_mismatch")
	readAnswer(
		t, openUpload(t, u.UploadURL, "Content-Length: 1000000000000\r\nExpect: 100-continue\r\n", ""),
	).checkAnswer(t, "a body of a terabyte", 400, "size_mismatch")
	readAnswer(
		t, openUpload(t, u.UploadURL, "Content-Length: 5\r\n", "hello"),
	).checkAnswer(t, "a short body", 400, "size_mismatch")

	address, token := u.UploadURL[:strings.LastIndex(
		u.UploadURL, "/",
	)+1], u.UploadURL[strings.LastIndex(u.UploadURL, "/")+1:]
	theirs := strings.Split(thumbnail, "/")
	for what, wrong := range map[string]string{
		"a changed signature":         token[:len(token)-2] + changeLetters(token[len(token)-2:]),
		"a changed payload":           changeLetters(token[:2]) + token[2:],
		"half a signature":            token[:len(token)/2],
		"a longer one":                token + "A",
		"a thumbnail's":               theirs[len(theirs)-2],
		"nonsense":                    "nonsense",
		"one with a path in it":       "..%2f" + token,
		"one that is percent-encoded": "%00" + token,
	} {
		readAnswer(t, openUpload(t, address+wrong, length, content)).checkAnswer(t, what, 404, "not_found")
	}
	for _, method := range []string{"GET", "HEAD", "POST", "PATCH", "DELETE"} {
		if status, header, _ := sendRequest(t, method, u.UploadURL, nil, nil); status != 405 ||
			!strings.Contains(header.Get("Allow"), "PUT") {
			t.Errorf("%s answers %d, Allow %q", method, status, header.Get("Allow"))
		}
	}
	if got := s.countFiles(c); got != before {
		t.Errorf("refusals left %+v; before there was %+v", got, before)
	}
	if f := c.getFile(u.MediaID); f.Status != "uploading" {
		t.Errorf("the file is %+v", f)
	}

	// None of it has used the address up; and a credential, a type or an encoding make no difference to it.
	readAnswer(
		t,
		openUpload(
			t, u.UploadURL,
			length+"Authorization: Bearer nobody\r\nContent-Type: text/html\r\nExpect: 100-continue\r\nIdempotency-Key: k\r\n",
			content,
		),
	)
	eventually(t, workerTimeout, "the file is ready", func() bool { return c.getFile(u.MediaID).Status == "ready" })
}

// changeLetters changes every letter to another one.
func changeLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if r == 'A' {
			return 'B'
		}
		return 'A'
	}, s)
}

// Two at once: one is told to wait. One that breaks off makes way for the next.
func TestBrokenUploadCanBeRepeated(t *testing.T) {
	t.Parallel()
	s, c := newLibrary(t, "owner")
	content := mediatest.MP4(mediatest.Movie{Size: 3 << 20})
	u := c.reserveUpload("clip.mp4", len(content))
	length := fmt.Sprintf("Content-Length: %d\r\n", len(content))
	first := openUpload(t, u.UploadURL, length, string(content[:1<<20]))
	eventually(t, workerTimeout, "the first bytes are on the disk", func() bool { return s.countFiles(c).unfinished == 1 })
	second := readAnswer(t, openUpload(t, u.UploadURL, length, string(content)))
	if second.checkAnswer(t, "a second one at once", 409, "upload_in_progress"); second.Header["Retry-After"] == "" {
		t.Error("it does not say when to come again")
	}
	for range 3 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		eventually(
			t, workerTimeout, "nothing is left of it",
			func() bool {
				var held int // until the broken request has let the file go, the next one is refused
				s.queryRow(`SELECT count(*) FROM media WHERE lease_until > now()`, &held)
				return held == 0 && s.countFiles(c) == fileCounts{files: 1, used: int64(len(content))}
			},
		)
		first = openUpload(t, u.UploadURL, length, string(content[:2<<20]))
		eventually(t, workerTimeout, "the next one has begun", func() bool { return s.countFiles(c).unfinished == 1 })
	}
	if _, err := first.Write(content[2<<20:]); err != nil {
		t.Fatal(err)
	}
	if a := readAnswer(t, first); a.Status != 200 || !strings.Contains(a.Raw, `"processing"`) {
		t.Errorf("in the end it is answered %d %s", a.Status, a.Raw)
	}
	if f := c.waitForFile(t, u.MediaID); f.Status != "ready" || f.Size != int64(len(content)) || *f.DurationMs != 3000 {
		t.Errorf("the file is %+v", f)
	}
	s.checkStored(t, map[[32]byte]bool{sha256.Sum256(content): true})
}

// checkStored fails the test unless the files with these contents are soon in storage, each with its thumbnail, and
// nothing else: what a job replaces is deleted by another.
func (s *service) checkStored(t testing.TB, want map[[32]byte]bool) {
	t.Helper()
	var missing map[[32]byte]bool
	var others int
	if !waitUntil(workerTimeout, func() bool {
		missing, others = maps.Clone(want), 0
		for _, path := range s.storedPaths() {
			if sum := s.hashStored(path); want[sum] && !strings.HasPrefix(path, ".unfinished") {
				delete(missing, sum)
			} else {
				others++
			}
		}
		return len(missing) == 0 && others == len(want)
	}) {
		t.Errorf("%d files are missing, and there are %d others; want a thumbnail for each of %d",
			len(missing), others, len(want))
	}
}

// A reservation that nobody uses ends: its address says so, its row fails, its bytes stop counting.
func TestUploadReservationExpires(t *testing.T) {
	t.Parallel()
	s, c := newLibrary(t, "owner", map[string]string{"UPLOAD_TTL": "4s"})
	u, late := c.reserveUpload("bell.png", 1000), c.reserveUpload("late.png", 1000)
	slow := openUpload(t, late.UploadURL, "Content-Length: 1000\r\n", "in time")
	eventually(
		t, workerTimeout, "the reservation has failed", func() bool { return c.getFile(u.MediaID).Status == "failed" },
	)
	if f := c.getFile(u.MediaID); f.FailReason == nil || !strings.Contains(*f.FailReason, "not uploaded in time") {
		t.Errorf("the file is %+v", f)
	}
	readAnswer(
		t, openUpload(t, u.UploadURL, "Content-Length: 1000\r\n", strings.Repeat("x", 1000)),
	).checkAnswer(t, "an upload that is late", 410, "upload_expired")
	if got := s.countFiles(c); got.files != 2 || got.used != 1000 || got.blobs != 0 {
		t.Errorf("there are %+v", got)
	}
	// What has begun in time may go on, however long it takes.
	if _, err := slow.Write(bytes.Repeat([]byte("x"), 993)); err != nil {
		t.Fatal(err)
	}
	if a := readAnswer(t, slow); a.Status != 200 {
		t.Errorf("an upload that began in time is answered %d %s", a.Status, a.Raw)
	}
	if f := c.waitForFile(t, late.MediaID); f.Status != "failed" || f.FailReason == nil {
		t.Errorf("of nothing but x it is %+v", f)
	}
	eventually(t, workerTimeout, "nothing is left", func() bool {
		got := s.countFiles(c)
		return got.used == 0 && got.blobs == 0 && got.unfinished == 0
	})
}

// The goal: "100 concurrent uploads of 5 MiB, one in three broken off and repeated: all rows right, bytes counted
// exactly, nothing left over."
func TestHundredConcurrentUploads(t *testing.T) {
	t.Parallel()
	const uploads, size = 100, 5 << 20
	s, c := newLibrary(t, "owner")
	content := mediatest.MP4(mediatest.Movie{Size: size})
	if len(content) != size {
		t.Fatalf("the file has %d bytes", len(content))
	}
	var (
		mu  sync.Mutex
		all sync.WaitGroup
		ids = map[string]bool{}
	)
	sums := map[[32]byte]bool{}
	for i := range uploads {
		body := numberedContent(content, i)
		sum := sha256.New()
		if _, err := io.Copy(sum, body()); err != nil {
			t.Fatal(err)
		}
		sums[[32]byte(sum.Sum(nil))] = true
		all.Go(func() {
			u := c.reserveUpload("clip.mp4", size)
			mu.Lock()
			ids[u.MediaID] = true
			mu.Unlock()
			if i%3 == 0 {
				part := openUpload(t, u.UploadURL, fmt.Sprintf("Content-Length: %d\r\n", size), "")
				_, err := io.CopyN(part, body(), int64(size*(i+1)/(uploads+1)))
				if closed := part.Close(); err != nil || closed != nil {
					t.Errorf("broken off: %v, %v", err, closed)
				}
			}
			// The one that broke off is noticed, and then makes way.
			if !waitUntil(time.Minute, func() bool { return tryUpload(t, u.UploadURL, body(), size) }) {
				t.Errorf("upload %d was not taken", i)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for id := range ids {
		if f := c.waitForFile(t, id); f.Status != "ready" || f.Size != size || f.Kind != "video" ||
			f.Mime != "video/mp4" || *f.Width != 1080 || *f.DurationMs != 3000 || f.ThumbnailURL == nil {
			t.Errorf("a file is %+v", f)
		}
	}
	if list := c.listFiles("/media?limit=100"); len(list) != uploads || len(ids) != uploads {
		t.Errorf("%d rows of %d files", len(list), len(ids))
	}
	if got, want := s.countFiles(
		c,
	), (fileCounts{files: uploads, jobs: uploads, used: uploads * size, blobs: 2 * uploads}); got != want {
		t.Errorf("there are %+v; want %+v", got, want)
	}
	s.checkStored(t, sums)
}

// numberedContent is a content that ends in a number.
func numberedContent(content []byte, n int) func() io.Reader {
	return func() io.Reader {
		return io.MultiReader(bytes.NewReader(content[:len(content)-8]), strings.NewReader(fmt.Sprintf("%08d", n)))
	}
}

// tryUpload puts a file to its address and tells whether it was taken. That another one is under way, or has just
// broken off, is no failure yet.
func tryUpload(t testing.TB, address string, body io.Reader, size int64) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, body)
	if err != nil {
		t.Error(err)
		return true
	}
	r.ContentLength = size
	answer, err := http.DefaultClient.Do(r)
	if err != nil { // refused before the body was read
		return false
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK && !strings.Contains(string(raw), "upload_in_progress") {
		t.Errorf("PUT answers %d %s, %v", answer.StatusCode, raw, err)
		return true
	}
	return answer.StatusCode == http.StatusOK
}
