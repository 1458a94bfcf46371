package media

import (
	"os/exec"
	"syscall"
)

// confine has the program die with us.
func confine(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
