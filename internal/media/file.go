package media

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	windowSize = 66 << 10 // how much of a file is held at a time: an archive's end with its remark fits in
	leapSize   = 4 << 10  // how much is read where the window does not go on
)

// file is the bytes under examination, seen through one window: many small reads near each other cost one of
// the storage. It is an io.ReaderAt that ends with its context. It is for one goroutine.
type file struct {
	ctx  context.Context //nolint:containedctx // lives as long as the call that made it
	r    io.ReaderAt
	size int64

	buf []byte // the window's memory
	at  int64  // where the window begins
	n   int    // how much of it is filled

	failed error // of reading or of the context, so that a decoder cannot disguise it
}

func newFile(ctx context.Context, r io.ReaderAt, size int64) *file {
	return &file{ctx: ctx, r: r, size: size}
}

// ReadAt reads past the window.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		f.failed = err
		return 0, err
	}
	n, err := f.r.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		f.failed = fmt.Errorf("read the file at %d: %w", off, err)
		return n, f.failed
	}
	return n, err
}

// windowAt returns what the window holds from off on: at least one byte, valid until the next call.
func (f *file) windowAt(off int64) ([]byte, error) {
	if off < 0 || off >= f.size {
		return nil, newRefusal(reasonTruncated)
	}
	if off < f.at || off >= f.at+int64(f.n) {
		if err := f.moveWindow(off, 1); err != nil {
			return nil, err
		}
	}
	return f.buf[off-f.at : f.n], nil
}

// moveWindow moves the window to off: all of it in sequential reading, a little of it after a leap, since the leaps of
// a video go from header to header.
func (f *file) moveWindow(off int64, need int) error {
	if f.buf == nil {
		f.buf = make([]byte, min(windowSize, f.size))
	}
	want := int64(len(f.buf))
	if off < f.at || off > f.at+int64(f.n) {
		want = min(want, max(leapSize, int64(need)))
	}
	want = min(want, f.size-off)
	f.at, f.n = off, 0
	if err := f.readFull(f.buf[:want], off); err != nil {
		return err
	}
	f.n = int(want)
	return nil
}

// readFull fills p from off on. That the file should have the bytes was seen before.
func (f *file) readFull(p []byte, off int64) error {
	n, err := f.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if f.failed == nil {
		err = errors.Join(err, io.ErrUnexpectedEOF)
		f.failed = fmt.Errorf("read the file at %d: it has fewer than its %d bytes: %w", off, f.size, err)
	}
	return f.failed
}

// readBytes returns n bytes at off, at most a window, valid until the next call. A file that ends before is cut off.
func (f *file) readBytes(off int64, n int) ([]byte, error) {
	if off < 0 || off > f.size-int64(n) {
		return nil, newRefusal(reasonTruncated)
	}
	if off < f.at || off+int64(n) > f.at+int64(f.n) {
		if err := f.moveWindow(off, n); err != nil {
			return nil, err
		}
	}
	return f.buf[off-f.at:][:n], nil
}

// readUpTo returns n bytes at off, or fewer where the file ends.
func (f *file) readUpTo(off int64, n int) ([]byte, error) {
	return f.readBytes(off, int(min(int64(n), max(0, f.size-off))))
}

func (f *file) readUint32(off int64) (int64, error) {
	b, err := f.readBytes(off, 4)
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint32(b)), nil
}

// sectionReader is the file for a decoder that reads it from its start.
func (f *file) sectionReader() *io.SectionReader { return io.NewSectionReader(f, 0, f.size) }
