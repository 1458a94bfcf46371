// Package blob stores bytes under keys, in a folder or in an S3 bucket.
package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// ErrNotFound means that nothing is stored under the key.
var ErrNotFound = errors.New("nothing is stored under this key")

// Unknown is the size of content whose length is not known in advance.
const Unknown = -1

// MaxUnknownSize is the maximum number of bytes of content whose length is not known in advance.
const MaxUnknownSize = maxParts * partSize

// MaxSize is the maximum number of bytes under a key in any store: the size of the largest S3 object.
const MaxSize = 5 << 40

// copyBuffer is the size of the buffer for copies where memory matters more than the number of calls.
const copyBuffer = 32 << 10

// Store stores bytes under keys. Its methods are safe for concurrent use, return soon after their context ends, and
// never wait forever for a server that does not respond.
type Store interface {
	// Put keeps the size bytes of r, all or nothing: when r ends early (io.ErrUnexpectedEOF), goes on, or
	// fails, the key keeps what it had. Of Unknown size it keeps all that r has. It replaces what the key had
	// at one stroke. When Put has returned, a crash of the machine loses nothing. It holds little in memory,
	// whatever the size and however many there are at once.
	Put(ctx context.Context, key string, r io.Reader, size int64) error
	// Open gives access to what is kept, or ErrNotFound. The context counts for as long as the object is
	// open. An object that is replaced or deleted meanwhile gives its own bytes or an error, never others'.
	Open(ctx context.Context, key string) (Object, error)
	// Delete forgets the key. That there is nothing is no error.
	Delete(ctx context.Context, key string) error
	// Each calls fn for every key behind after, in the order of their bytes, until fn fails, and returns
	// fn's error as it is.
	Each(ctx context.Context, after string, fn func(key string, size int64, modified time.Time) error) error
	// Tidy removes what broken-off puts left behind, as far as it was last touched before the given time,
	// and returns how many there were. A put under way must not be as old as that.
	Tidy(ctx context.Context, before time.Time) (int, error)
	// Check writes, reads and deletes a small object.
	Check(ctx context.Context) error
	// Close lets go of the folder or of the connections.
	Close() error
}

// Object is a stored object that is open for reading. ReadAt is safe for concurrent use; the other methods are not.
// In a bucket, each ReadAt, and each Read after a Seek, is a separate request.
type Object interface {
	io.ReadSeekCloser
	io.ReaderAt
	// Size is how many bytes there are.
	Size() int64
}

// Open makes the store at an address, makes its folder if need be, and checks that it can be written to.
// The forms are
//
//	file:FOLDER
//	s3://KEY:SECRET@HOST[:PORT]/BUCKET[/PREFIX][?region=REGION][&tls=off]
//
// Key and secret are percent-encoded; without them the AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN of the environment count. No error repeats them.
func Open(ctx context.Context, address string) (Store, error) {
	u, err := url.Parse(address)
	if err != nil { // whose text repeats the address
		return nil, errors.New("open storage: the address cannot be parsed: write file:FOLDER or s3://KEY:SECRET@HOST/BUCKET, " +
			"with key and secret percent-encoded")
	}
	var s Store
	switch {
	case u.Scheme == "s3":
		s, err = newBucket(u)
	case u.Scheme == "file" && u.Host == "" && u.Opaque+u.Path != "":
		s, err = newFolder(filepath.Clean(u.Opaque + u.Path))
	default:
		err = errors.New("the address must be file:FOLDER or s3://KEY:SECRET@HOST/BUCKET")
	}
	if err != nil {
		return nil, fmt.Errorf("open storage: %w", err)
	}
	if err := s.Check(ctx); err != nil {
		return nil, fmt.Errorf("open storage: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}

// Key returns the key for an object of a kind: "media" and "med_01k…9c" give "media/9c/med_01k…9c". Objects are
// spread over folders by the end of their ids, because ids begin with the time.
func Key(kind, id string) string { return path.Join(kind, id[max(0, len(id)-2):], id) }

// keyPattern excludes what a file system, an address or a shell might interpret as more than a name. Names that begin
// with a dot are for the stores themselves.
var keyPattern = regexp.MustCompile(`^[a-z0-9_][a-z0-9_.-]*(/[a-z0-9_][a-z0-9_.-]*)*$`)

// maxKeyLength is the maximum length of a key in bytes, so that every file system and bucket accepts it.
const maxKeyLength = 200

func checkKey(key string) error {
	if len(key) > maxKeyLength || !keyPattern.MatchString(key) {
		return fmt.Errorf("%.200q is not a key: a key has at most %d characters, of a-z 0-9 _ / . and -", key, maxKeyLength)
	}
	return nil
}

// errTooLong means that a reader has more bytes than declared.
var errTooLong = errors.New("there are more bytes than declared")

// checkEnd returns an error if the reader has more bytes.
func checkEnd(r io.Reader) error {
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return errTooLong
	case err != io.EOF:
		return err
	}
	return nil
}

// contextReader is a reader that fails after its context has ended. It cannot interrupt a Read.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (b contextReader) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.r.Read(p)
}

// checkStore implements Store.Check for any store. If a crash leaves its object behind, no row refers to it, so the
// sweep deletes it.
func checkStore(ctx context.Context, s Store) error {
	want := []byte(rand.Text())
	key := Key("check", strings.ToLower(rand.Text()))
	if err := s.Put(ctx, key, bytes.NewReader(want), int64(len(want))); err != nil {
		return err
	}
	return errors.Join(checkStored(ctx, s, key, want), s.Delete(ctx, key))
}

func checkStored(ctx context.Context, s Store, key string, want []byte) error {
	o, err := s.Open(ctx, key)
	if err != nil {
		return err
	}
	defer o.Close()
	got, err := io.ReadAll(o)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("read %s: the bytes differ from what was written", key)
	}
	return nil
}
