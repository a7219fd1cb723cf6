package release

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// module is slipway's, and command the import path of the slipway command.
const (
	module  = "github.com/slipway-dev/slipway"
	command = module + "/cmd/slipway"
)

// binaryPath is the path in dist/ of slipway for operators.
var binaryPath = filepath.FromSlash(distfile.Program)

// putBinary writes slipway for operators, unless it is left out, and returns the digest of its
// file; that is zero if there is none.
type putBinary func(context.Context) (v1.Hash, error)

// operators is slipway for operators before it is made.
type operators struct {
	run      *run
	left     bool // it is not to be made
	required bool // by the product's module, of which it is compiled
	err      error
	stamps   func() ([]string, error) // for one that is required; it waits for git
}

// operators looks for slipway among the tools of the product, and begins to ask git for its version
// while others work. stop waits for the end of that, and must be called in any case.
func (c *run) operators(ctx context.Context) (o *operators, stop func()) {
	o = &operators{run: c, left: !c.options.IncludeBinary || len(c.described.Selected) > 0}
	if o.left {
		return o, func() {}
	}
	var own string
	if o.required, own, o.err = requires(c.described.Dir); o.err != nil || !o.required {
		return o, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	o.stamps = sync.OnceValues(func() ([]string, error) {
		if err := source.CheckFiles(ctx, c.described.Dir); err != nil {
			return nil, err
		}
		return c.stamps(ctx, own), nil
	})
	go o.stamps() //nolint:errcheck // who waits for it has the error
	return o, func() {
		cancel()
		o.stamps() //nolint:errcheck // put reports the error, if it is called
	}
}

// begin begins to make the static slipway for operators. put waits for it and writes it to
// dist/bin. stop ends the compilation if it still runs, and must be called in any case. If the
// product's module requires slipway, begin compiles that version. Otherwise put takes the running
// program, if that is a static one for linux/amd64.
func (o *operators) begin(ctx context.Context) (put putBinary, stop func()) {
	c, err := o.run, o.err
	var stamps []string
	if o.required && err == nil {
		stamps, err = o.stamps()
	}
	switch {
	case o.left:
		return func(context.Context) (v1.Hash, error) { return v1.Hash{}, nil }, func() {}
	case err != nil:
		return func(context.Context) (v1.Hash, error) {
			return v1.Hash{}, fmt.Errorf("looking for slipway among the tools of the product: %w", err)
		}, func() {}
	case !o.required:
		return c.self, func() {}
	}
	on := platform.Platform{OS: platform.Linux, Architecture: "amd64"}
	ctx, cancel := context.WithCancel(ctx)
	set, wait := program.Start(ctx, c.store, c.options.Progress, []program.Program{{
		Name: "slipway", Package: command, Platform: on, Ldflags: append([]string{"-s", "-w"}, stamps...),
		Tree: source.Tree{Dir: c.described.Dir, Source: product.Source{Name: "slipway"}},
	}})
	put = func(putting context.Context) (v1.Hash, error) {
		defer context.AfterFunc(putting, cancel)()
		if err := wait(); err != nil {
			return v1.Hash{}, err
		}
		file, err := set.File(ctx, "slipway", on)
		if err != nil {
			return v1.Hash{}, err
		}
		return file.Content.Digest, c.install(ctx, file.Content)
	}
	return put, func() {
		cancel()
		wait() //nolint:errcheck // put reports the error, if it is called
	}
}

// stamps returns the linker's flags that set the version of a slipway. It needs none where it is
// a module that the product requires, since the go command knows the version; own is the go.mod
// of slipway's own module, whose version is that of the commit. "" is for none.
func (c *run) stamps(ctx context.Context, own string) []string {
	if own == "" {
		return nil
	}
	version, from, err := product.CommitVersion(ctx, own, c.described.Made)
	if err != nil {
		return nil // it is in no repository
	}
	commit := from.Commit
	if from.Changed {
		commit += "-dirty"
	}
	return []string{"-X main.version=" + version, "-X main.revision=" + commit}
}

// requires reports whether the module of a directory requires slipway, or is slipway: then own is
// its go.mod.
func requires(dir string) (required bool, own string, err error) {
	for {
		path := filepath.Join(dir, "go.mod")
		text, err := regular.Read(path)
		switch {
		case err == nil:
			f, err := modfile.ParseLax(path, text, nil)
			if err != nil {
				return false, "", err
			}
			if f.Module != nil && f.Module.Mod.Path == module {
				return true, path, nil
			}
			return slices.ContainsFunc(f.Require, func(r *modfile.Require) bool {
				return r.Mod.Path == module
			}), "", nil
		case !errors.Is(err, fs.ErrNotExist):
			return false, "", err
		case filepath.Dir(dir) == dir:
			return false, "", nil
		}
		dir = filepath.Dir(dir)
	}
}

// self installs the running program. If that cannot run on operators' machines, self prints
// why.
func (c *run) self(ctx context.Context) (v1.Hash, error) {
	exe, err := os.Executable()
	if err != nil {
		return v1.Hash{}, fmt.Errorf("finding the running slipway: %w", err)
	}
	if why := unfit(exe); why != "" {
		c.options.Progress.Printf("leaving out %s: this slipway %s, and %s has no tool %s", binaryPath,
			why, c.described.Dir, command)
		return v1.Hash{}, nil
	}
	file, err := layer.File(c.store, exe)
	if err != nil {
		return v1.Hash{}, fmt.Errorf("reading the running slipway: %w", err)
	}
	return file.Digest, c.install(ctx, file)
}

// unfit returns why a program cannot run on every Linux machine with an amd64 processor, or "".
func unfit(exe string) string {
	f, err := elf.Open(exe)
	if err != nil || f.Machine != elf.EM_X86_64 {
		return "is for " + runtime.GOOS + "/" + runtime.GOARCH
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return "is linked dynamically (build it with CGO_ENABLED=0)"
		}
	}
	return ""
}

func (c *run) install(ctx context.Context, file layer.Content) error {
	to := filepath.Join(c.out, binaryPath)
	if is(ctx, to, file.Digest) {
		return disk.Chmod(to, disk.ModeProgram)
	}
	err := disk.MkdirAll(filepath.Dir(to))
	if err == nil {
		err = program.Copy(file, to, disk.ModeProgram)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", binaryPath, err)
	}
	return nil
}
