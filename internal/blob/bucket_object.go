package blob

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"
)

// object reads a bucket's object by ranges, and asks for nothing before the first byte is wanted.
type object struct {
	ctx    context.Context
	bucket *bucket
	key    string
	etag   string // holds every range to the object that was opened
	size   int64
	at     int64         // where the next Read begins
	body   io.ReadCloser // the answer that Read is in, standing at at; nil when there is none
}

func (o *object) Size() int64 { return o.size }

func (o *object) Read(p []byte) (int, error) {
	if o.at >= o.size {
		return 0, io.EOF
	}
	if o.body == nil {
		body, err := o.get(o.at, o.size)
		if err != nil {
			return 0, err
		}
		o.body = body
	}
	n, err := o.body.Read(p)
	o.at += int64(n)
	if o.at < o.size {
		err = early(err)
	}
	return n, err
}

func (o *object) ReadAt(p []byte, off int64) (int, error) {
	end := min(off+int64(len(p)), o.size)
	if off < 0 {
		return 0, errors.New("read before the start")
	}
	if off >= end {
		return 0, io.EOF
	}
	body, err := o.get(off, end)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	n, err := io.ReadFull(body, p[:end-off])
	if err != nil {
		return n, early(err)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (o *object) Seek(offset int64, whence int) (int64, error) {
	base := map[int]int64{io.SeekStart: 0, io.SeekCurrent: o.at, io.SeekEnd: o.size}
	from, ok := base[whence]
	if !ok || from+offset < 0 {
		return 0, errors.New("seek before the start")
	}
	if to := from + offset; to != o.at {
		o.at = to
		return to, o.Close()
	}
	return o.at, nil
}

// Close lets go of the connection; a body that was not read to its end costs it.
func (o *object) Close() error {
	if o.body == nil {
		return nil
	}
	err := o.body.Close()
	o.body = nil
	return err
}

// get asks for the bytes from start up to and without end.
func (o *object) get(start, end int64) (io.ReadCloser, error) {
	opts := minio.GetObjectOptions{}
	if err := errors.Join(opts.SetRange(start, end-1), opts.SetMatchETag(o.etag)); err != nil {
		return nil, err
	}
	body, _, _, err := o.bucket.core.GetObject(o.ctx, o.bucket.name, o.bucket.prefix+o.key, opts)
	if missing(err) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", o.key, err)
	}
	return body, nil
}
