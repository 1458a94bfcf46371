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

// copyBuffer is the buffer size for copies that must use little memory.
const copyBuffer = 32 << 10

// Store stores bytes under keys. Its methods are safe for concurrent use, return soon after their context ends, and
// never wait forever for a server that does not respond.
type Store interface {
	// Put stores all bytes of r under key, and atomically replaces the bytes stored there. sizeOrUnknown is their number,
	// or Unknown. If r has fewer bytes (io.ErrUnexpectedEOF) or more, or fails, the stored bytes do not change. Once Put
	// has returned, a crash of the machine loses nothing. It uses little memory, whatever the size and the number of
	// concurrent calls.
	Put(ctx context.Context, key string, r io.Reader, sizeOrUnknown int64) error
	// Open opens the object under key, or returns ErrNotFound. The context applies for as long as the object is open. If
	// the object is replaced or deleted while it is open, reads return the original bytes or an error.
	Open(ctx context.Context, key string) (Object, error)
	// Delete removes the object under key, if there is one.
	Delete(ctx context.Context, key string) error
	// Each calls visit for every object whose key begins with prefix and is greater than afterKey, in byte order. If
	// visit returns an error, Each stops and returns that error unchanged.
	Each(ctx context.Context, prefix, afterKey string, visit VisitFunc) error
	// RemoveUnfinishedPuts removes what is left of interrupted calls of Put and was last modified before the given time.
	// It returns how many calls these were. No call of Put that began before then may still be running.
	RemoveUnfinishedPuts(ctx context.Context, lastModifiedBefore time.Time) (removed int, err error)
	// CheckReadWrite writes, reads and deletes a small object.
	CheckReadWrite(ctx context.Context) error
	// Close closes the folder or the connections.
	Close() error
}

// VisitFunc is called for a stored object.
type VisitFunc func(key string, size int64, modified time.Time) error

// Object is a stored object that is open for reading. ReadAt is safe for concurrent use; the other methods are not.
// In a bucket, each ReadAt, and each Read after a Seek, is a separate request.
type Object interface {
	io.ReadSeekCloser
	io.ReaderAt
	// Size returns the number of bytes.
	Size() int64
}

// OpenAndCheck opens the store at an address, and checks that it can be written to. If the store is a folder that does
// not exist, OpenAndCheck creates the folder; it does not create a bucket. The address has one of these forms:
//
//	file:FOLDER
//	s3://KEY:SECRET@HOST[:PORT]/BUCKET[/PREFIX][?region=REGION][&tls=off]
//
// Key and secret are percent-encoded. Without them, OpenAndCheck uses the environment variables AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Errors never contain them.
func OpenAndCheck(ctx context.Context, address string) (Store, error) {
	u, err := url.Parse(address)
	if err != nil { // its text contains the address
		return nil, errors.New("open the file storage (BELFRY_STORAGE_URL): the address cannot be parsed. It must be " +
			"file:FOLDER or s3://KEY:SECRET@HOST/BUCKET, with the key and the secret percent-encoded")
	}
	var s Store
	switch {
	case u.Scheme == "s3":
		s, err = newBucket(u)
	case u.Scheme == "file" && u.Host == "" && u.Opaque+u.Path != "":
		s, err = openOrCreateFolder(folderOf(u))
	default:
		err = errors.New("the address must be file:FOLDER or s3://KEY:SECRET@HOST/BUCKET")
	}
	if err != nil {
		return nil, fmt.Errorf("open the file storage (BELFRY_STORAGE_URL): %w", err)
	}
	if err := s.CheckReadWrite(ctx); err != nil {
		return nil, fmt.Errorf("open the file storage (BELFRY_STORAGE_URL): %w", errors.Join(err, s.Close()))
	}
	return s, nil
}

// DescribeLocation returns a phrase that names the folder, with its absolute path, or the bucket and the prefix at an
// address. It contains no credentials.
func DescribeLocation(address string) string {
	u, err := url.Parse(address)
	if err == nil && u.Scheme == "s3" {
		name, prefix := bucketAndPrefixOf(u)
		if prefix != "" {
			return "the folder " + prefix + " in the bucket " + name + " at " + u.Host
		}
		return "the bucket " + name + " at " + u.Host
	}
	var folder string
	if err == nil {
		folder, err = filepath.Abs(folderOf(u))
	}
	if err != nil {
		return "the file storage in BELFRY_STORAGE_URL"
	}
	return "the folder " + folder
}

// bucketAndPrefixOf returns the name of the bucket at a parsed address, and the prefix of its keys, without a slash at
// the end.
func bucketAndPrefixOf(u *url.URL) (name, prefixOrEmpty string) {
	name, prefixOrEmpty, _ = strings.Cut(strings.Trim(u.Path, "/"), "/")
	return name, prefixOrEmpty
}

// folderOf returns the folder at a parsed address.
func folderOf(u *url.URL) string { return filepath.Clean(u.Opaque + u.Path) }

// ShardedKey returns the key of an object of the given kind: for "media" and "med_01k…9c", it is "media/9c/med_01k…9c".
// The end of the id determines the folder, because ids begin with the time.
func ShardedKey(kind, id string) string { return path.Join(kind, id[max(0, len(id)-2):], id) }

// keyPattern excludes characters that have a special meaning in file systems, addresses or shells. Names that begin
// with a dot are reserved for the stores.
var keyPattern = regexp.MustCompile(`^[a-z0-9_][a-z0-9_.-]*(/[a-z0-9_][a-z0-9_.-]*)*$`)

// maxKeyLength is the maximum length of a key in bytes, so that every file system and bucket accepts it.
const maxKeyLength = 200

func checkKey(key string) error {
	if len(key) > maxKeyLength || !keyPattern.MatchString(key) {
		return fmt.Errorf("%.200q is not a valid storage key: a key is at most %d characters long and contains only "+
			"a-z 0-9 _ - . and /; each part between slashes begins with a letter, a digit or _", key, maxKeyLength)
	}
	return nil
}

// errTooLong means that a reader has more bytes than declared.
var errTooLong = errors.New("there are more bytes than declared")

// expectEOF returns errTooLong if the reader has more bytes, or the reader's error.
func expectEOF(r io.Reader) error {
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

// probeStore writes, reads and deletes a small object. If a crash leaves the object behind, the sweep deletes it later,
// because no row refers to it.
func probeStore(ctx context.Context, s Store) error {
	want := []byte(rand.Text())
	key := ShardedKey("check", strings.ToLower(rand.Text()))
	if err := s.Put(ctx, key, bytes.NewReader(want), int64(len(want))); err != nil {
		return err
	}
	return errors.Join(verifyStored(ctx, s, key, want), s.Delete(ctx, key))
}

// verifyStored returns an error if the bytes under key are not want.
func verifyStored(ctx context.Context, s Store, key string, want []byte) error {
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
