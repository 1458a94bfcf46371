package blob

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // see sum
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/minio/minio-go/v7"
)

// Parts of an upload. S3 takes at most 10,000 of them, of at least 5 MiB but for the last; a part is held
// in memory so that it can be sent again when a connection breaks.
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

// fill reads all of buf, and with it all that r has when last is set.
func fill(r io.Reader, buf []byte, last bool) error {
	if _, err := io.ReadFull(r, buf); err != nil {
		return early(err)
	}
	if last {
		return atEnd(r)
	}
	return nil
}

// part reads the next part, of which left bytes are still to come, and tells whether it is the last one.
func part(r io.Reader, buf []byte, left int64) (read []byte, last bool, err error) {
	if left != Unknown {
		buf = buf[:min(int64(len(buf)), left)]
		last = left == int64(len(buf))
		return buf, last, fill(r, buf, last)
	}
	n := 0
	for n < len(buf) && err == nil { // io.ReadFull would not tell an end from a reader that broke off
		var more int
		more, err = r.Read(buf[n:])
		n += more
	}
	if err == io.EOF {
		return buf[:n], true, nil
	}
	return buf[:n], false, err
}

// single sends an object in one request, and nothing before it is known to be whole.
func (b *bucket) single(ctx context.Context, name string, r io.Reader, size int64) error {
	buf := make([]byte, size)
	if err := fill(r, buf, true); err != nil {
		return err
	}
	_, err := b.core.PutObject(ctx, b.name, name, bytes.NewReader(buf), size, sum(buf), "", minio.PutObjectOptions{DisableContentSha256: true})
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
	length := partLength(size)
	buffers := [2][]byte{make([]byte, length), make([]byte, length)}
	var under chan sent // way; nil before the first
	for n, last := 1, false; !last; n++ {
		var buf []byte
		buf, last, err = part(r, buffers[n%2], size)
		if size != Unknown {
			size -= int64(len(buf))
		}
		if err != nil {
			stop()
		}
		if under != nil { // even after an error: the goroutine ends before its buffers do
			before := <-under
			err = errors.Join(err, before.err)
			done = append(done, before.part)
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == 0 && n > 1 { // the end was just behind the part before
			return done, nil
		}
		under = make(chan sent, 1)
		go func() { under <- b.send(ctx, name, id, n, buf) }()
	}
	end := <-under
	return append(done, end.part), end.err
}

// partLength is the least that keeps the number of parts within what S3 takes, in steps of 1 MiB.
func partLength(size int64) int64 {
	const step = 1 << 20
	return max(partSize, (size/partLimit/step+1)*step)
}

func (b *bucket) send(ctx context.Context, name, id string, n int, buf []byte) sent {
	p, err := b.core.PutObjectPart(ctx, b.name, name, id, n, bytes.NewReader(buf), int64(len(buf)), minio.PutObjectPartOptions{Md5Base64: sum(buf), DisableContentSha256: true})
	return sent{minio.CompletePart{PartNumber: n, ETag: p.ETag}, err}
}

// sum lets the server find out what the way did to the bytes. It takes the place of the library's own
// sum, which costs more and is not known to every server.
func sum(b []byte) string {
	s := md5.Sum(b) //nolint:gosec // the one that every S3 server checks; against accidents, not against people
	return base64.StdEncoding.EncodeToString(s[:])
}
