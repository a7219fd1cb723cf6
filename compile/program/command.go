package program

import (
	"context"
	"os"
	"os/exec"
	"slices"
)

// command is a go command for the programs of the batch.
func (b *batch) command(ctx context.Context, args ...string) *exec.Cmd {
	p := b.programs[0]
	if !p.Tree.Source.Sandbox.On() {
		cmd := p.Tree.Go(ctx, args...)
		cmd.Env = p.environ(cmd.Env, b.store.Temp())
		return cmd
	}
	return b.inside(ctx, args, p.variables())
}

// environ adds the variables of the program to those of its tree.
func (p Program) environ(env []string, temp string) []string {
	// The go command renames what it has linked on the same file system. From another one it
	// would copy, and a copy that is interrupted is a program that only begins as one.
	return append(append(env, "GOTMPDIR="+temp), p.variables()...)
}

// variables are those that decide what the go command makes of the program, and how it collects
// garbage.
func (p Program) variables() []string {
	env := slices.Concat(rarely(os.Environ(), memory()), []string{"CGO_ENABLED=0"}, p.Env)
	env = append(env, "GOOS="+p.Platform.OS, "GOARCH="+p.Platform.Architecture)
	if v := p.Platform.GoVariant(); v != "" {
		env = append(env, v)
	}
	return env
}
