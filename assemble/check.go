package assemble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Check finds what would stop the build, as far as that can be known without a compiler: main
// packages that do not exist, every error in a Dockerfile and what it copies, bases, and what
// the product has left open. With a registry bases are asked for, unless [Builder.Offline] was
// called. All errors are reported. demands are those of a release to a registry that a snapshot
// goes without, one line each. What may be a mistake is a warning: see [Builder.WarnIn].
//
// What takes the bytes of programs, or of an image that is not in the store, is found by
// [Builder.Images].
func (b *Builder) Check(ctx context.Context) (demands []string, err error) {
	demands = slices.Clone(b.product.Demands)
	var errs []error
	if !b.product.Snapshot() && len(demands) > 0 {
		b.bases.Offline = true // what is asked for is not known, and nothing will be built
		for _, d := range demands {
			errs = append(errs, errors.New(d))
		}
	}
	if b.kept != nil && b.lookFirst(ctx) != nil {
		b.kept = nil // what is wrong is found again
	}
	errs = append(errs, b.checkPackages(), b.checkArtifacts(), b.readPrebuilt(ctx, nil))
	found := make([]finding, len(b.product.Images))
	inParallel(b.product.Images, func(n int, i product.Image) error {
		found[n] = kinds[i.Kind].check(b, ctx, i)
		return nil
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.found = found
	if all, err := b.Programs(); err == nil { // checkPackages has reported the error
		b.warnOfWorkspaces(all)
	}
	for n, f := range found {
		b.warn(b.product.Images[n], f.notes)
		for _, d := range f.demands {
			s := d.Error()
			if slices.Contains(demands, s) {
				continue
			}
			if demands = append(demands, s); !b.product.Snapshot() {
				errs = append(errs, fmt.Errorf("building image %s: %w", b.product.Images[n].Name, d))
			}
		}
		for _, err := range f.errs {
			errs = append(errs, fmt.Errorf("building image %s: %w", b.product.Images[n].Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		b.kept.drop()
		return demands, err
	}
	return demands, nil
}

// Offline lets the builder ask no registry, for checks.
func (b *Builder) Offline() { b.bases.Offline = true }

// finding is what was found out about an image or one of its platforms.
type finding struct {
	demands, errs []error
	builds        []containerfile.GoBuild // of Dockerfiles
	notes         [][]string              // what cannot be checked or may be a mistake, by platform
	// on are the images that it uses: one element for a platform, one per platform for an image.
	on []used
	// taken is what was read of prebuilt images.
	taken []Document
}

func (b *Builder) checkPackages() error {
	all, err := Programs(b.product, b.trees)
	errs := []error{err}
	for _, p := range all {
		errs = append(errs, p.Check())
	}
	return output.JoinOnce(errs...) // a program is checked for each platform
}

// checkPlatforms checks an image for all its platforms. An error that several have is reported
// once, with the first of them.
func checkPlatforms(i product.Image, check func(platform.Platform) finding) finding {
	found := make([]finding, len(i.Platforms))
	inParallel(i.Platforms, func(n int, p platform.Platform) error {
		found[n] = check(p)
		return nil
	})
	var all finding
	first := output.Once()
	for n, f := range found {
		all.demands = append(all.demands, f.demands...)
		all.builds = append(all.builds, f.builds...)
		all.taken = append(all.taken, f.taken...)
		all.on = append(all.on, append(f.on, used{})[0])
		all.notes = append(all.notes, slices.Concat(f.notes...))
		for _, err := range f.errs {
			if first(err) {
				all.errs = append(all.errs, fmt.Errorf("%s: %w", i.Platforms[n].String(), err))
			}
		}
	}
	return all
}

// addPrograms adds the programs of Dockerfiles, which the check has found, to those of
// slipway.yaml. One that is the same as another is compiled once; one that has only the name of
// another gets the name of its image, too.
func (b *Builder) addPrograms(all []program.Program) []program.Program {
	for n, f := range b.found {
		for _, g := range f.builds {
			p, err := b.goBuild(g)
			if err != nil || slices.ContainsFunc(all, p.Same) {
				continue // the check has reported the error
			}
			name := p.Name
			for k := 1; slices.ContainsFunc(all, func(o program.Program) bool {
				return o.Name == p.Name && o.Platform == p.Platform
			}); k++ {
				if p.Name = b.product.Images[n].Name + "/" + name; k > 1 {
					p.Name += fmt.Sprintf("-%d", k)
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// Programs lists what must be compiled for the product: see [Programs]. It is for a builder that
// has checked the product, which finds the programs of Dockerfiles.
func (b *Builder) Programs() ([]program.Program, error) {
	all, err := Programs(b.product, b.trees)
	return b.addPrograms(all), err
}

// warnOfWorkspaces warns of modules that go build would take from elsewhere.
func (b *Builder) warnOfWorkspaces(programs []program.Program) {
	for _, p := range programs {
		for _, line := range p.Tree.Workspace() {
			b.warnings.Add("warning: " + line)
		}
	}
}

// warn warns of what could not be checked or may be a mistake, once for all platforms. notes has a
// list for each platform of the image.
func (b *Builder) warn(i product.Image, notes [][]string) {
	var order []string
	on := map[string][]string{}
	for n, list := range notes {
		for _, note := range list {
			if on[note] == nil {
				order = append(order, note)
			}
			on[note] = append(on[note], i.Platforms[n].String())
		}
	}
	for _, note := range order {
		b.warnings.Add(fmt.Sprintf("warning: image %s for %s: %s", i.Name, strings.Join(on[note], ", "), note))
	}
}
