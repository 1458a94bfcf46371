//go:build !linux

package media

import (
	"os"
	"os/exec"
)

// confineProcess and limitResources do nothing, because these systems do not support it.
func confineProcess(*exec.Cmd, bool) {}

func limitResources(*os.Process) {}
