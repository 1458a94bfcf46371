//go:build !linux

package postgres

import "syscall"

// dieWithParent does nothing on this system. The next start stops a server that outlives us.
func dieWithParent(*syscall.SysProcAttr) {}
