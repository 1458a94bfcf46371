package app

import (
	"context"
	"errors"
	"time"

	"belfry/internal/fetch"
)

const (
	// resumes is how often a download goes on where it broke off before it is begun anew. Each time it
	// waits a second longer.
	resumes = 10
	// stride is how many bytes are charged at a time while nobody knows how many will come.
	stride = 16 << 20
)

// download reads a file from its address, and goes on where the connection broke off if the server can. It
// hands out no byte that does not count in the storage.
type download struct {
	ctx     context.Context
	client  *fetch.Client
	address string
	limit   int64
	// reserve charges at least need bytes, at best want, and answers how many are charged.
	reserve func(need, want int64) (int64, error)
	room    int64 // bytes charged
	read    int64 // bytes handed out
	file    *fetch.File
	resumed int
}

// startDownload opens an address. The caller closes the download.
func (a *App) startDownload(ctx context.Context, from source, limit int64) (*download, error) {
	file, err := a.cfg.Fetch.Get(ctx, from.URL, limit)
	if err != nil {
		return nil, err
	}
	return &download{ctx: ctx, client: a.cfg.Fetch, address: from.URL, limit: limit, file: file}, nil
}

// Read gives the errors of fetch.File, and that of reserve.
func (d *download) Read(b []byte) (int, error) {
	n, err := d.file.Read(b)
	d.read += int64(n)
	if d.read > d.room {
		room, err := d.reserve(d.read, d.read+stride)
		if err != nil {
			return 0, err
		}
		d.room = room
	}
	if transient(err) {
		err = d.resume(err)
	}
	return n, err
}

// Close ends the connection.
func (d *download) Close() { _ = d.file.Close() }

func transient(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	return ok && e.Transient
}

// resume opens the address again at the place where the bytes ended.
func (d *download) resume(broken error) error {
	for d.file.Validator != "" && d.resumed < resumes && transient(broken) {
		d.resumed++
		select {
		case <-d.ctx.Done():
			return broken
		case <-time.After(time.Duration(d.resumed) * time.Second):
		}
		file, err := d.client.GetFrom(d.ctx, d.address, d.limit, d.read, d.file.Validator)
		if err != nil {
			broken = err
			continue
		}
		if file.Offset != d.read { // the file is another one by now
			_ = file.Close()
			return broken
		}
		_ = d.file.Close()
		d.file = file
		return nil
	}
	return broken
}
