package postgres

import "syscall"

// dieWithParent makes the kernel request a fast shutdown of the child when our process ends, even after kill -9.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
