package assemble

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/assemble/lifecycle"
	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// kinds is how images of each kind of slipway.yaml are built. A new kind is an entry here and in
// the table of package product, and a file with the functions.
var kinds = map[string]kind{
	"go":         indexed(goPrograms, (*Builder).checkGoImage, (*Builder).goImage),
	"dockerfile": indexed(dockerPrograms, (*Builder).checkDockerImage, (*Builder).dockerImage),
	"lifecycle":  {lifecyclePrograms, (*Builder).checkLifecycle, (*Builder).lifecycle, lifecycleSystems()},
	"prebuilt":   indexed(noPrograms, nil, nil), // every platform is
}

type kind struct {
	// programs lists the programs that an image may contain, each with the platforms to compile
	// it for.
	programs func(*product.Product, product.Image) []wanted
	// check finds what is wrong with an image without a compiler.
	check func(*Builder, context.Context, product.Image) finding
	// build puts the image into the store.
	build func(*Builder, context.Context, product.Image) (built.Image, error)
	// systems are the operating systems that one manifest serves; nil if the image is an index
	// with a manifest per platform.
	systems []string
}

// wanted is a program and the platforms that it is compiled for.
type wanted struct {
	program product.Program
	on      []platform.Platform
}

// indexed is a kind whose images are an index with a manifest per platform; check and compose
// work on one platform. Those of platforms that are prebuilt are taken as they are.
func indexed(
	programs func(*product.Product, product.Image) []string,
	check func(*Builder, context.Context, product.Image, platform.Platform) finding,
	compose func(*Builder, context.Context, product.Image, platform.Platform) (content, error),
) kind {
	return kind{
		programs: func(p *product.Product, i product.Image) []wanted {
			var all []wanted
			for _, name := range programs(p, i) {
				all = append(all, wanted{p.Program(name), i.Built()})
			}
			return all
		},
		check: func(b *Builder, ctx context.Context, i product.Image) finding {
			return checkPlatforms(i, func(p platform.Platform) finding {
				if t, ok := i.PrebuiltOn(p); ok {
					return b.checkTaken(ctx, t)
				}
				if builderOf(i, p) != "" {
					return b.checkDelegated(ctx, i, p)
				}
				return check(b, ctx, i, p)
			})
		},
		build: func(b *Builder, ctx context.Context, i product.Image) (built.Image, error) {
			return b.index(i, func(p platform.Platform) (child, error) {
				if t, ok := i.PrebuiltOn(p); ok {
					return b.take(ctx, i, t)
				}
				if builderOf(i, p) != "" {
					return b.delegate(ctx, i, p)
				}
				c, err := compose(b, ctx, i, p)
				if err != nil {
					return child{}, err
				}
				return b.write(i, c)
			})
		},
	}
}

// each makes images and artifacts. Failures have that of each image, and at last that of the
// artifacts.
func (b *Builder) each(ctx context.Context) (images []built.Image, files []lock.Artifact, failures []error) {
	images = make([]built.Image, len(b.product.Images))
	var g sync.WaitGroup
	g.Go(func() {
		failures = inParallel(b.product.Images, func(n int, i product.Image) (err error) {
			if images[n], err = kinds[i.Kind].build(b, ctx, i); err != nil {
				return fmt.Errorf("building image %s: %w", i.Name, err)
			}
			return nil
		})
	})
	files, err := b.artifacts(ctx)
	g.Wait()
	return images, files, append(failures, err)
}

func noPrograms(*product.Product, product.Image) []string { return nil }

func goPrograms(_ *product.Product, i product.Image) []string {
	return []string{i.Content.(*product.GoImage).Program}
}

// dockerPrograms names the programs that an image may copy.
func dockerPrograms(p *product.Product, i product.Image) []string {
	d := i.Content.(*product.DockerfileImage)
	if named := d.Programs; len(named) > 0 || len(d.Outputs) > 0 {
		named = append(slices.Clone(named), slices.Sorted(maps.Values(d.Outputs))...)
		slices.Sort(named)
		return slices.Compact(named)
	}
	var all []string
	for _, d := range p.Programs {
		all = append(all, d.Name)
	}
	return all
}

func lifecyclePrograms(_ *product.Product, i product.Image) []wanted {
	var all []wanted
	for _, p := range lifecycle.Programs {
		source := i.Content.(*product.LifecycleImage).Source
		all = append(all, wanted{
			product.Program{Name: lifecycleProgram(i, p.Name), Source: source, Package: p.Package},
			lifecycle.Systems,
		})
	}
	return all
}

// lifecycleProgram names a program of a lifecycle image among all programs; the slash keeps it
// apart from those of slipway.yaml.
func lifecycleProgram(i product.Image, name string) string { return i.Name + "/" + name }

func lifecycleSystems() []string {
	var all []string
	for _, p := range lifecycle.Systems {
		all = append(all, p.OS)
	}
	return all
}

func (b *Builder) checkGoImage(ctx context.Context, i product.Image, p platform.Platform) (f finding) {
	parent, err := b.bases.Resolve(ctx, i.Bases[p.OS], p)
	if err == nil {
		f.on = []used{{base: parent.Info}}
		if parent.Demand != nil {
			f.demands = append(f.demands, parent.Demand)
		}
		_, err = parent.Config()
	}
	f.errs = output.Split(err)
	prog := b.product.Program(i.Content.(*product.GoImage).Program)
	if tree, ok := b.trees[prog.Source]; ok {
		data, err := kodata(tree.Dir, prog.Package, func(string) (layer.Content, error) { return layer.Content{}, nil })
		if err == nil {
			err = layer.Check(data, p.OS)
		}
		f.errs = append(f.errs, output.Split(err)...)
	}
	return f
}

// checkDockerImage evaluates the image's Dockerfile with programs of which nothing but the names
// is known.
func (b *Builder) checkDockerImage(ctx context.Context, i product.Image, p platform.Platform) (f finding) {
	made := map[string]layer.Content{}
	programs, err := b.binaries(i, p, func(name string) (containerfile.File, error) {
		return containerfile.File{Later: func() layer.Content { return made[name] }}, nil
	})
	if err != nil {
		return finding{errs: output.Split(err)}
	}
	r, err := b.evaluate(ctx, i, p, programs, true)
	var note string
	if err == nil {
		note, err = b.checkStart(ctx, r, p)
	}
	f = finding{demands: r.Demands, errs: output.Split(err), builds: r.Builds}
	if note != "" {
		f.notes = [][]string{strings.Split(note, "\n")}
	}
	if err == nil {
		f.on = []used{{r.Base.Info, r.Others}}
		b.kept.add(i, p, evaluated{r, made})
	} else {
		r.Close()
	}
	return f
}

func (b *Builder) checkLifecycle(_ context.Context, i product.Image) (f finding) {
	spec := i.Content.(*product.LifecycleImage)
	if tree, ok := b.trees[spec.Source]; ok {
		_, err := lifecycle.ReadMetadata(tree.Dir, spec.Version)
		f.errs = output.Split(err)
	}
	return f
}
