package postgres

import (
	"bytes"
	"context"
	"fmt"
	"os"
)

// isServerOf reports whether pid is a server started on cluster. A process on its way out shows no
// words any more and counts as gone.
func isServerOf(_ context.Context, pid int, cluster string) bool {
	words, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && bytes.Contains(words, []byte("\x00"+cluster+"\x00"))
}
