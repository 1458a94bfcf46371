package intake

import (
	"context"
	"errors"
	"time"

	"belfry/internal/fetch"
)

const (
	// maxResumes is how often a broken download is resumed before it fails. The wait before each attempt is one second
	// longer than the previous wait.
	maxResumes = 10
	// chargeStep is how many bytes are charged at a time if the server does not state the size of the file.
	chargeStep = 16 << 20
)

// chargedDownload reads a file from its address, and resumes after a broken connection if the server supports that. It
// charges every byte to the workspace's storage before it returns it.
type chargedDownload struct {
	ctx     context.Context
	client  *fetch.Client
	address string
	limit   int64
	// charge charges needTotal bytes in total, or up to wantTotal if possible, and returns how many are now charged in
	// total.
	charge  func(needTotal, wantTotal int64) (chargedTotal int64, err error)
	charged int64
	read    int64 // bytes returned so far
	file    *fetch.FileBody
	resumes int
}

// Read implements io.Reader. It resumes broken downloads. Its errors are those of fetch.FileBody and of charge.
func (d *chargedDownload) Read(b []byte) (int, error) {
	n, err := d.file.Read(b)
	d.read += int64(n)
	if d.read > d.charged {
		charged, err := d.charge(d.read, d.read+chargeStep)
		if err != nil {
			return 0, err
		}
		d.charged = charged
	}
	if isTransient(err) {
		err = d.resumeWithRetries(err)
	}
	return n, err
}

// Close ends the connection.
func (d *chargedDownload) Close() { _ = d.file.Close() }

// isTransient reports whether err is a download error after which another attempt may succeed.
func isTransient(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	return ok && e.Transient
}

// resumeWithRetries opens the address again at the current position, after the given error. It returns nil if the
// download can continue, and otherwise the last error.
func (d *chargedDownload) resumeWithRetries(lastErr error) error {
	for d.file.Validator != "" && d.resumes < maxResumes && isTransient(lastErr) {
		d.resumes++
		select {
		case <-d.ctx.Done():
			return lastErr
		case <-time.After(time.Duration(d.resumes) * time.Second):
		}
		file, err := d.client.GetRestOrWhole(d.ctx, d.address, d.limit, d.read, d.file.Validator)
		if err != nil {
			lastErr = err
			continue
		}
		if file.Offset != d.read { // the file has changed
			_ = file.Close()
			return lastErr
		}
		_ = d.file.Close()
		d.file = file
		return nil
	}
	return lastErr
}
