package postgres

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The log of a server that ran for long grew without bound: only a start set it aside.
func TestALogIsRotatedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postgres.log")
	log, _, err := rotateLogIfLargeAndOpen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	write := func(text []byte) {
		if _, err := log.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		for range 9 {
			write(bytes.Repeat([]byte("x"), 1<<20))
		}
		write([]byte("the last line\n"))
		if err := rotateLogIfLarge(path); err != nil {
			t.Fatal(err)
		}
		if log, old := sizeOf(t, path), sizeOf(t, path+".old"); log != 0 || old != logLimit {
			t.Fatalf("the log has %d bytes and the old one %d, want 0 and %d", log, old, logLimit)
		}
		if old, err := os.ReadFile(path + ".old"); err != nil || !bytes.HasSuffix(old, []byte("the last line\n")) {
			t.Errorf("the old log ends with %q, error %v", old[max(0, len(old)-20):], err)
		}
		write([]byte("and on\n"))
		if err := rotateLogIfLarge(path); err != nil || readLogTail(log, 0) != "and on" {
			t.Errorf("after that the log holds %q, error %v", readLogTail(log, 0), err)
		}
	}
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
