package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/platform"

	"github.com/slipway-dev/slipway/scaffold/shell"
)

// part is an image for one operating system: a stage of a Dockerfile, which stays as it is, and
// what slipway.yaml says besides.
type part struct {
	d        *Draft
	from     *recipe
	os       string
	target   string   // a template; "" is the last stage
	of       *stage   // the stage, or one of those for each Windows release
	stages   []*stage // that it is made from, itself the last
	builds   []dockerBuild
	args     map[string]string // templates
	outputs  map[string]string // places of programs
	context  string
	releases []string            // of Windows, if FROM or stages name some
	madeIn   place               // what builds the image in a directory that only it has
	places   map[string][]string // where the builds, the context, the target and arguments come from
}

// note remembers where something of the part comes from.
func (p *part) note(what string, at place) {
	if !seenIn(p.places[what], at.file) {
		p.places[what] = append(p.places[what], at.String())
	}
}

// newPart reads what a stage needs.
func (d *Draft) newPart(m made) *part {
	p := &part{
		d: d, from: m.from, os: m.os, of: m.stages[len(m.stages)-1], builds: m.builds,
		args: map[string]string{}, outputs: map[string]string{}, context: ".", places: map[string][]string{},
	}
	p.stages = p.from.needed(p.of)
	p.setTarget(m.stages)
	p.findContext()
	p.arguments()
	if p.os == platform.Windows && len(p.releases) == 0 {
		p.windowsReleases()
	}
	p.anyBuild()
	return p
}

// hostProcess is the base that Microsoft has for HostProcess containers.
const hostProcess = "mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0"

// anyBuild declares the base of HostProcess containers, which is one image for all builds of
// Windows, and in which a release therefore looks for none.
func (p *part) anyBuild() {
	for _, s := range p.stages {
		if p.from.word(s.BaseName, p.globals()) == hostProcess {
			p.d.addBase(base{name: "hostprocess", microsoft: "hostprocess"})
		}
	}
}

// setTarget names the stage where it is not the last of its file. Stages for each Windows release
// are one template.
func (p *part) setTarget(family []*stage) {
	if len(family) == 1 {
		if p.of == p.from.last() {
			return
		}
		p.target = p.of.Name
		at := place{p.from.path, p.of.line}
		if n := slices.IndexFunc(p.builds, func(b dockerBuild) bool { return b.target == p.target }); n >= 0 {
			at = p.builds[n].at
		}
		p.note("target", at)
		return
	}
	rest, ends := "", 0
	for _, s := range family {
		word := windowsWord(s.Name)
		release := platform.Release(platform.TagVersion(word))
		p.releases = append(p.releases, release)
		if release == word {
			rest = strings.Replace(s.Name, word, "{{.WindowsRelease}}", 1)
			continue
		}
		if ends++; ends > 1 {
			p.target += "{{else}}"
		}
		p.target += `{{if eq .WindowsRelease "` + release + `"}}` + s.Name
	}
	if rest != "" && ends > 0 {
		p.target += "{{else}}"
	}
	p.target += rest + strings.Repeat("{{end}}", ends)
}

// findContext takes the context from the builds. Where they do not tell, it is the directory of the
// Dockerfile if that has what the file copies and the root does not.
func (p *part) findContext() {
	for _, b := range p.builds {
		if b.context != "" && p.d.tree.hasDir(b.context) {
			p.context = path.Clean(b.context)
			p.note("context", b.at)
			return
		}
	}
	if n := slices.IndexFunc(p.builds, func(b dockerBuild) bool { return b.named }); n >= 0 {
		p.madeIn = p.builds[n].at
	} else if dir := path.Dir(p.from.path); dir != "." && p.copiesFrom(dir) > p.copiesFrom(".") {
		p.context = dir
	}
}

// copiesFrom counts the sources of the stages that a directory has.
func (p *part) copiesFrom(dir string) (n int) {
	for _, s := range p.stages {
		for c := range instructionsIn[*instructions.CopyCommand](s) {
			for _, src := range c.SourcePaths {
				if c.From == "" && !shell.Unknown(src) && p.d.tree.matches(path.Join(dir, src)) {
					n++
				}
			}
		}
	}
	return n
}

// windowsReleases notes the releases that FROM names without a variable.
func (p *part) windowsReleases() {
	for _, s := range p.stages {
		if !isWindows.MatchString(s.base) || strings.Contains(s.Platform, platform.Linux) {
			continue
		}
		_, tag := splitReference(p.from.word(s.BaseName, p.globals()))
		tag, _, _ = strings.Cut(tag, "@")
		if v := platform.TagVersion(tag); v != "" {
			p.releases = appendNew(p.releases, platform.Release(v))
		}
	}
}

// isFor reports whether the part is for a platform of the release: one that what publishes builds
// it for, and a release of Windows that FROM names.
func (p *part) isFor(on string) bool {
	if p.os == platform.Windows {
		now, err := platform.Parse(on)
		return len(p.releases) == 0 || err == nil && slices.Contains(p.releases, platform.Release(now.OSVersion))
	}
	if len(p.d.options.Platforms) > 0 {
		return true
	}
	own := p.d.claimsOf(p.builds, "", publishes)
	if _, ok := p.d.ofMachine(p.builds); ok && len(own) == 0 && p.d.named {
		return on == "linux/amd64"
	}
	return len(own) != 1 || slices.Contains(splitList(own[0].value), on)
}
