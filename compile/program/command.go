package program

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/sandbox"
)

// tools are directories of the go command.
type tools struct {
	root, modules string
	linked        []string // to which links in root lead, as distributions have them
}

// tools returns those of the tree's toolchain. The go command is asked outside of the sandbox,
// since it may have to get the toolchain, a release of Go, first.
func (p Program) tools(ctx context.Context) (tools, error) {
	dirs, err := p.Tree.Variables(ctx, "its directories", "GOROOT", "GOMODCACHE")
	if err != nil {
		return tools{}, err
	}
	t := tools{root: dirs[0], modules: dirs[1]}
	entries, err := os.ReadDir(t.root)
	if err != nil {
		return tools{}, fmt.Errorf("reading the toolchain: %w", err)
	}
	for _, e := range entries {
		if path := filepath.Join(t.root, e.Name()); e.Type()&fs.ModeSymlink != 0 && resolved(path) != path {
			t.linked = append(t.linked, resolved(path))
		}
	}
	return t, disk.MkdirAll(t.modules)
}

// inside makes a go command with the variables of the batch one in the sandbox, which sees the
// toolchain, modules and sources, and writes its build cache and the directory of the batch.
func (b *batch) inside(ctx context.Context, args, variables []string) *exec.Cmd {
	p := b.programs[0]
	t, err := p.tools(ctx)
	if err == nil {
		err = disk.MkdirAll(b.temp)
	}
	if err != nil {
		return &exec.Cmd{Err: err}
	}
	return p.Tree.Source.Sandbox.Command(ctx, sandbox.Run{
		Program: append([]string{filepath.Join(t.root, "bin", "go")}, args...),
		Env:     append(p.insideEnv(t, b.temp), variables...),
		Dir:     p.Tree.Dir,
		Read:    slices.Concat([]string{t.root, t.modules}, t.linked, compilerDirs(p.compilers())),
		Write:   []string{b.dir},
	})
}

// insideEnv is the environment in the sandbox: none of the user's variables but PATH. Those of
// [Program.variables] come to it.
func (p Program) insideEnv(t tools, temp string) []string {
	path := filepath.Join(t.root, "bin")
	if user := os.Getenv("PATH"); user != "" {
		path += string(filepath.ListSeparator) + user
	}
	return []string{
		"PATH=" + path, "HOME=" + temp, "TMPDIR=" + temp, "GOTMPDIR=" + temp, "LC_ALL=C", "PWD=" + p.Tree.Dir,
		"GOROOT=" + t.root, "GOMODCACHE=" + t.modules, "GOCACHE=" + p.Tree.Source.Sandbox.Cache(),
		"GOENV=off", "GOWORK=off", "GOTELEMETRY=off",
		"GOPROXY=off", "GOSUMDB=off", "GOVCS=*:off", "GOTOOLCHAIN=local", // all of it was downloaded
	}
}

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
