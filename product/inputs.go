package product

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Input is a file or directory that slipway.yaml names and that is on this machine. Prebuilt
// programs are not inputs: their digests identify them.
type Input struct {
	Path string // absolute
	// Ignore are the files, absolute, of which the first that exists lists the paths outside a
	// build context; without one its .dockerignore does. Context reports whether this is one.
	Context bool
	Ignore  []string
	// Kustomize reports whether Path is the directory of a kustomization, which may refer to other
	// directories of the repository.
	Kustomize bool
}

// Inputs lists slipway.yaml and everything that it names except for sources and files of Go
// modules, whatever -platforms and -images select.
func (p *Product) Inputs() []Input {
	if p.Unselected != nil {
		p = p.Unselected
	}
	all := []Input{{Path: filepath.Join(p.Dir, filepath.Base(p.Path))}}
	for _, name := range []string{BasesLock, ImagesLock} {
		if fi, err := os.Stat(filepath.Join(p.Dir, name)); err == nil && fi.Mode().IsRegular() {
			all = append(all, Input{Path: filepath.Join(p.Dir, name)})
		}
	}
	if p.Airgap.ListFile != "" {
		all = append(all, Input{Path: p.Airgap.ListFile})
	}
	for _, g := range p.Airgap.Groups {
		for _, list := range g.Lists {
			all = append(all, Input{Path: list})
		}
	}
	for _, i := range p.Images {
		if d, ok := i.Content.(*DockerfileImage); ok {
			all = append(all, d.inputs()...)
		}
	}
	all = append(all, p.kodata()...)
	for _, a := range p.Artifacts {
		for _, dir := range a.Files {
			all = append(all, Input{Path: dir})
		}
	}
	for _, t := range slices.Concat(p.Release.Templates, p.Release.charts(), p.chartInputs()) {
		all = append(all, Input{Path: p.at(t)})
	}
	for _, t := range p.Release.Kustomize {
		all = append(all, Input{Path: p.at(t), Kustomize: true})
	}
	return slices.DeleteFunc(all, func(i Input) bool { return !filepath.IsAbs(i.Path) })
}

// kodata are the directories of files next to main packages, as ko has them, of those that are
// there.
func (p *Product) kodata() []Input {
	var all []Input
	for _, i := range p.Images {
		g, ok := i.Content.(*GoImage)
		if !ok {
			continue
		}
		program := p.Program(g.Program)
		dir := filepath.Join(p.Source(program.Source).Directory, filepath.FromSlash(program.Package), "kodata")
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() && filepath.IsAbs(dir) {
			all = append(all, Input{Path: dir})
		}
	}
	return all
}

// inputs are the Dockerfiles of an image and its contexts. Those in a Go module are relative.
func (d *DockerfileImage) inputs() []Input {
	var all []Input
	var ignore []string
	for _, file := range d.Files {
		if !slices.Contains(ignore, file+".dockerignore") {
			ignore = append(ignore, file+".dockerignore")
		}
		all = append(all, Input{Path: file})
		if _, err := os.Stat(file + ".dockerignore"); err == nil {
			all = append(all, Input{Path: file + ".dockerignore"})
		}
	}
	if d.Context != "" && len(ignore) == 1 {
		all = append(all, Input{Path: d.Context, Context: true, Ignore: ignore})
	} else if d.Context != "" {
		for _, file := range ignore { // each Dockerfile sees another part of it
			all = append(all, Input{Path: d.Context, Context: true, Ignore: []string{file}})
		}
	}
	for _, dir := range d.Contexts {
		all = append(all, Input{Path: dir, Context: true})
	}
	return all
}

// chartInputs are the charts of slipway.yaml, and the files of values that they are judged with.
func (p *Product) chartInputs() []Template {
	var all []Template
	for _, c := range p.Charts {
		all = append(all, c.Template)
		for _, k := range c.Cases {
			if k.ValuesFile != "" {
				all = append(all, Template{Source: c.Source, Path: k.ValuesFile})
			}
		}
	}
	return all
}

// charts are the charts that release.yaml is rendered from, without those of slipway.yaml.
func (r Release) charts() []Template {
	var all []Template
	for _, h := range r.Helm {
		if h.Path != "" {
			all = append(all, h.Template)
		}
	}
	return all
}

// at returns the absolute path of a template; "" for one in a Go module.
func (p *Product) at(t Template) string {
	path := filepath.FromSlash(t.Path)
	switch s := p.Source(t.Source); {
	case t.Source == "" && filepath.IsAbs(path):
		return path
	case t.Source == "":
		return filepath.Join(p.Dir, path)
	case s.Directory == "":
		return ""
	default:
		return filepath.Join(s.Directory, path)
	}
}

// Mode returns the mode of a file or directory of a build context, of which fi comes from the
// disk. A file that git tracks has the same mode in every clone: see [git.Modes.Of].
func (p *Product) Mode(ctx context.Context, path string, fi fs.FileInfo) (fs.FileMode, error) {
	return p.modes.Of(ctx, path, fi)
}
