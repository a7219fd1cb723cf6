package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// plainDirectories say nothing of the image whose Dockerfile they have.
var plainDirectories = []string{
	"docker", "build", "package", "dockerfiles", "images", "deploy",
	"containers", "hack", "tools", ".",
}

// imageName is that which builds give, or of the stage, of the only program, of the directory, of
// the repository. Where it is taken, directories come before it.
func (d *Draft) imageName(dir, variant, stageName, given string, parts []*part) string {
	name := given
	n := path.Base(dir)
	p := parts[0].programsNow()
	if len(p) == 1 && variant == "" && stageName == "" && !d.known(name) && d.known(nameOf(p[0])) {
		name = nameOf(p[0])
	}
	switch {
	case name != "" && d.hasImage(name):
	case name != "":
		variant = ""
	case stageName != "":
		name, variant = nameOf(stageName), ""
	case len(p) == 1:
		name = nameOf(p[0])
	case variant != "" && slices.ContainsFunc(d.mains, func(m mainPackage) bool { return m.name == variant }):
		name, variant = variant, ""
	case !slices.Contains(plainDirectories, n):
		name = nameOf(n)
	default:
		name = d.repositoryName()
	}
	if variant != "" && !strings.HasSuffix(name, variant) {
		name = nameOf(name + "-" + variant)
	}
	if d.hasImage(name) && len(parts) == 1 && parts[0].os == platform.Windows {
		name = nameOf(strings.TrimSuffix(name, "-windows") + "-windows")
	}
	for dir != "." && d.hasImage(name) {
		name = nameOf(path.Base(dir) + "-" + name)
		dir = path.Dir(dir)
	}
	if parts[0].of.Name != "" && d.hasImage(name) {
		name = nameOf(name + "-" + parts[0].of.Name)
	}
	return unique(name, d.hasImage)
}

// hasImage reports whether an image has the name.
func (d *Draft) hasImage(name string) bool {
	return slices.ContainsFunc(d.images, func(i image) bool { return i.name == name })
}

// known reports whether manifests, charts or the README name an image so.
func (d *Draft) known(name string) bool {
	if d.knownNames == nil {
		d.knownNames = map[string]bool{}
		for _, ref := range d.allReferences() {
			repository, _ := splitReference(ref)
			d.knownNames[nameOf(path.Base(repository))] = true
		}
	}
	return d.knownNames[name]
}

// programsNow lists the names of the programs that a part copies, those of stages that compile
// included.
func (p *part) programsNow() []string {
	list := slices.Clone(p.programs)
	for _, s := range p.stages {
		if o := p.promised[s]; o != nil {
			for _, place := range sortedKeys(o.outputs) {
				list = append(list, o.outputs[place].file())
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// repositoryName is the last part of the module's path, or the directory's name.
func (d *Draft) repositoryName() string {
	if d.source.module != "" {
		m := strings.TrimSuffix(d.source.module, majorSuffix(d.source.module))
		if u := strings.TrimPrefix(d.source.url, "https://"); u != "" {
			m = u
		}
		return nameOf(path.Base(m))
	}
	return nameOf(path.Base(d.Dir))
}
