//go:build unix

package subprocess

import (
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"
)

// interrupted has the groups that were interrupted less than Grace ago.
var interrupted struct {
	sync.Mutex
	groups []int
}

func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		id := cmd.Process.Pid
		interrupted.Lock()
		interrupted.groups = append(interrupted.groups, id)
		interrupted.Unlock()
		time.AfterFunc(Grace, func() {
			interrupted.Lock()
			defer interrupted.Unlock()
			interrupted.groups = slices.DeleteFunc(interrupted.groups, func(g int) bool { return g == id })
			syscall.Kill(-id, syscall.SIGKILL) //nolint:errcheck // usually it has ended
		})
		return syscall.Kill(-id, syscall.SIGINT)
	}
}

// Kill kills interrupted programs that still run. A process that is about to exit calls it.
func Kill() {
	interrupted.Lock()
	defer interrupted.Unlock()
	for _, id := range interrupted.groups {
		syscall.Kill(-id, syscall.SIGKILL) //nolint:errcheck // usually it has ended
	}
}
