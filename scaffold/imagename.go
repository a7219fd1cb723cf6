package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"

	"github.com/slipway-dev/slipway/scaffold/shell"
)

// archTag is the end of a name or a tag for one platform.
var archTag = lazyregexp.New(`[-_.](?:(?:linux|windows)-\$\*|linux|windows|win|amd64|x86_64|arm64(?:-?v8)?|aarch64|arm-?v?[67]|arm32v[67]|armhf|s390x|ppc64le|riscv64|loong64|ltsc20[0-9]{2}|1809|` +
	`\$[({]?[A-Za-z_.]*(?i:arch|os|osversion|platform)[A-Za-z_.]*[)}]?|\{\{[^}]*(?:Arch|Os)[^}]*\}\})$`)

func withoutArch(s string) string {
	for archTag.MatchString(s) {
		s = archTag.ReplaceAllString(s, "")
	}
	return s
}

// name is the last part of the first repository that is known in a build's names; "" if none is.
func (b dockerBuild) name() string {
	for _, n := range b.names {
		repository, _ := splitReference(n)
		if last := withoutArch(path.Base(repository)); last != "" && !shell.Unknown(last) {
			return nameOf(last)
		}
	}
	return ""
}

// oneName keeps the names of a build that end as the first one does that can be pushed: others are
// of an image of their own, and said.
func (d *Draft) oneName(b *dockerBuild) {
	last := func(name string) string {
		repository, _ := splitReference(name)
		return withoutArch(path.Base(repository))
	}
	first := slices.IndexFunc(b.names, func(n string) bool {
		return strings.Contains(n, "/") && !shell.Unknown(last(n))
	})
	if first < 0 || b.strict != nil {
		return
	}
	of := last(b.names[first])
	b.names = slices.DeleteFunc(slices.Clone(b.names), func(n string) bool {
		if shell.Unknown(last(n)) || last(n) == of {
			return false
		}
		if strings.Contains(n, "/") && b.rank == publishes {
			d.leave("further names of images", "%s (%s)", n, b.at)
		}
		return true
	})
}

// plainDirectories say nothing of the image whose Dockerfile they have.
var plainDirectories = []string{
	"docker", "build", "package", "dockerfiles", "images", "deploy", "containers", "hack", "tools", ".",
}

// imageName is the name that builds give; else that of the stage, of the only program, of the
// directory, or of the repository, with the rest of the Dockerfile's name.
func (d *Draft) imageName(m made, i image) string {
	dir := path.Dir(m.from.path)
	variant, _ := variantOf(m.from.path)
	variant = withoutOS(variant)
	name := i.base
	if own := d.onlyProgram(m); own != "" {
		name = own
	}
	if len(m.tags) > 0 && name != "" {
		name += "-" + strings.Trim(templated.ReplaceAllString(m.tags[0], ""), "-_.")
	}
	switch isMain := slices.ContainsFunc(d.mains, func(p mainPackage) bool { return p.name == variant }); {
	case name != "":
		variant = ""
	case m.several && m.family.name != "":
		name, variant = m.family.name, ""
	case isMain:
		name, variant = variant, ""
	case !slices.Contains(plainDirectories, path.Base(dir)):
		name = path.Base(dir)
	default:
		name = d.repositoryName()
	}
	if variant != "" && !strings.HasSuffix(name, variant) {
		name += "-" + variant
	}
	if name = nameOf(name); d.hasImage(name) && len(i.parts) == 1 && m.os == platform.Windows {
		name = nameOf(strings.TrimSuffix(name, "-windows") + "-windows")
	}
	for dir != "." && d.hasImage(name) {
		name, dir = nameOf(path.Base(dir)+"-"+name), path.Dir(dir)
	}
	if m.stages[0].Name != "" && d.hasImage(name) {
		name = nameOf(name + "-" + m.stages[0].Name)
	}
	return unique(name, d.hasImage)
}

// onlyProgram returns the name of the only program, where users find an image under it and nothing
// that publishes names the one of a Dockerfile.
func (d *Draft) onlyProgram(m made) string {
	named := func(b dockerBuild) bool { return b.rank == publishes && b.name() != "" }
	if len(d.mains) != 1 || slices.ContainsFunc(m.builds, named) {
		return ""
	}
	defer func() { d.references = nil }() // those of images come later
	name := nameOf(d.mains[0].name)
	for _, r := range d.allReferences() {
		if r.rank.ofUsers() && path.Base(r.repository) == name && !d.hasImage(name) {
			return name
		}
	}
	return ""
}

// hasImage reports whether an image has the name.
func (d *Draft) hasImage(name string) bool {
	return slices.ContainsFunc(d.images, func(i image) bool { return i.name == name })
}
