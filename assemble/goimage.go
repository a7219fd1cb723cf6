package assemble

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Where ko puts things (https://ko.build): the program, and the files of the kodata directory
// next to its main package.
const (
	koApp  = "/ko-app"
	koData = "/var/run/ko"
)

// goImage checks the base and the kodata of an image of one program.
func (c *checker) goImage(ctx context.Context, i product.Image, p platform.Platform) (f finding) {
	parent, err := c.bases.Resolve(ctx, i.Bases[p.OS], p)
	if err == nil {
		f.on = []used{{base: parent.Info}}
		if parent.Demand != nil {
			f.demands = append(f.demands, parent.Demand)
		}
		_, err = parent.Config()
	}
	f.errs = output.Split(err)
	prog := c.Product.Program(i.Content.(*product.GoImage).Program)
	if tree, ok := c.Trees[prog.Source]; ok {
		data, err := kodata(tree.Dir, prog.Package, func(string) (layer.Content, error) { return layer.Content{}, nil })
		if err == nil {
			err = layer.Check(data, p.OS)
		}
		f.errs = append(f.errs, output.Split(err)...)
	}
	return f
}

// goImage puts one program on a base, by ko's conventions. The image differs from ko's where that
// does not work on Windows: the program has its .exe, and PATH is separated by semicolons; and
// without kodata no empty layer is made.
func (m *maker) goImage(ctx context.Context, i product.Image, p platform.Platform) (content, error) {
	parent, err := m.bases.Resolve(ctx, i.Bases[p.OS], p)
	if err != nil {
		return content{}, err
	}
	prog := m.Product.Program(i.Content.(*product.GoImage).Program)
	program, err := m.file(ctx, prog, p)
	if err != nil {
		return content{}, err
	}
	config, err := parent.Config()
	if err != nil {
		return content{}, err
	}
	c, err := newContent(parent)
	if err != nil {
		return content{}, err
	}
	var data []layer.Entry
	if tree, ok := m.Trees[prog.Source]; ok {
		data, err = kodata(tree.Dir, prog.Package, func(file string) (layer.Content, error) {
			return layer.File(m.Store, file)
		})
		if err != nil {
			return content{}, err
		}
	}
	if len(data) > 0 {
		if err := c.list(ctx, m.Store, i, p, data); err != nil {
			return content{}, fmt.Errorf("kodata: %w", err)
		}
		l, err := layer.Write(ctx, m.Store, data, layerOptions(i, p, "kodata"))
		if err != nil {
			return content{}, err
		}
		c.layers = append(c.layers, manifest.Layer{Layer: l, CreatedBy: "slipway build: kodata of " + prog.Name})
	}
	name := koApp + "/" + fileName(prog.Name, p.OS)
	entries := []layer.Entry{
		{Path: koApp, Type: layer.Dir, Mode: 0o555},
		{Path: name, Mode: 0o555, Content: program},
	}
	var g errgroup.Group // a large program is hashed for the list while it is compressed
	g.Go(func() error { return c.list(ctx, m.Store, i, p, entries) })
	l, err := layer.Write(ctx, m.Store, entries, layerOptions(i, p, "program"))
	if err := cmp.Or(g.Wait(), err); err != nil {
		return content{}, err
	}
	if m.mayNeedLibraries(prog, p) {
		if c.notes, err = m.checkLibraries(ctx, i, p, name, program); err != nil {
			return content{}, err
		}
	}
	c.layers = append(c.layers, manifest.Layer{Layer: l, CreatedBy: "slipway build: " + origin(prog)})
	c.config = koConfig(config, name, p.OS)
	return c, nil
}

// layerOptions are those of a layer of an image. which names it among the layers of the image.
func layerOptions(i product.Image, p platform.Platform, which string) layer.Options {
	return layer.Options{
		OS: p.OS, Compression: layer.Compression(i.Compression), ModTime: layer.Epoch,
		Series: fmt.Sprintf("%s of image %s %s", which, i.Name, p.System()),
	}
}

// origin describes a program in the history of an image.
func origin(p product.Program) string {
	if p.IsPrebuilt() {
		return "prebuilt program " + p.Name
	}
	return "go build of " + p.Name
}

// koConfig changes the configuration of a base to that of an image that starts a program.
func koConfig(config v1.Config, name, os string) v1.Config {
	config.Cmd = nil
	if os == platform.Windows {
		config.Entrypoint = []string{windowsPath(name)}
		config.Env = append(appendPath(config.Env, windowsPath(koApp), ";", `C:\Windows\system32;C:\Windows`),
			"KO_DATA_PATH="+windowsPath(koData))
		return config
	}
	config.Entrypoint = []string{name}
	config.Env = append(appendPath(config.Env, koApp,
		":", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), "KO_DATA_PATH="+koData)
	return config
}

func windowsPath(p string) string { return `C:` + strings.ReplaceAll(p, "/", `\`) }

// appendPath adds a directory to PATH, which Windows spells in any case. Without a PATH in the
// base, the system's usual one is kept reachable.
func appendPath(env []string, dir, separator, usual string) []string {
	out := append([]string{}, env...)
	for n, kv := range out {
		k, v, _ := strings.Cut(kv, "=")
		if k == "PATH" || separator == ";" && strings.EqualFold(k, "PATH") {
			out[n] = k + "=" + strings.TrimSuffix(v, separator) + separator + dir
			return out
		}
	}
	return append(out, "PATH="+usual+separator+dir)
}

// kodata lists the files next to a main package that ko's convention includes. Links are
// followed, but not out of the directory.
func kodata(tree, pkg string, content func(file string) (layer.Content, error)) ([]layer.Entry, error) {
	root := filepath.Join(tree, filepath.FromSlash(pkg), "kodata")
	inside, err := filepath.EvalSymlinks(root)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	top, err := filepath.EvalSymlinks(tree)
	if err != nil {
		return nil, err
	}
	if !disk.Within(top, inside) {
		return nil, fmt.Errorf("%s leads out of its source to %s: only files of the source go into the image",
			root, inside)
	}
	entries := []layer.Entry{{Path: koData, Type: layer.Dir, Mode: 0o555}}
	err = walk(root, inside, koData, []string{inside}, func(file, in string, fi fs.FileInfo) error {
		if fi.IsDir() {
			entries = append(entries, layer.Entry{Path: in, Type: layer.Dir, Mode: 0o555})
			return nil
		}
		c, err := content(file)
		entries = append(entries, layer.Entry{Path: in, Mode: 0o555, Content: c})
		return err
	})
	return entries, err
}

// walk follows links, and opens what a link leads to by its own path: one through all links would
// have more of them than a kernel follows. above has the paths of this directory and of those
// that led to it: a link to one of them is a loop.
func walk(dir, root, in string, above []string, visit func(file, in string, fi fs.FileInfo) error) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		file := filepath.Join(dir, e.Name())
		target, err := filepath.EvalSymlinks(file)
		if err != nil {
			return err
		}
		if !disk.Within(root, target) {
			return fmt.Errorf("%s leads out of kodata to %s: only files in kodata go into the image", file, target)
		}
		fi, err := os.Stat(target)
		if err != nil {
			return err
		}
		to := path.Join(in, e.Name())
		if err := visit(target, to, fi); err != nil {
			return err
		}
		if !fi.IsDir() {
			continue
		}
		if slices.Contains(above, target) {
			return fmt.Errorf("%s leads to %s, which it is in: links nest without end", file, target)
		}
		if err := walk(target, root, to, append(slices.Clip(above), target), visit); err != nil {
			return err
		}
	}
	return nil
}

// checkLibraries reports shared libraries that the program of a go image needs and the image does
// not have, as it is for Dockerfiles. A Go program without CGO needs none.
func (r *reader) checkLibraries(ctx context.Context, i product.Image, p platform.Platform, name string,
	file layer.Content,
) (notes []string, err error) {
	source := fmt.Sprintf("FROM %s\nCOPY --from=%s %s %s/\nENTRYPOINT [%q]\n", i.Bases[p.OS], binaries, path.Base(name),
		path.Dir(name), name)
	out, err := containerfile.Build(ctx, containerfile.Input{
		File: "go image " + i.Name, Source: []byte(source), Platform: p, ModTime: layer.Epoch, Store: r.Store,
		Client: r.client, Base: r.bases.Resolve,
		Contexts: map[string]containerfile.Context{
			binaries: {Files: map[string]containerfile.File{path.Base(name): {Content: file, Mode: 0o755}}},
		},
	})
	if err != nil {
		return nil, err
	}
	parent, err := r.completeBase(ctx, out.Base, p)
	if err != nil {
		return nil, err
	}
	here, err := r.lookInside(ctx, parent)
	if err != nil {
		return nil, err
	}
	return checkRun(out, here, i.AllowLibraries)
}

// mayNeedLibraries reports whether a program may be linked with shared libraries.
func (in Input) mayNeedLibraries(decl product.Program, p platform.Platform) bool {
	tree, ok := in.Trees[decl.Source]
	if !ok {
		return decl.IsPrebuilt()
	}
	compiled, err := program.New(decl, tree, in.Product.Version, p)
	return err == nil && compiled.IsCGO()
}

// checkRun checks what an image starts, and whether its programs find their libraries.
func checkRun(r containerfile.Result, here bool, allow []string) (notes []string, err error) {
	note, err := r.CheckStart(here)
	if err != nil {
		return nil, err
	}
	if note != "" {
		notes = strings.Split(note, "\n")
	}
	more, err := r.CheckLibraries(here, allow)
	return append(notes, more...), err
}
