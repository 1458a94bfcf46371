package intake

import (
	"crypto/rand"
	"io"
	"strings"

	"belfry/internal/blob"
)

// newBlobKey returns a key under which nothing was ever stored: who lost a lease cannot touch another's bytes.
func newBlobKey() string { return blob.Key("media", strings.ToLower(rand.Text())) }

// errTrackingReader remembers why reading failed, so that a sender's failure can be told from the storage's.
type errTrackingReader struct {
	reader io.Reader
	err    error // the last error but io.EOF
}

// Read implements io.Reader.
func (r *errTrackingReader) Read(b []byte) (int, error) {
	n, err := r.reader.Read(b)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
