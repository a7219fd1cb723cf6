package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/internal/subprocess"
	"github.com/slipway-dev/slipway/platform"
)

// Compiler is a C or C++ compiler with which programs are compiled.
type Compiler struct {
	Platform platform.Platform // of the programs
	Command  string
	Version  string // the first line that --version prints
}

// version returns the first line that a compiler of the program prints for --version.
func (p Program) version(ctx context.Context, command string) (string, error) {
	args := append(strings.Fields(command), "--version")
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("it has not answered for a minute"))
	defer cancel()
	cmd := subprocess.Command(ctx, args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	if p.Tree.Source.Sandbox.On() {
		cmd = p.compilerInside(ctx, cmd.Path, args)
	}
	out := &subprocess.Bound{Max: 64 << 10, End: cancel}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil && !out.Full {
			err = context.Cause(ctx)
		}
		return "", fmt.Errorf("asking the C compiler %s for its version: %w", command, err)
	}
	line, _, _ := strings.Cut(string(out.Text), "\n")
	return output.Excerpt(strings.TrimSpace(line), 200), nil
}

// Compilers returns the C compilers of programs, each once for a platform.
func Compilers(ctx context.Context, programs []Program) ([]Compiler, error) {
	var all []Compiler
	for _, p := range programs {
		for _, command := range p.compilers() {
			if slices.ContainsFunc(all, func(c Compiler) bool {
				return c.Platform == p.Platform && c.Command == command
			}) {
				continue
			}
			v, err := p.version(ctx, command)
			if err != nil {
				return nil, err
			}
			all = append(all, Compiler{p.Platform, command, v})
		}
	}
	return all, nil
}

// compilerInside makes the command of a C compiler one in the sandbox.
func (p Program) compilerInside(ctx context.Context, path string, args []string) *exec.Cmd {
	box := p.Tree.Source.Sandbox
	return box.Command(ctx, sandbox.Run{
		Program: append([]string{path}, args[1:]...),
		Env:     []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + box.Cache(), "TMPDIR=" + box.Cache()},
		Dir:     box.Cache(), Read: compilerDirs(p.compilers()),
	})
}

// compilerDirs are the directories of C compilers that are not with the system's programs, with the
// files next to them.
func compilerDirs(commands []string) (dirs []string) {
	for _, c := range commands {
		path, err := exec.LookPath(word(c))
		if err != nil {
			continue // the go command reports it
		}
		for _, p := range []string{path, resolved(path)} {
			dir := filepath.Dir(p)
			if above := filepath.Dir(dir); filepath.Base(dir) == "bin" && !isHome(above) {
				dir = above // lib is there, too
			}
			if dir != "/" && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

func resolved(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}

// isHome reports whether the user's files are in a directory.
func isHome(dir string) bool {
	home, err := os.UserHomeDir()
	return err == nil && disk.Within(dir, home)
}
