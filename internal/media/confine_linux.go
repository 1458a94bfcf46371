package media

import (
	"os"
	"syscall"
	"unsafe"
)

// dieWithParent makes the kernel kill the child when this process ends.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// isolateNetwork makes the child run in an empty network namespace. The child does not start if the system does not
// allow that.
func isolateNetwork(attr *syscall.SysProcAttr) {
	attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
}

// Resources of prlimit(2), the same on every architecture of Go except MIPS.
const (
	limitCPU    = 0
	limitSize   = 1
	limitFiles  = 7
	limitMemory = 9
)

// tryLimitResources limits what a running process can use: 30 s of processor time, 1.5 GiB of address space, 64 open
// files, and no file writes. It ignores errors.
func tryLimitResources(process *os.Process) {
	for resource, most := range map[uintptr]uint64{limitCPU: 30, limitSize: 0, limitFiles: 64, limitMemory: 1536 << 20} {
		bound := [2]uint64{most, most}
		// Errors are ignored: a time limit also applies.
		_, _, _ = syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(process.Pid), resource, uintptr(unsafe.Pointer(&bound)), 0, 0, 0) //nolint:gosec // the kernel's own form
	}
}
