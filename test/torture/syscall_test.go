//go:build linux && amd64

package torture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"
)

// failing says which errors a call can have.
var failing = []struct {
	call   string
	errors []syscall.Errno
}{
	{"write", []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EINTR}},
	{"pwrite64", []syscall.Errno{syscall.ENOSPC}},
	{"fsync", []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EINTR}},
	{"renameat", []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES}},
	{"renameat2", []syscall.Errno{syscall.EIO}},
	{"linkat", []syscall.Errno{syscall.EIO}},
	{"mkdirat", []syscall.Errno{syscall.ENOSPC, syscall.EACCES}},
	{"unlinkat", []syscall.Errno{syscall.EACCES, syscall.EIO}},
	{"openat", []syscall.Errno{syscall.EMFILE, syscall.EACCES, syscall.EIO, syscall.EINTR}},
	{"fchmodat", []syscall.Errno{syscall.EIO}},
	{"ftruncate", []syscall.Errno{syscall.EIO}},
	{"read", []syscall.Errno{syscall.EIO}},
	{"pread64", []syscall.Errno{syscall.EIO}},
	{"close", []syscall.Errno{syscall.EIO}},
}

// some is how many calls of a name fail, in turn, of one command with one error.
const some = 6

// failures lets one system call of a command fail.
func failures() (cases []fault) {
	for _, s := range append(writers(), find("diff")) {
		for _, f := range failing {
			calls := surveyed[s].calls[f.call]
			for _, err := range f.errors {
				for n := range min(some, calls) {
					cases = append(cases, fault{
						kind: "system call", scenario: s, heals: err == syscall.EINTR,
						name: fmt.Sprintf("%s/%s-%s-%d", s.name, f.call, errorName(err), n+1),
						strike: func(w *worker, r *rand.Rand) outcome {
							when := 1 + r.IntN(calls)
							if calls <= some {
								when = n + 1
							}
							return w.begin(s.command, w.tracer([]string{f.call}, func(at int, _ call) action {
								if at != when {
									return action{}
								}
								return action{err: err}
							})).wait()
						},
					})
				}
			}
		}
	}
	return cases
}

func errorName(err syscall.Errno) string {
	return map[syscall.Errno]string{
		syscall.ENOSPC: "ENOSPC", syscall.EIO: "EIO", syscall.EINTR: "EINTR",
		syscall.EACCES: "EACCES", syscall.EMFILE: "EMFILE", syscall.EROFS: "EROFS",
	}[err]
}

// disks are a disk that becomes full, one that becomes read-only, and a slow one whose user has
// lost patience.
func disks() (cases []fault) {
	for _, s := range writers() {
		growing := []string{"write", "pwrite64", "mkdirat", "openat", "copy_file_range"}
		modifying := append(slices.Clone(growing), changing...)
		count := func(names []string) (n int) {
			for _, name := range names {
				n += surveyed[s].calls[name]
			}
			return n
		}
		from := func(kind string, n int, err syscall.Errno, calls []string) {
			total := count(calls)
			cases = append(cases, fault{
				kind: "disk", name: fmt.Sprintf("%s/%s-%d", s.name, kind, n+1), scenario: s,
				strike: func(w *worker, r *rand.Rand) outcome {
					when := 1 + r.IntN(total)
					return w.begin(s.command, w.tracer(calls, func(at int, c call) action {
						if at < when && n > 0 || c.name == "openat" && !c.writes || strings.HasSuffix(c.path, "/lock") {
							return action{}
						}
						return action{err: err}
					})).wait()
				},
			})
		}
		for n := range 5 {
			from("full", n, syscall.ENOSPC, growing)
			from("read-only", n, syscall.EROFS, modifying)
		}
		for n := range 2 {
			cases = append(cases, fault{
				kind: "disk", name: fmt.Sprintf("%s/slow-%d", s.name, n+1), scenario: s,
				strike: func(w *worker, r *rand.Rand) outcome {
					t := w.tracer([]string{"write", "fsync"}, func(int, call) action {
						return action{wait: 20 * time.Millisecond}
					})
					return w.interrupt(s, r, syscall.SIGTERM, t)
				},
			})
		}
	}
	return cases
}
