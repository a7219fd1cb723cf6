package program

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/store"
)

// box is the sandbox of the batch; nil for none.
func (b *batch) box() *sandbox.Box { return b.programs[0].box() }

func (p Program) box() *sandbox.Box {
	if x := p.Tree.Source.Sandbox; x.On() {
		return x
	}
	return nil
}

// tools are directories of the go command.
type tools struct {
	root, modules string
	linked        []string // to which links in root lead, as distributions have them
}

// tools returns those of the tree's toolchain. The go command is asked outside of the sandbox, since
// it may have to get the toolchain, a release of Go, first.
func (p Program) tools(ctx context.Context) (tools, error) {
	out, err := p.Tree.Go(ctx, "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return tools{}, fmt.Errorf("asking the go command for its directories: %w", source.Said(err))
	}
	root, modules, ok := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	if !ok || root == "" || modules == "" {
		return tools{}, fmt.Errorf("the go command answers %q to go env GOROOT GOMODCACHE", out)
	}
	t := tools{root: root, modules: modules}
	entries, err := os.ReadDir(root)
	if err != nil {
		return tools{}, fmt.Errorf("reading the toolchain: %w", err)
	}
	for _, e := range entries {
		if path := filepath.Join(root, e.Name()); e.Type()&fs.ModeSymlink != 0 && resolved(path) != path {
			t.linked = append(t.linked, resolved(path))
		}
	}
	return t, disk.MkdirAll(modules)
}

// inside makes a go command with the variables of the batch one in the sandbox. It sees the
// toolchain, modules and sources, and writes its build cache and the directory of the batch.
func (b *batch) inside(ctx context.Context, st *store.Store, args []string) *exec.Cmd {
	p := b.programs[0]
	work := st.WorkPath(b.work())
	temp := tempIn(work)
	t, err := p.tools(ctx)
	if err == nil {
		err = disk.MkdirAll(temp)
	}
	if err != nil {
		return &exec.Cmd{Err: err}
	}
	return p.box().Command(ctx, sandbox.Run{
		Program: append([]string{filepath.Join(t.root, "bin", "go")}, args...),
		Env:     append(p.insideEnv(t, temp), p.variables()...),
		Dir:     p.Tree.Dir,
		Read:    slices.Concat([]string{t.root, t.modules}, t.linked, compilerDirs(p.compilers())),
		Write:   []string{work},
	})
}

// tempIn is where commands in the sandbox have temporary files: on the file system of what is
// linked, which is then renamed.
func tempIn(work string) string { return filepath.Join(work, ".tmp") }

// insideEnv is the environment in the sandbox: none of the user's variables but PATH.
func (p Program) insideEnv(t tools, temp string) []string {
	path := filepath.Join(t.root, "bin")
	if user := os.Getenv("PATH"); user != "" {
		path += string(filepath.ListSeparator) + user
	}
	return []string{
		"PATH=" + path, "HOME=" + temp, "TMPDIR=" + temp, "GOTMPDIR=" + temp, "LC_ALL=C", "PWD=" + p.Tree.Dir,
		"GOROOT=" + t.root, "GOMODCACHE=" + t.modules, "GOCACHE=" + p.box().Cache(), "GOENV=off", "GOWORK=off", "GOTELEMETRY=off",
		"GOPROXY=off", "GOSUMDB=off", "GOVCS=*:off", "GOTOOLCHAIN=local", // all of it was downloaded
	}
}

// compilerInside makes the command of a C compiler one in the sandbox.
func (p Program) compilerInside(ctx context.Context, path string, args []string) *exec.Cmd {
	box := p.box()
	return box.Command(ctx, sandbox.Run{
		Program: append([]string{path}, args[1:]...), Env: []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + box.Cache(), "TMPDIR=" + box.Cache()},
		Dir: box.Cache(), Read: compilerDirs(p.compilers()),
	})
}

// compilerDirs are the directories of C compilers that are not with the system's programs: a
// compiler, and what lies beside it.
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

// checkOutputs checks that what was compiled are files. A link, which a program in the sandbox can
// make, could lead to a file of the user, whose bytes would then be in an image.
func (b *batch) checkOutputs(dir string, programs []Program) error {
	for _, p := range programs {
		path := filepath.Join(dir, p.output())
		fi, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if !fi.Mode().IsRegular() {
			return p.wrong("the compiler made %s instead of a program: do not trust the release", regular.Kind(fi.Mode()))
		}
	}
	return nil
}

// clear removes temporary files of commands in the sandbox. What cannot be removed the next run
// reports.
func (b *batch) clear(dir string) {
	if b.box() != nil {
		os.RemoveAll(tempIn(dir))
	}
}
