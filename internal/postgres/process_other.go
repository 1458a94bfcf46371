//go:build !linux

package postgres

import "syscall"

// dieWithParent does nothing here: a server that outlives us is stopped by the next start.
func dieWithParent(*syscall.SysProcAttr) {}
