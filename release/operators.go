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

// install waits for the program for operators and writes it to bin/. The digest is zero for a
// release that omits the program.
type install func(context.Context) (v1.Hash, error)

// operators begins to make the static slipway for operators: if the product's module requires
// slipway, by compiling that version. Otherwise install takes the running program, if that is
// static and for linux/amd64. stop ends the compilation, and the caller must call it.
func (c *run) operators(ctx context.Context) (put install, stop func()) {
	if !c.options.IncludeBinary || len(c.described.Selected) > 0 {
		return func(context.Context) (v1.Hash, error) { return v1.Hash{}, nil }, func() {}
	}
	required, own, err := requires(c.described.Dir)
	if err == nil && !required {
		return c.self, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	compile := sync.OnceValues(func() (layer.Content, error) {
		if err == nil {
			err = source.CheckFiles(ctx, c.described.Dir)
		}
		if err != nil {
			return layer.Content{}, fmt.Errorf("looking for slipway among the tools of the product: %w", err)
		}
		return c.compile(ctx, c.stamps(ctx, own))
	})
	go compile() //nolint:errcheck // put reports the error, if it is called
	put = func(putting context.Context) (v1.Hash, error) {
		defer context.AfterFunc(putting, cancel)()
		file, err := compile()
		if err != nil {
			return v1.Hash{}, err
		}
		return file.Digest, c.install(ctx, file)
	}
	return put, func() {
		cancel()
		compile() //nolint:errcheck // the release has failed, or put has reported the error
	}
}

// compile compiles slipway for operators from the product's module.
func (c *run) compile(ctx context.Context, stamps []string) (layer.Content, error) {
	on := platform.Platform{OS: platform.Linux, Architecture: "amd64"}
	set, wait := program.Start(ctx, c.store, c.options.Progress, []program.Program{{
		Name: "slipway", Package: command, Platform: on, Ldflags: append([]string{"-s", "-w"}, stamps...),
		Tree: source.Tree{Dir: c.described.Dir, Source: product.Source{Name: "slipway"}},
	}})
	if err := wait(); err != nil {
		return layer.Content{}, err
	}
	file, err := set.File(ctx, "slipway", on)
	return file.Content, err
}

// stamps returns the linker's flags that set the version of slipway, if the product is slipway: own
// is its go.mod then, and the version is that of the commit. For a module that the product requires
// own is "", and the go command knows the version.
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
	if hasDigest(ctx, to, file.Digest) {
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
