// Package reproduce rebuilds a release and compares the result with the statement of the release.
//
// [Run] unpacks the archive of inputs, checks out the commits that the statement names, builds into
// a new store with an empty build cache, and compares every subject of the statement. Where one
// differs, Run compares images, layers and files to find the first cause: the build information of
// programs before their bytes. Nothing of the release is run, and nothing is pushed.
package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/release"
)

// Options configure a reproduction.
type Options struct {
	Statement *provenance.Statement
	Original  *Original // has what the statement names, to explain differences
	Inputs    string    // path of the archive of inputs
	// Repositories are git repositories, as directory or address: by the name of a source, and ""
	// for the product's own. What the statement names by address needs none.
	Repositories map[string]string
	// Signed means that a key that the user named has signed the statement: the addresses of
	// repositories in it are asked.
	Signed bool
	// Commands lets flags and variables of the release run commands on this machine.
	Commands bool
	// OldGo lets a toolchain run that the statement names and that gets no more fixes of security.
	OldGo    bool
	Sandbox  sandbox.Mode // in which the compiler runs; "" is [sandbox.Off]
	Builder  string       // the ID in the statement that is made
	Temp     string       // directory for the store and the build cache; "" is the system's
	Cache    string       // build cache that only this command has written; "" is an empty one
	Progress *progress.Printer
}

// Run reproduces the release and compares it. A report is returned if it could be built, whether
// it is the same or not.
func Run(ctx context.Context, o Options) (r *Report, err error) {
	if err := o.checkRepositories(); err != nil {
		return nil, err
	}
	dir, err := disk.Scratch(o.Temp)
	if err != nil {
		return nil, fmt.Errorf("making a directory: %w", err)
	}
	defer func() { err = errors.Join(err, remove(dir)) }()
	r = newReport(o.Statement)
	if err := r.compareTools(ctx, o.Statement, o.OldGo); err != nil {
		return nil, err
	}
	for _, n := range r.Notes {
		o.Progress.Printf("note: %s", output.Line(n))
	}
	s := &inputTree{
		options: o, dir: filepath.Join(dir, "inputs"), store: filepath.Join(dir, "store"),
		rebuild: &product.Rebuild{Confined: !o.Commands, Sources: map[string]product.RebuiltSource{}},
	}
	if err := s.make(ctx); err != nil {
		return nil, fmt.Errorf("reproducing %s: %w", r.title(), err)
	}
	cache := cmp.Or(o.Cache, filepath.Join(dir, "cache"))
	leave, err := freshCache(cache)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := s.confine(ctx, filepath.Join(dir, "box"), cache); err != nil {
		return nil, fmt.Errorf("reproducing %s: %w", r.title(), err)
	}
	r.Sandbox = s.rebuild.Sandbox.Protection()
	o.Progress.Printf("sandbox: %s", r.Sandbox)
	made, err := s.build(ctx, filepath.Join(dir, "out"))
	if err != nil {
		return nil, fmt.Errorf("reproducing %s: %w", r.title(), err)
	}
	r.Made = made.Statement
	c := &comparison{report: r, statement: o.Statement, original: o.Original, made: made}
	return r, c.run(ctx)
}

// build makes the release from its inputs.
func (s *inputTree) build(ctx context.Context, out string) (*release.Rebuilt, error) {
	par := s.options.Statement.Predicate.BuildDefinition.ExternalParameters
	if par.SourceDateEpoch {
		s.rebuild.SourceDateEpoch = par.Created
	}
	file, err := s.path(par.Product)
	if err != nil {
		return nil, err
	}
	p, err := product.Load(ctx, product.Options{
		Path: file, Registries: par.Registries, Version: par.Version, Channel: par.Channel,
		Made: []string{s.store, out}, Rebuild: s.rebuild,
	})
	if err != nil {
		return nil, err
	}
	if p.Name != par.Name {
		return nil, fmt.Errorf("its inputs are of %s: they are those of another release", p.Name)
	}
	shipped, err := s.shipped()
	if err != nil {
		return nil, err
	}
	return release.Rebuild(ctx, p, release.Options{
		Store: s.store, Out: out, Builder: s.options.Builder,
		Progress: s.options.Progress,
	}, publish.Shipped{Open: shipped, Digest: s.digest, File: s.file})
}

// confine gives the compiler its sandbox.
func (s *inputTree) confine(ctx context.Context, dir, cache string) (err error) {
	if err := disk.MkdirAll(dir); err != nil {
		return err
	}
	s.rebuild.Sandbox, err = sandbox.New(ctx, sandbox.Options{
		Mode: s.options.Sandbox, Read: []string{s.dir}, Dir: dir, Cache: cache, Programs: s.options.Commands,
	})
	return err
}

// path returns the path of a file of the archive.
func (s *inputTree) path(name string) (string, error) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return "", fmt.Errorf("its statement has slipway.yaml at %q, out of the archive of inputs", name)
	}
	return filepath.Join(s.dir, local), nil
}

// freshCache makes the go command of this process use only this build cache, no cache program, and
// no program of version control for modules, unless the user allows that.
func freshCache(dir string) (leave func(), err error) {
	if err := disk.MkdirAll(dir); err != nil {
		return nil, err
	}
	var undo []func() error
	for name, value := range map[string]string{
		"GOCACHE": dir, "GOCACHEPROG": "",
		"GOVCS": cmp.Or(os.Getenv("GOVCS"), "*:off"),
	} {
		if old, was := os.LookupEnv(name); was {
			undo = append(undo, func() error { return os.Setenv(name, old) })
		} else {
			undo = append(undo, func() error { return os.Unsetenv(name) })
		}
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	return func() {
		for _, f := range undo {
			f() //nolint:errcheck // it was set before
		}
	}, nil
}

// remove removes a directory in which some may not be writable.
func remove(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	if err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(p, 0o700)
		}
		return err
	}); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
