//go:build !linux

package media

import (
	"os"
	"os/exec"
)

// confineProcess and limitResources do nothing, because only Linux supports what they need.
func confineProcess(*exec.Cmd, bool) {}

func limitResources(*os.Process) {}
