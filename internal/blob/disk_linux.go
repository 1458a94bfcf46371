package blob

import (
	"os"
	"syscall"
)

// startWriteback asks the system to start writing part of a file to disk. It is only a hint, and does not make the
// file durable.
func startWriteback(f *os.File, from, size int64) {
	const begin = 2 // SYNC_FILE_RANGE_WRITE
	_ = syscall.SyncFileRange(int(f.Fd()), from, size, begin)
}
