package assemble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Found is the result of a check, also of one with an error.
type Found struct {
	// Demands lists what a release to a registry requires and a snapshot does not, one line each.
	Demands  []string
	Warnings []string          // possible mistakes, and what could not be checked
	Programs []program.Program // to be compiled, without those that have errors
	Prebuilt []lock.Prebuilt   // without those that are still to be downloaded

	reader *reader
	images []finding // in the order of the product
}

// Check finds mistakes that would stop the build, as far as that is possible without a compiler:
// main packages that do not exist, every error in a Dockerfile and what it copies, bases, and
// values that the product lacks. All errors are reported. With a registry, Check asks registries
// for bases.
//
// [Ready.Images] finds mistakes in the bytes of programs, and in images that are not in the store.
func (in Input) Check(ctx context.Context) (*Found, error) {
	return (&checker{reader: in.reader()}).check(ctx)
}

// CheckOffline does what [Input.Check] does, and asks no registry.
func (in Input) CheckOffline(ctx context.Context) (*Found, error) {
	c := &checker{reader: in.reader()}
	c.bases.Offline = true
	return c.check(ctx)
}

// Ready is a checked product, with evaluated Dockerfiles until [Ready.Images] ends.
type Ready struct {
	*Found

	Baseline *Baseline
	kept     *kept
}

// Prepare does what [Input.Check] does, for a build that follows. Dockerfiles in which nothing had
// to be assumed are evaluated only once. With an error, only the Found of the result can be used.
func (in Input) Prepare(ctx context.Context) (*Ready, error) { return in.reader().prepare(ctx) }

// PrepareAgain does what [Input.Prepare] does, and takes bases and prebuilt images from an existing
// release before it asks registries. file finds there the images that the release took from files.
func (in Input) PrepareAgain(ctx context.Context, shipped oci.Open, file base.ShippedFile) (*Ready, error) {
	r := in.reader()
	r.bases.Shipped, r.bases.ShippedFile = shipped, file
	return r.prepare(ctx)
}

// Materials lists what the product is built from, as [Ready.Images] does, without building it.
func (r *Ready) Materials(ctx context.Context) ([]lock.Material, error) {
	return r.Baseline.AllMaterials(ctx, r.Programs)
}

func (r *reader) prepare(ctx context.Context) (*Ready, error) {
	k := &kept{all: map[evaluation]evaluated{}}
	b, changed := r.Baseline(ctx) // before anything is read
	f, err := (&checker{r, k}).check(ctx)
	if err == nil {
		err = changed
	}
	if err != nil {
		k.drop()
	}
	return &Ready{f, b, k}, err
}

// checker checks the images of a product. kept gets evaluated Dockerfiles; nil keeps none.
type checker struct {
	*reader

	kept *kept
}

func (c *checker) check(ctx context.Context) (*Found, error) {
	p := c.Product
	f := &Found{Demands: slices.Clone(p.Demands), reader: c.reader, images: make([]finding, len(p.Images))}
	errs := []error{c.Missing}
	if !p.Snapshot() && len(f.Demands) > 0 {
		c.bases.Offline = true // the product may change by what it lacks, and nothing will be built
		for _, d := range f.Demands {
			errs = append(errs, errors.New(d))
		}
	}
	declared, ofPrograms := Programs(p, c.Trees)
	files, ofPrebuilt := readPrebuilt(ctx, p, c.Store, nil)
	f.Prebuilt = lockPrebuilt(files)
	packages := []error{ofPrograms}
	for _, p := range declared {
		packages = append(packages, p.Check())
	}
	// a program is checked for each platform
	errs = append(errs, output.JoinOnce(packages...), c.checkArtifacts(), ofPrebuilt)
	inParallel(p.Images, func(n int, i product.Image) error {
		f.images[n] = kinds[i.Kind].check(c, ctx, i)
		return nil
	})
	if err := ctx.Err(); err != nil {
		return f, err
	}
	f.Programs = f.addPrograms(declared)
	var w progress.Warnings
	if ofPrograms == nil {
		for _, p := range f.Programs { // whose modules go build would take from elsewhere
			for _, line := range p.Tree.Workspace() {
				w.Add("warning: " + line)
			}
		}
	}
	for n, i := range f.images {
		warn(&w, p.Images[n], i.notes)
		for _, d := range i.demands {
			if slices.Contains(f.Demands, d.Error()) {
				continue
			}
			if f.Demands = append(f.Demands, d.Error()); !p.Snapshot() {
				errs = append(errs, fmt.Errorf("building image %s: %w", p.Images[n].Name, d))
			}
		}
		for _, err := range i.errs {
			errs = append(errs, fmt.Errorf("building image %s: %w", p.Images[n].Name, err))
		}
	}
	f.Warnings = w.All()
	return f, errors.Join(errs...)
}

// finding is the result for an image or one of its platforms.
type finding struct {
	demands, errs []error
	builds        []containerfile.GoBuild // of Dockerfiles
	notes         [][]string              // what cannot be checked or may be a mistake, by platform
	// on are the images that it uses: one element for a platform, one per platform for an image.
	on []used
	// taken are the documents of prebuilt images.
	taken []Document
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

// addPrograms adds the programs of Dockerfiles to those of slipway.yaml. One that is the same as
// another is compiled once; one that has only the name of another gets the name of its image, too.
func (f *Found) addPrograms(all []program.Program) []program.Program {
	for n, i := range f.images {
		for _, g := range i.builds {
			p, err := f.reader.goBuild(g)
			if err != nil || slices.ContainsFunc(all, p.Same) {
				continue // the check has reported the error
			}
			name := p.Name
			for k := 1; slices.ContainsFunc(all, func(o program.Program) bool {
				return o.Name == p.Name && o.Platform == p.Platform
			}); k++ {
				if p.Name = f.reader.Product.Images[n].Name + "/" + name; k > 1 {
					p.Name += fmt.Sprintf("-%d", k)
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// warn warns of what could not be checked or may be a mistake, once for all platforms. notes has a
// list for each platform of the image.
func warn(w *progress.Warnings, i product.Image, notes [][]string) {
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
		w.Add(fmt.Sprintf("warning: image %s for %s: %s", i.Name, strings.Join(on[note], ", "), note))
	}
}
