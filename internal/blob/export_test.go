package blob

import (
	"context"
	"io"
)

// Pass copies r as a file of a folder is copied.
func Pass(ctx context.Context, dir string, w io.Writer, r io.Reader) error {
	f, err := openOrCreateFolder(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.copyToFile(ctx, w, r, Unknown)
}
