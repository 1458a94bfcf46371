package blob

import (
	"context"
	"crypto/md5" //nolint:gosec // see sum
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"
)

// Parts of an upload. S3 accepts at most 10,000 of them, each of at least 5 MiB but the last.
const (
	partSize = 5 << 20
	maxParts = 10_000
)

// abortTimeout bounds the clearing up after an upload whose own context is over.
const abortTimeout = 10 * time.Second

func (b *bucket) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	put := b.putSingle
	if size > partSize || size == Unknown {
		put = b.putMultipart
	}
	if err := put(ctx, b.prefix+key, contextReader{ctx, r}, size); err != nil {
		return fmt.Errorf("store %s: %w", key, err)
	}
	return nil
}

// partFile is a temporary file that holds a part of an object, so that it can be sent again when a connection breaks.
// In memory, a hundred senders at once would fill the machine.
type partFile struct {
	file *os.File
	size int64
}

func newPartFile() (*partFile, error) {
	file, err := os.CreateTemp("", "belfry-part-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil { // it exists until it is closed, or the process ends
		return nil, errors.Join(err, file.Close())
	}
	return &partFile{file: file}, nil
}

// readPart replaces the content by the next part of r: at most length bytes, of left bytes that are still to come. It
// returns whether this is the last part, after which r has ended.
func (p *partFile) readPart(r io.Reader, length, left int64) (last bool, err error) {
	if left != Unknown {
		length = min(length, left)
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	p.size, err = io.CopyBuffer(struct{ io.Writer }{p.file}, io.LimitReader(r, length), make([]byte, copyBuffer))
	switch {
	case err != nil:
		return false, err
	case left == Unknown:
		return p.size < length, nil
	case p.size < length:
		return false, io.ErrUnexpectedEOF
	case left > length:
		return false, nil
	}
	return true, checkEnd(r)
}

// newReader reads the part from its start.
func (p *partFile) newReader() *io.SectionReader { return io.NewSectionReader(p.file, 0, p.size) }

// contentMD5 lets the server detect damage on the way. It replaces the library's own checksum, which costs more and is
// not known to every server.
func (p *partFile) contentMD5() (string, error) {
	h := md5.New() //nolint:gosec // the one that every S3 server checks; against accidents, not against people
	_, err := io.CopyBuffer(h, struct{ io.Reader }{p.newReader()}, make([]byte, copyBuffer))
	return base64.StdEncoding.EncodeToString(h.Sum(nil)), err
}

// putSingle sends an object in one request, after all of it has come.
func (b *bucket) putSingle(ctx context.Context, name string, r io.Reader, size int64) error {
	part, err := newPartFile()
	if err != nil {
		return err
	}
	defer part.file.Close()
	if _, err := part.readPart(r, size, size); err != nil {
		return err
	}
	sum, err := part.contentMD5()
	if err != nil {
		return err
	}
	opts := minio.PutObjectOptions{DisableContentSha256: true}
	_, err = b.core.PutObject(ctx, b.name, name, part.newReader(), part.size, sum, "", opts)
	return err
}

// putMultipart sends an object in parts. After an error it removes what was sent; what it cannot remove, Tidy does.
func (b *bucket) putMultipart(ctx context.Context, name string, r io.Reader, size int64) error {
	id, err := b.core.NewMultipartUpload(ctx, b.name, name, minio.PutObjectOptions{})
	if err != nil {
		return err
	}
	parts, err := b.sendParts(ctx, name, id, r, size)
	if err == nil {
		_, err = b.core.CompleteMultipartUpload(ctx, b.name, name, id, parts, minio.PutObjectOptions{})
	}
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	if abortErr := b.core.AbortMultipartUpload(ctx, b.name, name, id); abortErr != nil && !isNotFound(abortErr) {
		err = errors.Join(err, abortErr)
	}
	return err
}

// sendParts sends r in parts: one is sent while the next is read.
func (b *bucket) sendParts(
	ctx context.Context, name, id string, r io.Reader, size int64,
) (sent []minio.CompletePart, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var parts [2]*partFile
	for i := range parts {
		if parts[i], err = newPartFile(); err != nil {
			return nil, err
		}
		defer parts[i].file.Close()
	}
	sending, ctx := errgroup.WithContext(ctx)
	sending.SetLimit(1) // so that the file of the part before the last one is free
	length := partLength(size)
	for n, last := 1, false; !last; n++ {
		part := parts[n%2]
		if last, err = part.readPart(contextReader{ctx, r}, length, size); err != nil {
			stop()
			_ = sending.Wait() // its error is that of stopping, or else the one that ended the reading
			return nil, err
		}
		if part.size == 0 && n > 1 { // r ended with the part before
			break
		}
		if size != Unknown {
			size -= part.size
		}
		sending.Go(func() error {
			etag, err := b.sendPart(ctx, name, id, n, part)
			sent = append(sent, minio.CompletePart{PartNumber: n, ETag: etag})
			return err
		})
	}
	err = sending.Wait() // which the parts are complete after
	return sent, err
}

// partLength returns the least length in steps of 1 MiB that keeps the number of parts within what S3 accepts.
func partLength(size int64) int64 {
	const step = 1 << 20
	return max(partSize, (size/maxParts/step+1)*step)
}

func (b *bucket) sendPart(ctx context.Context, name, id string, n int, part *partFile) (etag string, err error) {
	sum, err := part.contentMD5()
	if err != nil {
		return "", err
	}
	opts := minio.PutObjectPartOptions{Md5Base64: sum, DisableContentSha256: true}
	sent, err := b.core.PutObjectPart(ctx, b.name, name, id, n, part.newReader(), part.size, opts)
	return sent.ETag, err
}
