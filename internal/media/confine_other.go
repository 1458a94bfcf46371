//go:build !linux

package media

import (
	"os"
	"os/exec"
)

// confineProcess and limit do nothing: these systems have no such means.
func confineProcess(*exec.Cmd, bool) {}

func limitResources(*os.Process) {}
