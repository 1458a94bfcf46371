package postgres

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The log of a server that ran for long grew without bound: only a start set it aside.
func TestALogIsRotatedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "postgres.log")
	log, _, err := openLog(path)
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
		if err := rotateLog(path); err != nil {
			t.Fatal(err)
		}
		if log, old := sizeOf(t, path), sizeOf(t, path+".old"); log != 0 || old != logLimit {
			t.Fatalf("the log has %d bytes and the old one %d, want 0 and %d", log, old, logLimit)
		}
		if end := readLogTail(path+".old", 0); !strings.HasSuffix(end, "the last line") {
			t.Errorf("the old log ends with %q", end)
		}
		write([]byte("and on\n"))
		if err := rotateLog(path); err != nil || readLogTail(path, 0) != "and on" {
			t.Errorf("after that the log holds %q, error %v", readLogTail(path, 0), err)
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
