package media

import (
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	windowSize = 66 << 10 // of the file in memory; the end of a ZIP archive with its comment fits in
	leapSize   = 4 << 10  // how much is read after a jump to another position
)

// file is the file under examination. It is an io.ReaderAt that fails after its context has ended. It is not safe for
// concurrent use.
type file struct {
	ctx  context.Context //nolint:containedctx // lives as long as the call that made it
	r    io.ReaderAt
	size int64

	buf []byte // the memory of abortingReader's window
	at  int64  // where the window begins
	n   int    // how much of it is filled

	failed error // the error of a read or of the context, which decoders would replace with their own
}

func newFile(ctx context.Context, r io.ReaderAt, size int64) *file {
	return &file{ctx: ctx, r: r, size: size}
}

// ReadAt implements io.ReaderAt for decoders. It bypasses the window.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		f.failed = err
		return 0, err
	}
	n, err := f.r.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		f.failed = fmt.Errorf("read the file at byte %d: %w", off, err)
		return n, f.failed
	}
	return n, err
}

// newWholeFileReader returns a reader of the whole file for decoders. It bypasses the window.
func (f *file) newWholeFileReader() *io.SectionReader { return io.NewSectionReader(f, 0, f.size) }
