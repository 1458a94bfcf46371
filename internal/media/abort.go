package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// abort is the panic value that ends the reading of a file with an error.
type abort struct{ err error }

// abortIfError panics with an abort if err is not nil.
func abortIfError(err error) {
	if err != nil {
		panic(abort{err}) //nolint:forbidigo // recoverAbort catches it
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

// abortingReader is a file that is read through its window, so that many small reads near each other cost one read of
// the storage.
//
// Nearly every line that reads a file can fail. Therefore, the methods of the types called aborting… return no errors,
// but panic with an abort if the file is refused or cannot be read. The names of other functions that panic with an
// abort contain the verb abort or refuse.
type abortingReader file

// readAndRecoverAbort calls read and returns the error of an abort, if there was one.
func (f *file) readAndRecoverAbort(read func(*abortingReader)) error {
	return recoverAbort(func() { read((*abortingReader)(f)) })
}

// peekWindow returns the bytes of the window from position off: at least one byte. They are valid until the next read
// of the file.
func (r *abortingReader) peekWindow(off int64) []byte {
	refuseFileIf(off < 0 || off >= r.size, reasonIncomplete)
	if off < r.at || off >= r.at+int64(r.n) {
		r.moveWindow(off, 1)
	}
	return r.buf[off-r.at : r.n]
}

// moveWindow moves the window to off. It fills the window if the file is read sequentially, but reads little after a
// jump, because videos are read by jumping from header to header.
func (r *abortingReader) moveWindow(off int64, need int) {
	if r.buf == nil {
		r.buf = make([]byte, min(windowSize, r.size))
	}
	want := int64(len(r.buf))
	if off < r.at || off > r.at+int64(r.n) {
		want = min(want, max(leapSize, int64(need)))
	}
	want = min(want, r.size-off)
	r.at, r.n = off, 0
	r.readFull(r.buf[:want], off)
	r.n = int(want)
}

// readFull fills p with the bytes at off. The caller must check that the file is long enough.
func (r *abortingReader) readFull(p []byte, off int64) {
	n, err := (*file)(r).ReadAt(p, off)
	if n == len(p) {
		return
	}
	if r.failed == nil {
		err = errors.Join(err, io.ErrUnexpectedEOF)
		r.failed = fmt.Errorf("read the file at byte %d: it is shorter than the expected %d bytes: %w", off, r.size, err)
	}
	abortIfError(r.failed)
}

// peekBytes returns n bytes at off, at most a window, as a view of the window: it is valid until the next read of the
// file. It refuses a file that is too short as incomplete.
func (r *abortingReader) peekBytes(off int64, n int) []byte {
	refuseFileIf(off < 0 || off > r.size-int64(n), reasonIncomplete)
	if off < r.at || off+int64(n) > r.at+int64(r.n) {
		r.moveWindow(off, n)
	}
	return r.buf[off-r.at:][:n]
}

// peekUpTo is peekBytes, but returns fewer bytes at the end of the file. They, too, are valid until the next read.
func (r *abortingReader) peekUpTo(off int64, n int) []byte {
	return r.peekBytes(off, int(min(int64(n), max(0, r.size-off))))
}

// readUint32BE reads a big-endian number at off.
func (r *abortingReader) readUint32BE(off int64) int64 {
	return int64(binary.BigEndian.Uint32(r.peekBytes(off, 4)))
}
