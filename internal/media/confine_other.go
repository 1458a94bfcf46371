//go:build !linux

package media

import (
	"os"
	"syscall"
)

// dieWithParent, isolateNetwork and limitResources do nothing, because only Linux supports what they need.
func dieWithParent(*syscall.SysProcAttr) {}

func isolateNetwork(*syscall.SysProcAttr) {}

func limitResources(*os.Process) {}
