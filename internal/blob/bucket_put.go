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
)

// Parts of an upload. S3 takes at most 10,000 of them, of at least 5 MiB but for the last.
const (
	partSize  = 5 << 20
	partLimit = 10_000
)

// abortTimeout bounds the clearing up after an upload whose own context is over.
const abortTimeout = 10 * time.Second

func (b *bucket) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	put := b.single
	if size > partSize || size == Unknown {
		put = b.multipart
	}
	if err := put(ctx, b.prefix+key, bound{ctx, r}, size); err != nil {
		return fmt.Errorf("keep %s: %w", key, err)
	}
	return nil
}

// spool is a temporary file in which a part waits, so that it can be sent again when a connection breaks. In
// memory, a hundred senders at once would fill the machine.
type spool struct {
	file *os.File
	size int64
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "belfry-part-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil { // it lives until it is closed, or the process ends
		return nil, errors.Join(err, file.Close())
	}
	return &spool{file: file}, nil
}

// fill takes the next part of r in the place of the one before: at most length bytes, of which left are still to
// come. It tells whether it is the last one, behind which r has ended.
func (s *spool) fill(r io.Reader, length, left int64) (last bool, err error) {
	if left != Unknown {
		length = min(length, left)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	s.size, err = io.CopyBuffer(struct{ io.Writer }{s.file}, io.LimitReader(r, length), make([]byte, small))
	switch {
	case err != nil:
		return false, err
	case left == Unknown:
		return s.size < length, nil
	case s.size < length:
		return false, io.ErrUnexpectedEOF
	case left > length:
		return false, nil
	}
	return true, atEnd(r)
}

// all reads the part from its start.
func (s *spool) all() *io.SectionReader { return io.NewSectionReader(s.file, 0, s.size) }

// single sends an object in one request, and nothing before it is known to be whole.
func (b *bucket) single(ctx context.Context, name string, r io.Reader, size int64) error {
	s, err := newSpool()
	if err != nil {
		return err
	}
	defer s.file.Close()
	if _, err := s.fill(r, size, size); err != nil {
		return err
	}
	check, err := s.sum()
	if err != nil {
		return err
	}
	_, err = b.core.PutObject(ctx, b.name, name, s.all(), s.size, check, "", minio.PutObjectOptions{DisableContentSha256: true})
	return err
}

func (b *bucket) multipart(ctx context.Context, name string, r io.Reader, size int64) error {
	id, err := b.core.NewMultipartUpload(ctx, b.name, name, minio.PutObjectOptions{})
	if err != nil {
		return err
	}
	parts, err := b.parts(ctx, name, id, r, size)
	if err == nil {
		_, err = b.core.CompleteMultipartUpload(ctx, b.name, name, id, parts, minio.PutObjectOptions{})
	}
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	if left := b.core.AbortMultipartUpload(ctx, b.name, name, id); left != nil && !missing(left) {
		err = errors.Join(err, left) // Tidy tries again
	}
	return err
}

type sent struct {
	part minio.CompletePart
	err  error
}

// parts sends r in parts, one of them on its way while the next is read.
func (b *bucket) parts(ctx context.Context, name, id string, r io.Reader, size int64) (done []minio.CompletePart, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var spools [2]*spool
	for i := range spools {
		if spools[i], err = newSpool(); err != nil {
			return nil, err
		}
		defer spools[i].file.Close()
	}
	length := partLength(size)
	var under chan sent // way; nil before the first
	for n, last := 1, false; !last; n++ {
		s := spools[n%2]
		last, err = s.fill(r, length, size)
		if size != Unknown {
			size -= s.size
		}
		if err != nil {
			stop()
		}
		if under != nil { // even after an error: the goroutine ends before its file does
			before := <-under
			err = errors.Join(err, before.err)
			done = append(done, before.part)
		}
		if err != nil {
			return nil, err
		}
		if s.size == 0 && n > 1 { // the end was just behind the part before
			return done, nil
		}
		under = make(chan sent, 1)
		go func() { under <- b.send(ctx, name, id, n, s) }()
	}
	end := <-under
	return append(done, end.part), end.err
}

// partLength is the least that keeps the number of parts within what S3 takes, in steps of 1 MiB.
func partLength(size int64) int64 {
	const step = 1 << 20
	return max(partSize, (size/partLimit/step+1)*step)
}

func (b *bucket) send(ctx context.Context, name, id string, n int, s *spool) sent {
	check, err := s.sum()
	if err != nil {
		return sent{err: err}
	}
	p, err := b.core.PutObjectPart(ctx, b.name, name, id, n, s.all(), s.size, minio.PutObjectPartOptions{Md5Base64: check, DisableContentSha256: true})
	return sent{minio.CompletePart{PartNumber: n, ETag: p.ETag}, err}
}

// sum lets the server find out what the way did to the bytes. It takes the place of the library's own
// sum, which costs more and is not known to every server.
func (s *spool) sum() (string, error) {
	h := md5.New() //nolint:gosec // the one that every S3 server checks; against accidents, not against people
	_, err := io.CopyBuffer(h, struct{ io.Reader }{s.all()}, make([]byte, small))
	return base64.StdEncoding.EncodeToString(h.Sum(nil)), err
}
