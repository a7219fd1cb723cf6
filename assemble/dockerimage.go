package assemble

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// binaries is the named context with the programs of slipway.yaml, as
// <os>_<arch>/<name>[.exe].
const binaries = "binaries"

// evaluate evaluates the image's Dockerfile for one platform, with the programs that it may copy;
// check is that of [dockerfile.Input].
func (b *Builder) evaluate(ctx context.Context, i product.Image, p platform.Platform, programs containerfile.Context,
	check bool,
) (containerfile.Result, error) {
	d, err := i.Content.(*product.DockerfileImage).On(p, b.trees[i.Source].Info(i.Version))
	if err != nil {
		return containerfile.Result{}, err
	}
	at := b.trees[d.Source].Dir // "" for paths that are absolute
	file, ok := d.Files[p.OS]
	if !ok {
		return containerfile.Result{}, fmt.Errorf("it has no Dockerfile for %s: name one under dockerfile.files", p.OS)
	}
	contexts := map[string]containerfile.Context{binaries: programs}
	for name, dir := range d.Contexts {
		dir = inTree(at, dir)
		contexts[name] = containerfile.Context{Dir: dir, Except: b.product.MadeIn(dir)}
	}
	dir := inTree(at, d.Context)
	mode := b.product.Mode
	if d.Source != "" {
		mode = moduleMode
	}
	outputs, err := b.outputs(d, p, programs)
	if err != nil {
		return containerfile.Result{}, err
	}
	return containerfile.Build(ctx, containerfile.Input{
		File: inTree(at, file), Shown: b.shown(d.Source, file), Outputs: outputs,
		Context: dir, Except: b.product.MadeIn(dir), Contexts: contexts,
		Mode: mode, Args: d.Args, Target: d.Target,
		Platform: p, ModTime: layer.Epoch, Store: b.store, Client: b.client,
		Check: check, Keep: b.kept != nil, Snapshot: b.product.Snapshot(), Compiler: b.compiler(),
		Base: b.bases.Resolve, Limits: containerfile.Limits{Bytes: int64(d.MaxMiB) << 20, Files: d.MaxFiles},
	})
}

// inTree returns a path in a source's directory; without one, and for "", the path itself.
func inTree(source, path string) string {
	if source == "" || path == "" {
		return path
	}
	return filepath.Join(source, path)
}

// shown returns what messages call a file, which may be one of a source.
func (b *Builder) shown(source, path string) string {
	if source == "" {
		return b.shownFile(path)
	}
	return source + ":" + filepath.ToSlash(path)
}

// dockerImage builds an image from its Dockerfile for one platform.
func (b *Builder) dockerImage(ctx context.Context, i product.Image, p platform.Platform) (content, error) {
	r, err := b.evaluateOnce(ctx, i, p)
	if err != nil {
		return content{}, err
	}
	parent, err := b.completeBase(ctx, r.Base, p)
	if err != nil {
		return content{}, err
	}
	c, err := b.newContent(parent)
	if err != nil {
		return content{}, err
	}
	c.config, c.history, c.from = r.Config, r.History, r.Others
	here, err := b.lookInside(ctx, c.base)
	if err != nil {
		return content{}, err
	}
	if c.notes, err = checkRun(r, here, i.AllowLibraries); err != nil {
		return content{}, err
	}
	if err := b.installed(&c, r); err != nil {
		return content{}, err
	}
	for n, l := range r.Layers {
		if err := b.list(ctx, &c, i, p, l.Entries); err != nil {
			return content{}, fmt.Errorf("%s: %w", l.CreatedBy, err)
		}
		written, err := layer.Write(ctx, b.store, l.Entries, layerOptions(i, p, fmt.Sprintf("layer %d", n)))
		if err != nil {
			return content{}, fmt.Errorf("%s: %w", l.CreatedBy, err)
		}
		c.layers = append(c.layers, manifest.Layer{Layer: written, CreatedBy: l.CreatedBy})
	}
	return c, nil
}

// checkStart checks what can be known of the program that an image starts. note says what cannot.
func (b *Builder) checkStart(
	ctx context.Context, r containerfile.Result, p platform.Platform,
) (note string, err error) {
	parent, err := b.completeBase(ctx, r.Base, p)
	if err != nil {
		return "", err
	}
	here, err := parent.Here(b.store)
	if err != nil {
		return "", err
	}
	note, err = r.CheckStart(here)
	if !here && b.looks() { // the base is here when the image is built
		note = ""
	}
	return note, err
}

// looks reports whether images are judged with the layers of their bases. A release to a registry
// fetches these in any case.
func (b *Builder) looks() bool {
	return !b.product.Snapshot() && !b.bases.Offline && b.bases.Shipped == nil
}

// lookInside reports whether the files of a base can be looked at, and fetches them for that, so
// that the verdict on an image does not depend on what the store has.
func (b *Builder) lookInside(ctx context.Context, on base.Base) (bool, error) {
	if b.looks() {
		if err := b.bases.Complete(ctx, on); err != nil {
			return false, err
		}
	}
	return on.Here(b.store)
}

// completeBase completes the base of a Dockerfile by the full os.version, which comes from the
// base, or from the platform for scratch.
func (b *Builder) completeBase(ctx context.Context, on base.Base, p platform.Platform) (base.Base, error) {
	if on.Image == nil {
		return b.bases.Resolve(ctx, "scratch", p)
	}
	got := on.Platform
	if got.OS != p.OS || got.Architecture != p.Architecture ||
		platform.Short(got.OSVersion) != platform.Short(p.OSVersion) {
		return base.Base{}, fmt.Errorf("the image is for %s and its base for %s: "+
			"take --platform out of its last FROM, or name another base", p, got)
	}
	p.OSVersion = got.OSVersion
	on.Platform = p
	return on, nil
}

// binaries returns the programs that an image may copy, each with what file returns.
func (b *Builder) binaries(i product.Image, p platform.Platform,
	file func(program string) (containerfile.File, error),
) (containerfile.Context, error) {
	files := map[string]containerfile.File{}
	for _, name := range dockerPrograms(b.product, i) {
		prog := b.product.Program(name)
		if !prog.IsFor(p) {
			continue
		}
		f, err := file(name)
		if err != nil {
			return containerfile.Context{}, err
		}
		f.Mode = 0o755
		files[inBinaries(name, p)] = f
	}
	return containerfile.Context{Files: files}, nil
}

// outputs returns the programs that the Dockerfile expects in its context and its stages.
func (b *Builder) outputs(d *product.DockerfileImage, p platform.Platform,
	programs containerfile.Context,
) (map[string]map[string]containerfile.File, error) {
	all := map[string]map[string]containerfile.File{}
	for place, name := range d.Outputs {
		f, ok := programs.Files[inBinaries(name, p)]
		if !ok {
			continue // it is not for this platform
		}
		stage, file, err := product.Output(place, p, b.product.Version)
		if err != nil {
			return nil, fmt.Errorf("outputs: %w", err)
		}
		if all[stage] == nil {
			all[stage] = map[string]containerfile.File{}
		}
		f.Made = b.replacement(b.product.Program(name), p)
		all[stage][file] = f
	}
	return all, nil
}

// replacement returns how a program is compiled that takes the place of what a stage makes, nil for
// a prebuilt one. What is wrong with it is reported elsewhere.
func (b *Builder) replacement(decl product.Program, on platform.Platform) any {
	tree, ok := b.trees[decl.Source]
	r, err := program.New(decl, tree, b.product.Version, on.System())
	if !ok || err != nil {
		return nil
	}
	tags := r.Tags()
	if tags == nil && tree.Source.For(on.OS).And(decl.For(on.OS)).Tags != nil {
		tags = []string{} // stated: none
	}
	return &containerfile.GoBuild{
		Name: r.Name, Package: r.Package, Platform: r.Platform, Env: r.Env, Tags: tags, Flags: r.Flags,
		At: decl.Pos.String(),
	}
}

// inBinaries is the name of a program in the context binaries.
func inBinaries(program string, p platform.Platform) string {
	return fmt.Sprintf("%s_%s/%s", p.OS, p.Architecture, fileName(program, p.OS))
}

func fileName(program, os string) string {
	if os == "windows" {
		return program + ".exe"
	}
	return program
}
