package assemble

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// binaries is the named context with the programs of slipway.yaml, as
// <os>_<arch>/<name>[.exe].
const binaries = "binaries"

// dockerfile returns the Dockerfile of an image for one platform, to be built: file returns the
// programs that it may copy. Its own programs are only checked, until [Compiler.File] is set.
func (r *reader) dockerfile(i product.Image, p platform.Platform,
	file func(program string) (containerfile.File, error),
) (in containerfile.Input, err error) {
	programs, err := r.binaries(i, p, file)
	if err != nil {
		return in, err
	}
	d, err := i.Content.(*product.DockerfileImage).On(p, r.Trees[i.Source].Info(i.Version))
	if err != nil {
		return in, err
	}
	at := r.Trees[d.Source].Dir // "" for paths that are absolute
	name, ok := d.Files[p.OS]
	if !ok {
		return in, fmt.Errorf("it has no Dockerfile for %s: name one under dockerfile.files", p.OS)
	}
	contexts := map[string]containerfile.Context{binaries: {Files: programs}}
	for name, dir := range d.Contexts {
		dir = inTree(at, dir)
		contexts[name] = containerfile.Context{Dir: dir, Except: r.Product.MadeIn(dir)}
	}
	dir := inTree(at, d.Context)
	mode, shown := r.Product.Mode, r.shownFile(name)
	if d.Source != "" {
		mode, shown = moduleMode, d.Source+":"+filepath.ToSlash(name)
	}
	outputs, err := r.outputs(d, p, programs)
	if err != nil {
		return in, err
	}
	return containerfile.Input{
		File: inTree(at, name), Shown: shown, Outputs: outputs,
		Context: dir, Except: r.Product.MadeIn(dir), Contexts: contexts,
		Mode: mode, Args: d.Args, Target: d.Target,
		Platform: p, ModTime: layer.Epoch, Store: r.Store, Client: r.client, Snapshot: r.Product.Snapshot(),
		Compiler: containerfile.Compiler{Check: r.checkGoBuild}, Base: r.bases.Resolve,
		Limits: containerfile.Limits{Bytes: int64(d.MaxMiB) << 20, Files: d.MaxFiles},
	}, nil
}

// inTree returns a path in a source's directory; without one, and for "", the path itself.
func inTree(source, path string) string {
	if source == "" || path == "" {
		return path
	}
	return filepath.Join(source, path)
}

// shownFile is a path as messages have it.
func (in Input) shownFile(path string) string {
	if rel, err := filepath.Rel(in.Product.Dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.Join(filepath.Dir(in.Product.Path), rel)
	}
	return path
}

// dockerImage evaluates the image's Dockerfile for one platform with programs of which only the
// names are known.
func (c *checker) dockerImage(ctx context.Context, i product.Image, p platform.Platform) finding {
	later := &latePrograms{}
	in, err := c.dockerfile(i, p, func(name string) (containerfile.File, error) {
		return containerfile.File{Later: func() layer.Content { return later.declared[name] }}, nil
	})
	if err != nil {
		return finding{errs: output.Split(err)}
	}
	in.Compiler.File = func(ctx context.Context, g containerfile.GoBuild) (layer.Content, error) {
		return later.compiled(ctx, g)
	}
	r, err := containerfile.Check(ctx, in)
	var note string
	if err == nil {
		note, err = c.start(ctx, r.Result, p)
	}
	f := finding{demands: r.Demands, errs: output.Split(err), builds: r.Builds}
	if note != "" {
		f.notes = [][]string{strings.Split(note, "\n")}
	}
	if err != nil {
		r.Close()
		return f
	}
	f.on = []used{{r.Base.Info, r.Others}}
	c.kept.add(i, p, evaluated{r, later})
	return f
}

// start checks the program that an image starts. note lists what cannot be checked.
func (c *checker) start(ctx context.Context, r containerfile.Result, p platform.Platform) (note string, err error) {
	parent, err := c.completeBase(ctx, r.Base, p)
	if err != nil {
		return "", err
	}
	here, err := parent.Here(c.Store)
	if err != nil {
		return "", err
	}
	note, err = r.CheckStart(here)
	if !here && c.looks() { // the base is here when the image is built
		note = ""
	}
	return note, err
}

// dockerImage builds an image from its Dockerfile for one platform.
func (m *maker) dockerImage(ctx context.Context, i product.Image, p platform.Platform) (content, error) {
	r, err := m.evaluate(ctx, i, p)
	if err != nil {
		return content{}, err
	}
	parent, err := m.completeBase(ctx, r.Base, p)
	if err != nil {
		return content{}, err
	}
	c, err := newContent(parent)
	if err != nil {
		return content{}, err
	}
	c.config, c.history, c.from = r.Config, r.History, r.Others
	here, err := m.lookInside(ctx, c.base)
	if err != nil {
		return content{}, err
	}
	if c.notes, err = checkRun(r, here, i.AllowLibraries); err != nil {
		return content{}, err
	}
	if err := c.listPackages(r); err != nil {
		return content{}, err
	}
	for n, l := range r.Layers {
		if err := c.list(ctx, m.Store, i, p, l.Entries); err != nil {
			return content{}, fmt.Errorf("%s: %w", l.CreatedBy, err)
		}
		written, err := layer.Write(ctx, m.Store, l.Entries, layerOptions(i, p, fmt.Sprintf("layer %d", n)))
		if err != nil {
			return content{}, fmt.Errorf("%s: %w", l.CreatedBy, err)
		}
		c.layers = append(c.layers, manifest.Layer{Layer: written, CreatedBy: l.CreatedBy})
	}
	return c, nil
}

// binaries returns the programs that an image may copy, each with what file returns, by their
// names in the context binaries.
func (in Input) binaries(i product.Image, p platform.Platform, file func(program string) (containerfile.File, error),
) (map[string]containerfile.File, error) {
	files := map[string]containerfile.File{}
	for _, name := range dockerPrograms(in.Product, i) {
		if !in.Product.Program(name).IsFor(p) {
			continue
		}
		f, err := file(name)
		if err != nil {
			return nil, err
		}
		f.Mode = 0o755
		files[inBinaries(name, p)] = f
	}
	return files, nil
}

// outputs returns the programs that the Dockerfile expects in its context and its stages.
func (in Input) outputs(d *product.DockerfileImage, p platform.Platform, programs map[string]containerfile.File,
) (map[string]map[string]containerfile.File, error) {
	all := map[string]map[string]containerfile.File{}
	for place, name := range d.Outputs {
		f, ok := programs[inBinaries(name, p)]
		if !ok {
			continue // it is not for this platform
		}
		stage, file, err := product.Output(place, p, in.Product.Version)
		if err != nil {
			return nil, fmt.Errorf("outputs: %w", err)
		}
		if all[stage] == nil {
			all[stage] = map[string]containerfile.File{}
		}
		f.Made = in.replacement(in.Product.Program(name), p)
		all[stage][file] = f
	}
	return all, nil
}

// replacement returns how a program is compiled that takes the place of one that a stage makes, nil
// for a prebuilt one. Errors in it are reported elsewhere.
func (in Input) replacement(decl product.Program, on platform.Platform) any {
	tree, ok := in.Trees[decl.Source]
	r, err := program.New(decl, tree, in.Product.Version, on.System())
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
