package blob

import (
	"bufio"
	"context"
	"crypto/md5" //nolint:gosec // see readNextPartToFile
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
)

// Parts of an upload. S3 accepts at most 10,000 of them, and all but the last must have at least 5 MiB.
const (
	partSize = 5 << 20
	maxParts = 10_000
)

// abortTimeout is the time limit for removing the parts of a failed upload.
const abortTimeout = 10 * time.Second

func (b *bucket) Put(ctx context.Context, key string, r io.Reader, sizeOrUnknown int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := b.putObject(ctx, b.prefix+key, r, sizeOrUnknown); err != nil {
		return fmt.Errorf("store %s: %w", key, err)
	}
	return nil
}

// putObject stores a small object in one request, and a large one in parts. After an error, it tries to remove the
// parts that were sent. If that fails, RemoveUnfinishedPuts removes them later.
func (b *bucket) putObject(ctx context.Context, name string, r io.Reader, sizeOrUnknown int64) (err error) {
	file, err := os.CreateTemp("", "belfry-part-*")
	if err != nil {
		return err
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil { // its bytes remain until it is closed
		return err
	}
	p := &partReader{
		source: bufio.NewReader(contextReader{ctx, r}), file: file, left: sizeOrUnknown, unknown: sizeOrUnknown == Unknown,
	}
	length := choosePartLength(sizeOrUnknown)
	isLast, err := p.readNextPartToFile(length)
	if err != nil {
		return err
	}
	if isLast {
		opts := minio.PutObjectOptions{DisableContentSha256: true}
		_, err := b.core.PutObject(ctx, b.name, name, p.newCurrentPartReader(), p.size, p.md5, "", opts)
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
		part, err := b.core.PutObjectPart(ctx, b.name, name, upload, len(sent)+1, p.newCurrentPartReader(), p.size, opts)
		if err != nil {
			return err
		}
		sent = append(sent, minio.CompletePart{PartNumber: part.PartNumber, ETag: part.ETag})
		if isLast {
			_, err := b.core.CompleteMultipartUpload(ctx, b.name, name, upload, sent, minio.PutObjectOptions{})
			return err
		}
		if isLast, err = p.readNextPartToFile(length); err != nil {
			return err
		}
	}
}

// abortUpload removes the parts of an upload, even if ctx has ended.
func (b *bucket) abortUpload(ctx context.Context, name, uploadID string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	if err := b.core.AbortMultipartUpload(ctx, b.name, name, uploadID); err != nil && !isS3NotFound(err) {
		return err
	}
	return nil
}

// partReader reads a source in parts. It stores the current part in a temporary file, so that it can be sent again
// after a broken connection. Parts of a hundred concurrent uploads would need too much memory.
type partReader struct {
	source  *bufio.Reader
	file    *os.File
	left    int64  // number of bytes of the source that are not read yet
	unknown bool   // the size of the source is unknown; left is not used
	size    int64  // of the current part
	md5     string // of the current part, in base64
}

// readNextPartToFile makes the next part, of at most maxLength bytes, the current one: it overwrites the previous part
// in the file, and sets size and md5. It returns whether no bytes follow this part. If the size of the source is known,
// readNextPartToFile returns io.ErrUnexpectedEOF if the source has fewer bytes, and errTooLong if it has more. It
// computes the checksum itself, because the library's checksum is slower and some servers do not support it.
func (p *partReader) readNextPartToFile(maxLength int64) (isLast bool, err error) {
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	sum := md5.New() //nolint:gosec // the only checksum that every S3 server supports; it detects accidental changes
	p.size, err = io.Copy(io.MultiWriter(p.file, sum), io.LimitReader(p.source, maxLength))
	if err != nil {
		return false, err
	}
	p.md5 = base64.StdEncoding.EncodeToString(sum.Sum(nil))
	p.left -= p.size
	_, err = p.source.Peek(1)
	isLast = errors.Is(err, io.EOF)
	switch {
	case err != nil && !isLast:
		return false, err
	case p.unknown:
		return isLast, nil
	case isLast && p.left > 0:
		return false, io.ErrUnexpectedEOF
	case p.left < 0, p.left == 0 && !isLast:
		return false, errTooLong
	}
	return isLast, nil
}

// newCurrentPartReader returns a reader of the current part.
func (p *partReader) newCurrentPartReader() *io.SectionReader {
	return io.NewSectionReader(p.file, 0, p.size)
}

// choosePartLength returns the length of the parts of an object, in steps of 1 MiB. An object of a known size has at
// most maxParts of this length, and one of unknown size gets the shortest parts.
func choosePartLength(objectSizeOrUnknown int64) int64 {
	const step = 1 << 20
	return max(partSize, (objectSizeOrUnknown/maxParts/step+1)*step)
}
