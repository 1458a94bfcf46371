//go:build !linux

package media

import (
	"os"
	"syscall"
)

// dieWithParent, isolateNetwork and tryLimitResources do nothing, because only Linux supports what they need.
func dieWithParent(*syscall.SysProcAttr) {}

func isolateNetwork(*syscall.SysProcAttr) {}

func tryLimitResources(*os.Process) {}
