package blob

import (
	"os"
	"syscall"
)

// startWriteback has the system begin to write a part of a file to the disk. It is a hint: the file is no safer for it,
// and the system that does not take it writes later.
func startWriteback(f *os.File, from, size int64) {
	const begin = 2 // SYNC_FILE_RANGE_WRITE
	_ = syscall.SyncFileRange(int(f.Fd()), from, size, begin)
}
