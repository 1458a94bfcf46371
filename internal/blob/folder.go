package blob

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/readahead"
)

// unfinishedDir is the folder for files that are being written. It is on the same file system as the rest, so that a
// finished file can be renamed atomically, and cannot conflict with keys, which never begin with a dot.
const unfinishedDir = ".unfinished"

// A file is copied in chunks, of which so many may be read before they are written. Small ones cost more in
// calls than in bytes. So many files at once are copied like that; the rest take turns with a small one each, so
// that any number of slow senders needs little memory.
const (
	readAheadChunk  = 256 << 10
	readAheadChunks = 4
	maxReadAhead    = 16
)

// folder is a store in a folder on disk. A key is a path in it, so that the store can be read and moved without
// Belfry; os.Root prevents paths outside.
type folder struct {
	root      *os.Root
	readAhead chan [][]byte // the chunks of each; nil before the first use
}

func newFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the media folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the media folder: %w", err)
	}
	if err := root.MkdirAll(unfinishedDir, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot write to the media folder %s: %w", dir, err), root.Close())
	}
	f := &folder{root, make(chan [][]byte, maxReadAhead)}
	for range maxReadAhead {
		f.readAhead <- nil
	}
	return f, nil
}

func (f *folder) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	name := path.Join(unfinishedDir, rand.Text())
	err := f.writeFile(ctx, name, r, size)
	if err == nil {
		err = f.moveToKey(name, key)
	}
	if err == nil {
		return nil
	}
	if left := f.root.Remove(name); !errors.Is(left, fs.ErrNotExist) {
		err = errors.Join(err, left)
	}
	return fmt.Errorf("store %s: %w", key, err)
}

// writeFile creates a file of the declared size, and returns after it has been written to disk.
func (f *folder) writeFile(ctx context.Context, name string, r io.Reader, size int64) (err error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r = contextReader{ctx, r}
	source := r
	if size != Unknown {
		source = io.LimitReader(r, size)
	}
	to := &earlySyncWriter{file: file}
	if err = f.copyToFile(ctx, to, source, size); err != nil {
		return err
	}
	if size != Unknown && to.at < size {
		return io.ErrUnexpectedEOF
	}
	if size != Unknown {
		if err = checkEnd(r); err != nil {
			return err
		}
	}
	// Before the name: otherwise a crash could leave the key with an empty file.
	return file.Sync()
}

// copyToFile copies r to a file. If a buffer is free, it reads ahead while it writes. When it returns, it no longer
// reads from r.
func (f *folder) copyToFile(ctx context.Context, file io.Writer, r io.Reader, size int64) error {
	if size != Unknown && size <= copyBuffer {
		_, err := io.CopyBuffer(file, r, make([]byte, max(size, 1)))
		return err
	}
	select {
	case buffers := <-f.readAhead:
		defer func() { f.readAhead <- buffers }()
		for len(buffers) < readAheadChunks {
			buffers = append(buffers, make([]byte, readAheadChunk))
		}
		ctx, stop := context.WithCancel(ctx)
		ahead, err := readahead.NewReaderBuffer(contextReader{ctx, r}, buffers)
		if err != nil {
			stop()
			return err
		}
		defer ahead.Close()
		defer stop() // or closing would wait for chunks to be filled that nobody wants
		_, err = io.Copy(file, ahead)
		return err
	default:
		_, err := io.CopyBuffer(file, r, make([]byte, copyBuffer))
		return err
	}
}

// flushBytes is how many bytes are passed to the disk at a time.
const flushBytes = 8 << 20

// earlySyncWriter starts writing a file to disk while more bytes arrive, so that the final sync is short. Unlike
// os.File it has no ReadFrom, which would use a small buffer.
type earlySyncWriter struct {
	file        *os.File
	at, flushed int64
}

func (e *earlySyncWriter) Write(b []byte) (int, error) {
	n, err := e.file.Write(b)
	e.at += int64(n)
	if e.at-e.flushed >= flushBytes {
		startWriteback(e.file, e.flushed, e.at-e.flushed)
		e.flushed = e.at
	}
	return n, err
}

// moveToKey renames a finished file to its key, and returns when the name is as durable as the content.
func (f *folder) moveToKey(name, key string) error {
	dir := path.Dir(key)
	var parents []string // whose names are new
	for ; ; dir = path.Dir(dir) {
		parents = append(parents, dir)
		if _, err := f.root.Stat(dir); err == nil || dir == "." {
			break
		}
	}
	if err := f.root.MkdirAll(path.Dir(key), 0o700); err != nil {
		return err
	}
	if err := f.root.Rename(name, key); err != nil {
		return err
	}
	for _, dir := range parents {
		if err := f.syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) syncDir(dir string) error {
	d, err := f.root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

type file struct {
	*os.File
	size int64
}

func (f file) Size() int64 { return f.size }

func (f *folder) Open(ctx context.Context, key string) (Object, error) {
	if err := errors.Join(checkKey(key), ctx.Err()); err != nil {
		return nil, err
	}
	o, err := f.root.Open(key)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", key, err)
	}
	info, err := o.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", key, errors.Join(err, o.Close()))
	}
	return file{o, info.Size()}, nil
}

func (f *folder) Delete(ctx context.Context, key string) error {
	if err := errors.Join(checkKey(key), ctx.Err()); err != nil {
		return err
	}
	if err := f.root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

func (f *folder) Each(ctx context.Context, after string, fn func(string, int64, time.Time) error) error {
	return f.walkDir(ctx, ".", after, fn)
}

func (f *folder) walkDir(ctx context.Context, dir, after string, fn func(string, int64, time.Time) error) error {
	entries, err := fs.ReadDir(f.root.FS(), dir)
	if err != nil {
		return fmt.Errorf("list %s: %w", dir, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(sortName(a), sortName(b)) })
	for _, entry := range entries {
		key := path.Join(dir, entry.Name())
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case checkKey(key) != nil: // not ours
		case entry.IsDir():
			if key+"/" >= after || strings.HasPrefix(after, key+"/") {
				err = f.walkDir(ctx, key, after, fn)
			}
		case entry.Type().IsRegular() && key > after:
			err = visitEntry(entry, key, fn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sortName returns the name by which a folder's entry is sorted, so that a walk visits keys in byte order.
func sortName(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

func visitEntry(entry fs.DirEntry, key string, fn func(string, int64, time.Time) error) error {
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) { // deleted since
		return nil
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", key, err)
	}
	return fn(key, info.Size(), info.ModTime())
}

func (f *folder) Tidy(ctx context.Context, before time.Time) (n int, err error) {
	entries, err := fs.ReadDir(f.root.FS(), unfinishedDir)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return 0, fmt.Errorf("list unfinished files: %w", err)
	}
	for _, entry := range entries {
		name := path.Join(unfinishedDir, entry.Name())
		err := visitEntry(entry, name, func(name string, _ int64, modified time.Time) error {
			if !modified.Before(before) {
				return nil
			}
			n++
			return f.root.Remove(name)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // put to its key since
			return n, fmt.Errorf("remove an unfinished file: %w", err)
		}
	}
	return n, nil
}

func (f *folder) Check(ctx context.Context) error {
	if err := checkStore(ctx, f); err != nil {
		return fmt.Errorf("cannot use the media folder %s: %w", f.root.Name(), err)
	}
	return nil
}

func (f *folder) Close() error { return f.root.Close() }
