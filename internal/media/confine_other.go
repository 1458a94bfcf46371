//go:build !linux

package media

import (
	"os"
	"os/exec"
)

// confine and limit do nothing: these systems have no such means.
func confine(*exec.Cmd, bool) {}

func limit(*os.Process) {}
