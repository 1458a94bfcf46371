package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// reserve keeps room for a file of five bytes.
func (r *rig) reserve(c core.Caller) contract.Upload {
	r.t.Helper()
	made, err := r.App.ReserveUpload(r.Context(), c, contract.CreateUpload{Filename: "photo.jpg", Mime: "image/jpeg", Size: 5})
	must(r.t, err)
	return made
}

// at is where an address that the service gave out is served in the test.
func (r *rig) at(address string) string {
	return strings.TrimPrefix(strings.TrimPrefix(address, apptest.PublicURL), r.MediaURL)
}

// Spec §4, Media: reserve, PUT, poll.
func TestAFileIsUploaded(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key := bearerKey(ws.Key(core.Write))
	made := r.do("POST", "/v1/media/uploads", `{"filename":"photo.jpg","mime":"image/jpeg","size":5}`, key)
	if made.Status != 201 {
		t.Fatalf("reserve: %d %s", made.Status, made.Body)
	}
	var up contract.Upload
	made.read(t, &up)
	done := r.do("PUT", r.at(up.UploadURL), "hello", header("Content-Type", "image/jpeg"))
	if want := fmt.Sprintf(`{"mediaId":%q,"status":"processing"}`, up.MediaID); done.Status != 200 ||
		string(done.Body) != want {
		t.Errorf("PUT: %d %s", done.Status, done.Body)
	}
	if done.Header.Get("RateLimit-Policy") != "" || done.Header.Get("Set-Cookie") != "" {
		t.Errorf("an upload is counted in no limit and needs no cookie: %v", done.Header)
	}
	got := r.do("GET", "/v1/media/"+up.MediaID, "", key)
	var m contract.Media
	if got.read(t, &m); got.Status != 200 || m.Status != "processing" {
		t.Errorf("GET: %d %s", got.Status, got.Body)
	}
	r.do("PUT", r.at(up.UploadURL), "hello").want(t, 409, core.CodeAlreadyUploaded)
	if got := r.do("GET", "/v1/media?status=processing&folderId=root", "", key); got.Status != 200 ||
		!strings.Contains(string(got.Body), up.MediaID) {
		t.Errorf("list: %d %s", got.Status, got.Body)
	}
	if got := r.do("PATCH", "/v1/media/"+up.MediaID, `{"title":null,"tags":["a"],"pinned":true,"folderId":null}`, key); got.Status != 200 {
		t.Errorf("PATCH: %d %s", got.Status, got.Body)
	}
	if got := r.do("DELETE", "/v1/media/"+up.MediaID, "", key); got.Status != 204 {
		t.Errorf("DELETE: %d %s", got.Status, got.Body)
	}
	r.do("GET", "/v1/media/"+up.MediaID, "", key).want(t, 404, core.CodeNotFound)
}

func TestUploadsAreRefusedWithTheirStatuses(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	up := r.reserve(ws.Owner)
	r.do("PUT", r.at(up.UploadURL), "hell").want(t, 400, core.CodeSizeMismatch)
	r.do("PUT", r.at(up.UploadURL), "").want(t, 400, core.CodeSizeMismatch) // Content-Length: 0
	r.do("PUT", "/upload/x", "hello").want(t, 404, core.CodeNotFound)
	r.do("POST", r.at(up.UploadURL), "hello").want(t, 405, core.CodeMethodNotAllowed)
	req, err := http.NewRequestWithContext(t.Context(), "PUT", r.base+r.at(up.UploadURL), io.MultiReader(strings.NewReader("hello")))
	must(t, err)
	resp, err := r.client.Do(req) // chunked
	must(t, err)
	must(t, resp.Body.Close())
	if resp.StatusCode != 411 {
		t.Errorf("without a length: %d", resp.StatusCode)
	}
	if got := r.raw("PUT " + r.at(up.UploadURL) + " HTTP/1.1\r\nHost: x\r\n\r\n"); got.StatusCode != 411 {
		t.Errorf("without a length or a body: %d", got.StatusCode)
	}
	r.Clock.Advance(time.Hour)
	r.do("PUT", r.at(up.UploadURL), "hello").want(t, 410, core.CodeUploadExpired)
	key := bearerKey(ws.Key(core.Write))
	r.do("POST", "/v1/media/uploads", `{"filename":"a","mime":"image/jpeg","size":0}`, key).want(t, 400,
		core.CodeInvalidRequest)
	r.do("POST", "/v1/media/uploads", `{"filename":"a","mime":"image/jpeg","size":1.5}`, key).want(t, 400,
		core.CodeInvalidRequest)
	r.do("POST", "/v1/media/uploads", `{"filename":"a","mime":"image/jpeg"}`, key).want(t, 400, core.CodeInvalidRequest)
	r.do("POST", "/v1/media/uploads", `{"filename":"a","mime":"image/jpeg","size":30000000000}`, key).want(t, 402,
		core.CodeQuotaExceeded)
}

// raw sends a request as it is written.
func (r *rig) raw(text string) *http.Response {
	r.t.Helper()
	conn, err := new(net.Dialer).DialContext(r.Context(), "tcp", strings.TrimPrefix(r.base, "http://"))
	must(r.t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, text)
	must(r.t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(r.t, err)
	must(r.t, resp.Body.Close())
	return resp
}

// A sender that hangs up in the middle leaves nothing and may come again.
func TestAnUploadBrokenOffOnTheWireMayBeRepeated(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	up := r.reserve(ws.Owner)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.base, "http://"))
	must(t, err)
	_, err = io.WriteString(conn, "PUT "+r.at(up.UploadURL)+" HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel")
	must(t, err)
	r.Eventually("the upload is under way", func() bool {
		var held bool
		must(t, r.Pool.QueryRow(t.Context(), `SELECT bool_or(lease_until IS NOT NULL) FROM media`).Scan(&held))
		return held
	})
	r.do("PUT", r.at(up.UploadURL), "HELLO").want(t, 409, core.CodeUploadInProgress)
	must(t, conn.Close())
	r.Eventually("the upload makes way", func() bool { return r.do("PUT", r.at(up.UploadURL), "HELLO").Status == 200 })
}

func TestAReservationIsRepeatedWithItsKey(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key, again := bearerKey(ws.Key(core.Write)), header("Idempotency-Key", "k1")
	const body = `{"filename":"photo.jpg","mime":"image/jpeg","size":5}`
	first, second := r.do("POST", "/v1/media/uploads", body, key, again),
		r.do("POST", "/v1/media/uploads", body, key, again)
	if string(first.Body) != string(second.Body) || second.Status != 201 ||
		second.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("first %d %s, then %d %s", first.Status, first.Body, second.Status, second.Body)
	}
	r.do("POST", "/v1/media/uploads", strings.Replace(body, "5", "6", 1), key, again).want(t, 409,
		core.CodeIdempotencyMismatch)
	who, err := r.App.Whoami(t.Context(), ws.Owner)
	if err != nil || who.Usage.Storage.UsedBytes != 5 {
		t.Errorf("reserved: %+v, %v", who.Usage.Storage, err)
	}
	if strings.Contains(first.Header.Get("RateLimit"), "post-create") {
		t.Errorf("counted as a creation of posts: %s", first.Header.Get("RateLimit"))
	}
}

// Spec §4, Media: from-url answers the row at once.
func TestAFileIsAskedForByItsAddress(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key, again := bearerKey(ws.Key(core.Write)), header("Idempotency-Key", "k1")
	const body = `{"url":"https://example.com/photo.jpg"}`
	var m contract.Media
	first := r.do("POST", "/v1/media/from-url", body, key, again)
	if first.read(t, &m); first.Status != 202 || m.Status != "uploading" || m.OriginalName != "photo.jpg" {
		t.Errorf("%d %s", first.Status, first.Body)
	}
	if second := r.do("POST", "/v1/media/from-url", body, key, again); second.Status != 202 ||
		string(second.Body) != string(first.Body) || r.Jobs("fetch") != 1 {
		t.Errorf("again: %d %s", second.Status, second.Body)
	}
	r.do("POST", "/v1/media/from-url", body, bearerKey(ws.Key(core.Read))).want(t, 403, core.CodeInsufficientScope)
	for _, wrong := range []string{`{}`, `{"url":1}`, `{"url":""}`, `{"url":"http://example.com"}`, `{"url":"https://[::1]/"}`, `{"url":"https://example.com","name":"a"}`} {
		r.do("POST", "/v1/media/from-url", wrong, key).want(t, 400, core.CodeInvalidRequest)
	}
}
