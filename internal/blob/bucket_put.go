package blob

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/minio/minio-go/v7"
)

// Parts of an upload. S3 accepts at most 10,000 of them, each of at least 5 MiB but the last.
const (
	partSize = 5 << 20
	maxParts = 10_000
)

func (b *bucket) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := b.putObject(ctx, b.prefix+key, r, size); err != nil {
		return fmt.Errorf("store %s: %w", key, err)
	}
	return nil
}

func (b *bucket) putObject(ctx context.Context, name string, r io.Reader, size int64) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	file, err := os.CreateTemp("", "belfry-part-*")
	if err != nil {
		return err
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil { // it exists until it is closed, or the process ends
		return err
	}
	parts := &partReader{source: contextReader{ctx, r}, file: file, size: size, partSize: partLength(size), stop: stop}
	if err := parts.readNext(); err != nil {
		return err
	}
	_, err = b.core.Client.PutObject(ctx, b.name, name, io.NewSectionReader(parts, 0, parts.size), parts.size,
		minio.PutObjectOptions{
			NumThreads: 1, PartSize: uint64(parts.partSize), //nolint:gosec // above zero
			DisableContentSha256: true, // TLS protects the bytes, and signing each chunk costs memory
		})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// partReader holds the part of a source that is being sent in a temporary file, so that it can be sent again when a
// connection breaks. In memory, a hundred senders at once would fill the machine. A source of Unknown size is a single
// part. Parts are read in order, each as often as need be.
type partReader struct {
	source     io.Reader
	file       *os.File
	size       int64 // of the source
	partSize   int64
	start, end int64 // of the part in the file
	stop       context.CancelCauseFunc
}

// ReadAt stops the upload when the source fails: the client would try again.
func (p *partReader) ReadAt(b []byte, off int64) (int, error) {
	if off >= p.end {
		if err := p.readNext(); err != nil {
			p.stop(err)
			return 0, err
		}
	}
	return p.file.ReadAt(b, off-p.start)
}

// readNext replaces the content of the file by the next part. After the last one, it checks that the source has ended.
func (p *partReader) readNext() error {
	want := min(p.partSize, p.size-p.end)
	if p.size == Unknown {
		want = MaxUnknownSize
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := io.CopyBuffer(struct{ io.Writer }{p.file}, io.LimitReader(p.source, want), make([]byte, copyBuffer))
	switch {
	case err != nil:
		return err
	case p.size == Unknown:
		p.size, p.partSize = n, partLength(n)
	case n < want:
		return io.ErrUnexpectedEOF
	}
	if p.start, p.end = p.end, p.end+n; p.end == p.size {
		return checkEnd(p.source)
	}
	return nil
}

// partLength returns the least length in steps of 1 MiB that keeps the number of parts within what S3 accepts.
func partLength(size int64) int64 {
	const step = 1 << 20
	return max(partSize, (size/maxParts/step+1)*step)
}
