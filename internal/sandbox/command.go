package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"

	"github.com/slipway-dev/slipway/internal/subprocess"
)

// Run is a program that is run in a box.
type Run struct {
	Program []string // with its arguments; the first is an absolute path
	Env     []string // all of it; of a name the last counts, as in package exec
	Dir     string
	// Read and Write have directories besides those of the box.
	Read, Write []string
}

// Command returns a command that runs a program in the box, which must be on. Its standard input
// is empty.
func (b *Box) Command(ctx context.Context, r Run) *exec.Cmd {
	p := b.policy(r)
	return p.command(ctx)
}

func (b *Box) policy(r Run) policy {
	p := policy{
		Read: slices.Concat(b.options.Read, r.Read), Write: append(slices.Clone(r.Write), b.options.Cache),
		Landlock: b.protection.Landlock, Seccomp: b.protection.Seccomp, Dir: r.Dir, Program: r.Program,
		Env: (&exec.Cmd{Env: append([]string{}, r.Env...)}).Environ(),
	}
	if len(b.protection.Namespaces) > 0 {
		p.Root = b.root()
	}
	if b.options.Programs {
		p.System = systemDirs
	}
	return p
}

// maxPolicy is less than the system permits for one argument.
const maxPolicy = 120 << 10

func (p *policy) command(ctx context.Context) *exec.Cmd {
	cmd := subprocess.Command(ctx, "/proc/self/exe") // which is there even if the file was replaced
	cmd.Dir, cmd.Env = "/", []string{}
	text, err := json.Marshal(p)
	if err == nil && bytes.Contains(text, []byte(`\ufffd`)) { // as encoding/json writes text that is not UTF-8
		err = fmt.Errorf("a directory, argument or variable of %s is not UTF-8, and the sandbox has no others: "+
			"rename it, or use -sandbox=off", p.Program[0])
	}
	if err == nil && len(text) > maxPolicy {
		err = fmt.Errorf("arguments and environment of %s have %d bytes, and in the sandbox %d are possible: "+
			"take flags out, or use -sandbox=off", p.Program[0], len(text), maxPolicy)
	}
	if err != nil {
		cmd.Err = err
		return cmd
	}
	cmd.Args = []string{processName, string(text)}
	p.isolate(cmd)
	return cmd
}
