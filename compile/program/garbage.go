package program

import (
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
)

// roomy is how many bytes of memory for each core are enough to collect garbage rarely. A compiler
// takes up to half as much memory more by it, and the linker of a large program a tenth: its heap
// does not grow to five times its live part before it ends.
const roomy = 2 << 30

// rarely returns the variables by which compilers and linkers collect garbage: those that the user
// has set, or else, with enough memory, one by which they do it less often than by default. That
// takes a seventh off their time, and does not change their output.
func rarely(user []string, memory uint64) (all []string) {
	for _, kv := range user {
		if name, value, _ := strings.Cut(kv, "="); value != "" && slices.Contains(garbageVariables, name) {
			all = append(all, kv)
		}
	}
	if len(all) == 0 && memory/uint64(runtime.NumCPU()) >= roomy {
		all = []string{"GOGC=400"}
	}
	return all
}

// garbageVariables decide when a Go program collects garbage, and nothing else of the go command.
var garbageVariables = []string{"GOGC", "GOMEMLIMIT"}

// limit is the memory that this process and its children may have, where a container or service
// has less than the machine.
const limit = "/sys/fs/cgroup/memory.max"

// bounded returns how many bytes of a machine's memory a file with a limit leaves: all of them
// without one.
func bounded(memory uint64, file string) uint64 {
	b, err := regular.Read(file)
	if err != nil {
		return memory
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64); err == nil {
		return min(memory, n)
	}
	return memory
}
