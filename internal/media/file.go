package media

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	windowSize = 66 << 10 // of the file in memory; the end of a ZIP archive with its comment fits in
	leapSize   = 4 << 10  // how much is read after a jump to another position
)

// file is the file under examination. It is read through one window, so that many small reads near each other cost one
// read of the storage. It is an io.ReaderAt that fails after its context has ended. It is not safe for concurrent use.
//
// Nearly every line that reads a file can fail. Therefore, the functions of this package that read a file and return
// no error panic with an abort if the file is refused or cannot be read. They must be called inside recoverAbort.
type file struct {
	ctx  context.Context //nolint:containedctx // lives as long as the call that made it
	r    io.ReaderAt
	size int64

	buf []byte // the window's memory
	at  int64  // where the window begins
	n   int    // how much of it is filled

	failed error // the error of a read or of the context, which decoders would replace with their own
}

// abort is the panic value that ends the reading of a file with an error.
type abort struct{ err error }

// abortIfError panics with an abort if err is not nil.
func abortIfError(err error) {
	if err != nil {
		panic(abort{err}) //nolint:forbidigo // caught by recoverAbort, which every exported function calls
	}
}

// refuseFile panics with an abort whose error is a *Refusal.
func refuseFile(reason string) { abortIfError(newRefusal(reason)) }

// refuseFileIf calls refuseFile if wrong is true.
func refuseFileIf(wrong bool, reason string) {
	if wrong {
		refuseFile(reason)
	}
}

// recoverAbort calls read and returns the error of an abort, if there was one.
func recoverAbort(read func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			a, ok := v.(abort)
			if !ok {
				panic(v) //nolint:forbidigo // not an abort
			}
			err = a.err
		}
	}()
	read()
	return nil
}

func newFile(ctx context.Context, r io.ReaderAt, size int64) *file {
	return &file{ctx: ctx, r: r, size: size}
}

// ReadAt implements io.ReaderAt, bypassing the window. It returns errors instead of panicking, because decoders call
// it.
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

// peekWindow returns the bytes of the window from position off: at least one byte. They are valid until the next read
// of the file.
func (f *file) peekWindow(off int64) []byte {
	refuseFileIf(off < 0 || off >= f.size, reasonIncomplete)
	if off < f.at || off >= f.at+int64(f.n) {
		f.moveWindow(off, 1)
	}
	return f.buf[off-f.at : f.n]
}

// moveWindow moves the window to off. It fills the window if the file is read sequentially, but reads little after a
// jump, because videos are read by jumping from header to header.
func (f *file) moveWindow(off int64, need int) {
	if f.buf == nil {
		f.buf = make([]byte, min(windowSize, f.size))
	}
	want := int64(len(f.buf))
	if off < f.at || off > f.at+int64(f.n) {
		want = min(want, max(leapSize, int64(need)))
	}
	want = min(want, f.size-off)
	f.at, f.n = off, 0
	f.readFull(f.buf[:want], off)
	f.n = int(want)
}

// readFull fills p with the bytes at off. The caller must check that the file is long enough.
func (f *file) readFull(p []byte, off int64) {
	n, err := f.ReadAt(p, off)
	if n == len(p) {
		return
	}
	if f.failed == nil {
		err = errors.Join(err, io.ErrUnexpectedEOF)
		f.failed = fmt.Errorf("read the file at byte %d: it is shorter than the expected %d bytes: %w", off, f.size, err)
	}
	abortIfError(f.failed)
}

// peekBytes returns n bytes at off, at most a window, as a view of the window: it is valid until the next read of the
// file. It refuses a file that is too short as incomplete.
func (f *file) peekBytes(off int64, n int) []byte {
	refuseFileIf(off < 0 || off > f.size-int64(n), reasonIncomplete)
	if off < f.at || off+int64(n) > f.at+int64(f.n) {
		f.moveWindow(off, n)
	}
	return f.buf[off-f.at:][:n]
}

// peekUpTo is peekBytes, but returns fewer bytes at the end of the file. They, too, are valid until the next read.
func (f *file) peekUpTo(off int64, n int) []byte {
	return f.peekBytes(off, int(min(int64(n), max(0, f.size-off))))
}

// readUint32BE reads a big-endian number at off.
func (f *file) readUint32BE(off int64) int64 {
	return int64(binary.BigEndian.Uint32(f.peekBytes(off, 4)))
}

// sectionReader returns a reader of the whole file for decoders.
func (f *file) sectionReader() *io.SectionReader { return io.NewSectionReader(f, 0, f.size) }
