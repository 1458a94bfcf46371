package blob

import (
	"bufio"
	"context"
	"crypto/md5" //nolint:gosec // see readPart
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
)

// Parts of an upload. S3 accepts at most 10,000 of them, each of at least 5 MiB but the last.
const (
	partSize = 5 << 20
	maxParts = 10_000
)

// abortTimeout limits how long the removal of a failed upload's parts may take.
const abortTimeout = 10 * time.Second

func (b *bucket) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := b.putObject(ctx, b.prefix+key, r, size); err != nil {
		return fmt.Errorf("store %s: %w", key, err)
	}
	return nil
}

// putObject sends a short object in one request, and a long one in parts. After an error, it removes the parts that
// were sent; Tidy removes what it cannot.
func (b *bucket) putObject(ctx context.Context, name string, r io.Reader, size int64) (err error) {
	file, err := os.CreateTemp("", "belfry-part-*")
	if err != nil {
		return err
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil { // it exists until it is closed, or the process ends
		return err
	}
	p := &partReader{source: bufio.NewReader(contextReader{ctx, r}), file: file, left: size, unknown: size == Unknown}
	length := partLength(size)
	if err := p.readPart(length); err != nil {
		return err
	}
	if p.last {
		opts := minio.PutObjectOptions{DisableContentSha256: true}
		_, err := b.core.PutObject(ctx, b.name, name, p.newReader(), p.size, p.md5, "", opts)
		return err
	}
	upload, err := b.core.NewMultipartUpload(ctx, b.name, name, minio.PutObjectOptions{})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.abortUpload(ctx, name, upload))
		}
	}()
	for sent := []minio.CompletePart(nil); ; {
		opts := minio.PutObjectPartOptions{Md5Base64: p.md5, DisableContentSha256: true}
		part, err := b.core.PutObjectPart(ctx, b.name, name, upload, len(sent)+1, p.newReader(), p.size, opts)
		if err != nil {
			return err
		}
		sent = append(sent, minio.CompletePart{PartNumber: part.PartNumber, ETag: part.ETag})
		if p.last {
			_, err := b.core.CompleteMultipartUpload(ctx, b.name, name, upload, sent, minio.PutObjectOptions{})
			return err
		}
		if err := p.readPart(length); err != nil {
			return err
		}
	}
}

// abortUpload removes the parts of an upload, even if its context has ended.
func (b *bucket) abortUpload(ctx context.Context, name, upload string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	if err := b.core.AbortMultipartUpload(ctx, b.name, name, upload); err != nil && !isNotFound(err) {
		return err
	}
	return nil
}

// partReader stores the part that is being sent in a temporary file, so that it can be sent again after a broken
// connection. In memory, a hundred concurrent uploads would use too much.
type partReader struct {
	source  *bufio.Reader
	file    *os.File
	left    int64 // bytes of the source that are still to come
	unknown bool  // whether left means nothing
	size    int64 // of the part
	md5     string
	last    bool
}

// readPart replaces the file's content with the next part, of at most length bytes, and checks whether it is the
// last. It computes the checksum itself, because the library's costs more and some servers do not support it.
func (p *partReader) readPart(length int64) (err error) {
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := md5.New() //nolint:gosec // the one that every S3 server checks; against accidents, not against people
	p.size, err = io.Copy(io.MultiWriter(p.file, sum), io.LimitReader(p.source, length))
	if err != nil {
		return err
	}
	p.md5 = base64.StdEncoding.EncodeToString(sum.Sum(nil))
	p.left -= p.size
	_, err = p.source.Peek(1)
	p.last = errors.Is(err, io.EOF)
	switch {
	case err != nil && !p.last:
		return err
	case p.unknown:
		return nil
	case p.last && p.left > 0:
		return io.ErrUnexpectedEOF
	case p.left < 0, p.left == 0 && !p.last:
		return errTooLong
	}
	return nil
}

// newReader returns a reader for the part.
func (p *partReader) newReader() *io.SectionReader { return io.NewSectionReader(p.file, 0, p.size) }

// partLength returns the smallest part length, in steps of 1 MiB, with which the number of parts is within the limit
// of S3.
func partLength(size int64) int64 {
	const step = 1 << 20
	return max(partSize, (size/maxParts/step+1)*step)
}
