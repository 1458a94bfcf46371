package blob_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"belfry/internal/blob"
	"belfry/internal/blob/blobtest"
)

func openStore(t *testing.T, address string) blob.Store {
	t.Helper()
	s, err := blob.OpenAndCheck(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestBucket(t *testing.T) {
	g := blobtest.StartVersityGateway(t)
	names := make(chan string, 26)
	for c := range cap(names) {
		names <- "bucket-" + string(rune('a'+c))
	}
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		return openStore(t, strings.Replace(g.Bucket(t, <-names), "?", "/some/where?", 1))
	})
}

func TestBucketWhoseServerStops(t *testing.T) {
	t.Parallel()
	g := blobtest.StartVersityGateway(t)
	address := g.Bucket(t, "bucket")
	s := openStore(t, address)
	const size = 30 << 20
	if err := s.Put(t.Context(), "a/b", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	o, err := s.Open(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	halfway := s.Put(ctx, "c/d", blobtest.HalfWay(size, g.Stop), size)
	_, opening := s.Open(ctx, "a/b")
	_, tidying := s.RemoveUnfinishedPuts(ctx, time.Now())
	_, reading := o.Read(make([]byte, 1))
	_, starting := blob.OpenAndCheck(ctx, address)
	for act, err := range map[string]error{
		"put half way": halfway,
		"put":          s.Put(ctx, "a/b", strings.NewReader("y"), 1),
		"open":         opening,
		"read":         reading,
		"delete":       s.Delete(ctx, "a/b"),
		"each":         s.Each(ctx, "", "", func(string, int64, time.Time) error { return nil }),
		"tidy":         tidying,
		"check":        s.CheckReadWrite(ctx),
		"start":        starting,
	} {
		if err == nil || errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s: %v", act, err)
		}
	}
	if ctx.Err() != nil {
		t.Error("it took a minute to notice")
	}
}

// newCore returns a client for the server of a store.
func newCore(t *testing.T, address string) *minio.Core {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := u.User.Password()
	core, err := minio.NewCore(u.Host, &minio.Options{Creds: credentials.NewStaticV4(u.User.Username(), secret, "")})
	if err != nil {
		t.Fatal(err)
	}
	return core
}

func TestBucketIsTidied(t *testing.T) {
	t.Parallel()
	g := blobtest.StartVersityGateway(t)
	address := strings.Replace(g.Bucket(t, "bucket"), "?", "/ours?", 1)
	core := newCore(t, address)
	for _, key := range []string{"ours/a", "ours/b/c", "theirs/a"} {
		if _, err := core.NewMultipartUpload(t.Context(), "bucket", key, minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s := openStore(t, address)
	for _, c := range []struct {
		before time.Time
		want   int
	}{{time.Now().Add(-time.Hour), 0}, {time.Now().Add(time.Hour), 2}, {time.Now().Add(time.Hour), 0}} {
		if n, err := s.RemoveUnfinishedPuts(t.Context(), c.before); n != c.want || err != nil {
			t.Errorf("tidied %d, %v; want %d", n, err, c.want)
		}
	}
	left, err := core.ListMultipartUploads(t.Context(), "bucket", "", "", "", "", 10)
	if err != nil || len(left.Uploads) != 1 || left.Uploads[0].Key != "theirs/a" {
		t.Errorf("left %v, %v", left.Uploads, err)
	}
}

// Not parallel: the environment is everybody's.
func TestBucketTakesCredentialsFromTheEnvironment(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN"} {
		t.Setenv(name, "")
	}
	g := blobtest.StartVersityGateway(t)
	u, err := url.Parse(g.Bucket(t, "bucket"))
	if err != nil {
		t.Fatal(err)
	}
	user, without := u.User, *u
	without.User = nil
	if _, err := blob.OpenAndCheck(t.Context(), without.String()); err == nil ||
		!strings.Contains(err.Error(), "set AWS_ACCESS_KEY_ID") {
		t.Error(err)
	}
	secret, _ := user.Password()
	t.Setenv("AWS_ACCESS_KEY_ID", user.Username())
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	openStore(t, without.String())
}

// A stream of Unknown size must not wait in the temporary folder until it ends.
func TestAnUploadOfUnknownSizeIsSentInParts(t *testing.T) {
	t.Parallel()
	address := blobtest.StartVersityGateway(t).Bucket(t, "bucket")
	s, core := openStore(t, address), newCore(t, address)
	const part, parts = 5 << 20, 4
	source, sender := io.Pipe()
	defer sender.CloseWithError(errors.New("the test has ended"))
	put := make(chan error, 1)
	go func() { put <- s.Put(t.Context(), "a/b", source, blob.Unknown) }()
	for n := range parts {
		// It returns when all was read, which is after the part before was sent.
		if _, err := sender.Write(make([]byte, part)); err != nil {
			t.Fatal(err)
		}
		uploads, err := core.ListMultipartUploads(t.Context(), "bucket", "", "", "", "", 2)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			continue
		}
		if len(uploads.Uploads) != 1 {
			t.Fatalf("%d uploads were begun after %d parts", len(uploads.Uploads), n+1)
		}
		sent, err := core.ListObjectParts(t.Context(), "bucket", "a/b", uploads.Uploads[0].UploadID, 0, parts)
		if err != nil || len(sent.ObjectParts) != n {
			t.Errorf("after %d parts were read, %d were sent; error %v", n+1, len(sent.ObjectParts), err)
		}
	}
	if err := errors.Join(sender.Close(), <-put); err != nil {
		t.Fatal(err)
	}
	o, err := s.Open(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if o.Size() != parts*part {
		t.Errorf("%d bytes are stored, want %d", o.Size(), parts*part)
	}
}

// With tls=off, only a checksum protects the bytes on their way.
func TestBytesDamagedOnTheWayToABucketAreRefused(t *testing.T) {
	t.Parallel()
	address := blobtest.StartVersityGateway(t).Bucket(t, "bucket")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: u.Host})
	damaging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && r.ContentLength > 1000 {
			r.Body = &damagedBody{ReadCloser: r.Body}
		}
		proxy.ServeHTTP(w, r)
	}))
	defer damaging.Close()
	u.Host = damaging.Listener.Addr().String()
	s := openStore(t, u.String())
	for _, size := range []int{2000, 6 << 20} {
		if err := s.Put(t.Context(), "a/b", strings.NewReader(strings.Repeat("x", size)), int64(size)); err == nil {
			t.Errorf("%d bytes were damaged and stored", size)
		}
		if _, err := s.Open(t.Context(), "a/b"); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("after a put of %d damaged bytes: %v", size, err)
		}
	}
}

// damagedBody changes the first byte of a body.
type damagedBody struct {
	io.ReadCloser
	damaged bool
}

func (d *damagedBody) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if n > 0 && !d.damaged {
		p[0]++
		d.damaged = true
	}
	return n, err
}
