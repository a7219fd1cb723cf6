//go:build linux

package explore

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// dying is how long a process may still be there that got the signal to end.
const dying = 30 * time.Second

// running returns the command lines of processes that a command of the walk has left: those with
// its directory in the environment. Where there is no /proc, there are none.
func (w *world) running() []string {
	for end := time.Now().Add(dying); ; time.Sleep(10 * time.Millisecond) {
		if all := w.processes(); len(all) == 0 || time.Now().After(end) {
			return all
		}
	}
}

func (w *world) processes() (all []string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is one
	for _, path := range environments {
		env, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(env), "="+w.dir+"/") {
			continue // it has ended, or it is of another user
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil || len(line) == 0 {
			continue // it has ended
		}
		all = append(all, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return all
}
