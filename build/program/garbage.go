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
// does not grow to five times what is live before it ends.
const roomy = 2 << 30

// rarely lets compilers and linkers collect garbage less often than by default, unless an
// environment says how often they do. It takes a seventh off what they cost, and changes nothing
// of what they make.
func rarely(env []string, memory uint64) []string {
	said := func(kv string) bool {
		name, value, _ := strings.Cut(kv, "=")
		return value != "" && slices.Contains(garbageVariables, name)
	}
	if slices.ContainsFunc(env, said) || memory/uint64(runtime.NumCPU()) < roomy {
		return env
	}
	return append(env, "GOGC=400")
}

// garbageVariables say when a Go program collects garbage. They change nothing else of the go
// command.
var garbageVariables = []string{"GOGC", "GOMEMLIMIT"}

// limit is the memory that this process and its children may have, where a container or service
// has less than the machine.
const limit = "/sys/fs/cgroup/memory.max"

// bounded returns how many bytes of a machine's memory a file with a limit leaves: all of them if
// it has none.
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
