//go:build !linux

package postgres

import (
	"bytes"
	"context"
	"os/exec"
	"strconv"
)

// isServerOf reports whether pid is a server started on cluster.
func isServerOf(ctx context.Context, pid int, cluster string) bool {
	words, err := exec.CommandContext(ctx, "ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && bytes.Contains(words, []byte("-D "+cluster+" "))
}
