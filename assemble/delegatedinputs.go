package assemble

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/assemble/builder"
	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// readDelegated reads a Dockerfile for a platform, and returns the images that it names.
func (in Input) readDelegated(i product.Image, p platform.Platform) (*delegated, []containerfile.Named, error) {
	on, err := i.Content.(*product.DockerfileImage).On(p, in.Trees[i.Source].Info(i.Version))
	if err != nil {
		return nil, nil, err
	}
	d := &delegated{Input: in, DockerfileImage: on, image: i, platform: p, contexts: map[string]string{}}
	named := map[string]containerfile.Context{binaries: {}}
	for name := range d.Contexts {
		named[name] = containerfile.Context{}
	}
	images, err := containerfile.Images(containerfile.Input{
		File: d.Files[p.OS], Shown: in.shownFile(d.Files[p.OS]), Args: d.Args, Target: d.Target,
		Platform: p, Contexts: named,
	})
	return d, images, err
}

// newDelegated reads a Dockerfile for a platform, and pins the images that it names.
func (r *reader) newDelegated(ctx context.Context, i product.Image, p platform.Platform) (*delegated, error) {
	d, images, err := r.readDelegated(i, p)
	if err != nil {
		return nil, err
	}
	for _, n := range images {
		info, ref, err := r.bases.Pinned(ctx, n.Name, n.Platform)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Pos, err)
		}
		if have, ok := d.contexts[n.Name]; ok && have != ref {
			return nil, fmt.Errorf("%s: %s is two images, for %s and for another platform, which %s cannot be told: "+
				"name them by their digests", n.Pos, n.Name, n.Platform, d.Builder)
		}
		d.contexts[n.Name] = ref
		if n.Base {
			d.used.base = &info
		}
		if !slices.Contains(d.used.from, info) {
			d.used.from = append(d.used.from, info)
		}
	}
	d.used.from = slices.DeleteFunc(d.used.from, func(o base.Info) bool {
		return d.used.base != nil && o.Digest == d.used.base.Digest
	})
	slices.SortFunc(d.used.from, func(x, y base.Info) int { return strings.Compare(x.Name, y.Name) })
	return d, nil
}

// directories are the context and the named contexts of a Dockerfile, by their names; "" is the
// context. Those that it lacks are not among them.
func (d *delegated) directories() map[string]string {
	all := map[string]string{}
	if d.Context != "" {
		all[""] = d.Context
	}
	for name, dir := range d.Contexts {
		all[name] = dir
	}
	return all
}

// ignore is the file that lists the files which the context lacks.
func (d *delegated) ignore() string { return d.Files[d.platform.OS] + ".dockerignore" }

// mode returns the modes of files in the context, as git has them.
func (d *delegated) mode(ctx context.Context) tree.ModeOf {
	return func(path string, fi fs.FileInfo) (fs.FileMode, error) { return d.Product.Mode(ctx, path, fi) }
}

// inputs returns the key of a build without copying anything: a second run has that of the first.
func (d *delegated) inputs(ctx context.Context) (string, error) {
	k, err := d.newKey(d.createdAt(d.image), d.labels(d.image))
	if err != nil {
		return "", err
	}
	for name, dir := range d.directories() {
		err := k.walk(d.Store, name, dir, d.Product.MadeIn(dir), d.ignore(), d.mode(ctx), d.programs[name])
		if err != nil {
			return "", err
		}
		k.add(name, d.programs[name])
	}
	k.add(binaries, d.programs[binaries])
	return k.sum(), nil
}

// request copies the files that the builder reads into dir.
func (d *delegated) request(ctx context.Context, dir string) (builder.Request, error) {
	r := builder.Request{
		File: d.Files[d.platform.OS], Shown: d.shownFile(d.Files[d.platform.OS]), Args: d.Args, Target: d.Target,
		Platform: d.platform, Epoch: d.createdAt(d.image), Staged: true, Fresh: d.Rebuild,
		Contexts: maps.Clone(d.contexts), Labels: d.labels(d.image),
	}
	n := 0
	into := func(name string) (string, error) {
		n++
		to := filepath.Join(dir, fmt.Sprintf("context%d", n))
		if name == "" {
			r.Context = to
		} else {
			r.Contexts[name] = to
		}
		return to, disk.MkdirAll(to)
	}
	for name, from := range d.directories() {
		to, err := into(name)
		if err == nil {
			err = builder.Stage(ctx, from, d.Product.MadeIn(from), []string{d.ignore()}, d.mode(ctx), to)
		}
		if err == nil {
			err = putPrograms(to, d.programs[name])
		}
		if err != nil {
			return r, err
		}
	}
	if len(d.programs[binaries]) > 0 {
		to, err := into(binaries)
		if err == nil {
			err = putPrograms(to, d.programs[binaries])
		}
		return r, err
	}
	return r, nil
}

// copied returns the programs that a build gets, by the context and the path there.
func (m *maker) copied(ctx context.Context, d *delegated) (map[string]map[string]layer.Content, error) {
	all := map[string]map[string]layer.Content{binaries: {}, "": {}}
	files, err := m.binaries(d.image, d.platform, func(name string) (f containerfile.File, err error) {
		f.Content, err = m.file(ctx, m.Product.Program(name), d.platform)
		return f, err
	})
	if err != nil {
		return nil, err
	}
	for name, f := range files {
		all[binaries][name] = f.Content
	}
	for place, name := range d.Outputs {
		c, ok := all[binaries][inBinaries(name, d.platform)]
		if !ok {
			continue // it is not for this platform
		}
		_, file, err := product.Output(place, d.platform, m.Product.Version)
		if err != nil {
			return nil, fmt.Errorf("outputs: %w", err)
		}
		all[""][file[1:]] = c
	}
	return all, nil
}

// putPrograms writes programs into a copy of a context.
func putPrograms(dir string, programs map[string]layer.Content) error {
	for name, c := range programs {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
			return err
		}
		r, err := c.Open()
		if err != nil {
			return err
		}
		f, err := disk.Create(dir)
		if err == nil {
			if _, err = io.Copy(f, r); err == nil {
				err = f.Commit(path, 0o755)
			}
			f.Abort()
		}
		r.Close()
		if err != nil {
			return fmt.Errorf("copying program %s: %w", name, err)
		}
	}
	return nil
}
