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
// finished file can be renamed atomically. It cannot conflict with keys, which never begin with a dot.
const unfinishedDir = ".unfinished"

// Up to maxReadAhead files at once are copied with reading ahead: up to readAheadChunks chunks of readAheadChunk bytes
// are read before they are written. All other files are copied with a small buffer, so that any number of slow senders
// needs little memory.
const (
	readAheadChunk  = 256 << 10
	readAheadChunks = 4
	maxReadAhead    = 16
)

// folder is a store in a folder on disk. A key is a path in the folder, so the files can be used without Belfry.
// os.Root prevents access to other folders.
type folder struct {
	root      *os.Root
	readAhead chan [][]byte // sets of buffers that are not in use; nil before a set's first use
}

func openOrCreateFolder(dir string) (*folder, error) {
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

func (f *folder) Put(ctx context.Context, key string, r io.Reader, sizeOrUnknown int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	name := path.Join(unfinishedDir, rand.Text())
	err := f.createAndSyncFile(ctx, name, r, sizeOrUnknown)
	if err == nil {
		err = f.renameToKeyAndSync(name, key)
	}
	if err == nil {
		return nil
	}
	if left := f.root.Remove(name); !errors.Is(left, fs.ErrNotExist) {
		err = errors.Join(err, left)
	}
	return fmt.Errorf("store %s: %w", key, err)
}

// createAndSyncFile creates a file with the bytes of r, and returns once it is written to disk. If the size is known, r
// must have as many bytes. After an error, createAndSyncFile leaves an incomplete file.
func (f *folder) createAndSyncFile(ctx context.Context, name string, r io.Reader, sizeOrUnknown int64) (err error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r = contextReader{ctx, r}
	source := r
	if sizeOrUnknown != Unknown {
		source = io.LimitReader(r, sizeOrUnknown)
	}
	to := &earlySyncWriter{file: file}
	if err = f.copyToFile(ctx, to, source, sizeOrUnknown); err != nil {
		return err
	}
	if sizeOrUnknown != Unknown && to.at < sizeOrUnknown {
		return io.ErrUnexpectedEOF
	}
	if sizeOrUnknown != Unknown {
		if err = expectEOF(r); err != nil {
			return err
		}
	}
	// The content must be on disk before the rename: otherwise, a crash could leave an empty file under the key.
	return file.Sync()
}

// copyToFile copies all of r to a file. sizeHint, which can be Unknown, only chooses the buffer. If a set of buffers is
// free, copyToFile reads ahead while it writes. It does not read from r after it has returned.
func (f *folder) copyToFile(ctx context.Context, file io.Writer, r io.Reader, sizeHint int64) error {
	if sizeHint != Unknown && sizeHint <= copyBuffer {
		_, err := io.CopyBuffer(file, r, make([]byte, max(sizeHint, 1)))
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
		defer stop() // otherwise, closing would wait until more chunks are read
		_, err = io.Copy(file, ahead)
		return err
	default:
		_, err := io.CopyBuffer(file, r, make([]byte, copyBuffer))
		return err
	}
}

// flushBytes is how many new bytes make earlySyncWriter start to write them to disk.
const flushBytes = 8 << 20

// earlySyncWriter makes the system write a file to disk while more bytes arrive, so that the final sync is short.
// Unlike os.File, it has no ReadFrom, which would use a small buffer.
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

// renameToKeyAndSync renames a finished file to its key, and returns once the name is on disk too.
func (f *folder) renameToKeyAndSync(name, key string) error {
	dir := path.Dir(key)
	var parents []string // folders to sync, because they are new or contain a new name
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

func (f *folder) Each(ctx context.Context, prefix, afterKey string, visit VisitFunc) error {
	return f.walkDir(ctx, ".", prefix, afterKey, visit)
}

// walkDir is Each for the files in dir and its folders.
func (f *folder) walkDir(ctx context.Context, dir, prefix, afterKey string, visit VisitFunc) error {
	entries, err := fs.ReadDir(f.root.FS(), dir)
	if err != nil {
		return fmt.Errorf("list %s: %w", dir, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(nameForSorting(a), nameForSorting(b)) })
	for _, entry := range entries {
		key := path.Join(dir, entry.Name())
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case checkKey(key) != nil: // not written by this package
		case entry.IsDir():
			mayHavePrefix := strings.HasPrefix(key+"/", prefix) || strings.HasPrefix(prefix, key+"/")
			mayBeAfter := key+"/" >= afterKey || strings.HasPrefix(afterKey, key+"/")
			if mayHavePrefix && mayBeAfter {
				err = f.walkDir(ctx, key, prefix, afterKey, visit)
			}
		case entry.Type().IsRegular() && strings.HasPrefix(key, prefix) && key > afterKey:
			err = visitEntryIfExists(entry, key, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// nameForSorting returns the name by which walkDir sorts an entry, so that it visits keys in byte order.
func nameForSorting(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

// visitEntryIfExists calls visit for a file, unless it has been deleted.
func visitEntryIfExists(entry fs.DirEntry, key string, visit VisitFunc) error {
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) { // deleted in the meantime
		return nil
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", key, err)
	}
	return visit(key, info.Size(), info.ModTime())
}

func (f *folder) RemoveUnfinishedPuts(ctx context.Context, lastModifiedBefore time.Time) (removed int, err error) {
	entries, err := fs.ReadDir(f.root.FS(), unfinishedDir)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return 0, fmt.Errorf("list unfinished files: %w", err)
	}
	for _, entry := range entries {
		name := path.Join(unfinishedDir, entry.Name())
		err := visitEntryIfExists(entry, name, func(name string, _ int64, modified time.Time) error {
			if !modified.Before(lastModifiedBefore) {
				return nil
			}
			removed++
			return f.root.Remove(name)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // renamed to its key in the meantime
			return removed, fmt.Errorf("remove an unfinished file: %w", err)
		}
	}
	return removed, nil
}

func (f *folder) CheckReadWrite(ctx context.Context) error {
	if err := probeStore(ctx, f); err != nil {
		return fmt.Errorf("cannot use the media folder %s: %w", f.root.Name(), err)
	}
	return nil
}

func (f *folder) Close() error { return f.root.Close() }
