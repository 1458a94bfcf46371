package postgres

import "syscall"

// dieWithParent asks the kernel for a fast shutdown of the child when we die, even by kill -9.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
