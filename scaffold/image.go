package scaffold

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// image is one image.
type image struct {
	name        string
	base        string            // of its repository, as builds name it; "" where they do not
	program     string            // of a go image
	bases       map[string]string // of a go image
	dockerfiles map[string]string // by operating system
	context     string
	repository  string
	platforms   []string
	tags        []string // of a version, nil for that alone
	floats      []string // tags that move
	parts       []*part  // of Dockerfiles
	// byOthers says what makes the image for Linux: "builder: docker", or "prebuilt: …".
	byOthers string
}

// made is an image for one system: what builds of one name make of a stage.
type made struct {
	family
	name         string   // of the repository, "" where builds do not tell
	tags, floats []string // of a version, and those that move
	several      bool     // its file has others for the system
	builds       []dockerBuild
}

// dockerfiles makes the images of the repository's Dockerfiles.
func (d *Draft) dockerfiles() {
	var all []made
	for _, f := range d.files {
		r := readDockerfile(f, d.tree.text(f))
		if r == nil {
			d.leave("Dockerfiles that cannot be read", "%s", f)
			continue
		}
		of := families(r, d.targets(r))
		for _, f := range of {
			if d.has(f.os) {
				several := slices.ContainsFunc(of, func(o family) bool { return o.os == f.os && o.name != f.name })
				all = append(all, d.madeOf(f, several)...)
			}
		}
	}
	for n, m := range all {
		if slices.ContainsFunc(all[:n], func(o made) bool { return o.pairs(m) }) {
			continue
		}
		group := []made{m}
		for _, o := range all[n+1:] {
			if m.pairs(o) {
				group = append(group, o)
			}
		}
		d.dockerImage(group)
	}
}

// madeOf returns the images of stages: one, or where builds give them other arguments and another
// name, or another tag, one for each.
func (d *Draft) madeOf(f family, several bool) (list []made) {
	for _, b := range d.buildsOf(f.from.path) {
		if !slices.ContainsFunc(f.stages, func(s *stage) bool { return f.from.builds(b, s) }) {
			continue
		}
		now := made{family: f, several: several, name: b.name(), builds: []dockerBuild{b}}
		now.tags, now.floats = d.tagsOf(b)
		same := slices.IndexFunc(list, func(m made) bool {
			if now.name == "" || m.name == "" || m.name == now.name {
				return len(m.tags) == 0 || len(now.tags) == 0 || m.tags[0] == now.tags[0]
			}
			return len(b.args) == 0 || mapping(m.builds[0].args) == mapping(b.args)
		})
		if same < 0 {
			list = append(list, now)
			continue
		}
		m := &list[same]
		if m.name != "" && now.name != "" && now.name != m.name {
			d.leave("further names of images", "%s of %s (%s)", now.name, f.from.path, b.at)
		}
		m.name = cmp.Or(m.name, now.name)
		m.tags, m.floats = appendNew(m.tags, now.tags...), appendNew(m.floats, now.floats...)
		m.builds = append(m.builds, b)
	}
	list = slices.DeleteFunc(list, func(m made) bool {
		if d.helper(m.name) {
			d.leave("images that are not released, by their names", "%s of %s", m.name, f.from.path)
		}
		return d.helper(m.name)
	})
	if len(list) == 0 {
		list = []made{{family: f, several: several}}
	}
	return list
}

// pairs reports whether two are one image for two systems: by their name and tag, or where builds
// do not tell these, by the names of their files and stages.
func (m made) pairs(o made) bool {
	if m.os == o.os {
		return false
	}
	if m.name != "" && o.name != "" {
		return m.name == o.name && (len(m.tags) == 0 || len(o.tags) == 0 || m.tags[0] == o.tags[0])
	}
	a, _ := variantOf(m.from.path)
	b, _ := variantOf(o.from.path)
	return path.Dir(m.from.path) == path.Dir(o.from.path) && withoutOS(a) == withoutOS(b) &&
		(m.family.name == o.family.name || m.from != o.from && !m.several && !o.several)
}

// dockerImage makes one image.
func (d *Draft) dockerImage(group []made) {
	i := image{dockerfiles: map[string]string{}}
	for _, m := range group {
		for _, o := range group {
			if len(m.builds) == 0 {
				m.builds = o.builds // that give both the same arguments
			}
		}
		p := d.newPart(m)
		i.parts = append(i.parts, p)
		i.dockerfiles[m.os] = m.from.path
		i.base = cmp.Or(i.base, m.name)
		i.context = p.context
	}
	if n := d.sameImage(i); n >= 0 {
		d.found("%s: the same image as %s", i.parts[0].from.path, d.images[n].name)
		d.imageTags(&i, group)
		if all := appendNew(versionTags(d.images[n]), versionTags(i)...); len(all) > 1 {
			d.images[n].tags = all
		}
		d.images[n].floats = appendNew(d.images[n].floats, i.floats...)
		return
	}
	i.name = d.imageName(group[0], i)
	d.contexts(i)
	d.imageTags(&i, group)
	if d.twice(i) {
		return
	}
	for _, p := range i.parts {
		for _, b := range p.builds {
			p.note("builds", b.at)
		}
		d.found("%s: image %s for %s", p.from.path, i.name, p.os)
	}
	i.platforms = d.platformsOf(i.parts)
	for _, p := range i.parts {
		if p.madeIn.file != "" {
			d.lacks("images["+i.name+"].dockerfile.context",
				"%s builds %s in a directory that only it has: put what it "+
					"copies there into the source, or name the programs under outputs", p.madeIn, i.name)
		}
	}
	d.images = append(d.images, i)
}

// platformsOf returns the platforms of an image, nil for all of the release.
func (d *Draft) platformsOf(parts []*part) (list []string) {
	all := 0
	for _, os := range d.systems() {
		of := slices.DeleteFunc(slices.Clone(d.platforms), func(p string) bool { return !strings.HasPrefix(p, os+"/") })
		own := slices.DeleteFunc(slices.Clone(of), func(on string) bool {
			return !slices.ContainsFunc(parts, func(p *part) bool { return p.os == os && p.isFor(on) })
		})
		if all += len(of) - len(own); len(own) == len(of) {
			own = []string{os}
		}
		list = append(list, own...)
	}
	if all == 0 {
		return nil
	}
	return list
}

// versionTags are the tags of an image that have a version.
func versionTags(i image) []string {
	if len(i.tags) == 0 {
		return []string{"{{.Version}}"}
	}
	return i.tags
}

// twice reports whether an image has the name and the tag of an earlier one, which a release
// cannot have, and decides which of them is released.
func (d *Draft) twice(i image) bool {
	n := slices.IndexFunc(d.images, func(o image) bool {
		return i.base != "" && o.base == i.base && slices.Equal(versionTags(o), versionTags(i)) && d.oneRegistry(o, i)
	})
	if n < 0 {
		return false
	}
	var claims []claim
	for _, of := range []image{d.images[n], i} {
		p := of.parts[0]
		c := claim{value: p.from.path}
		if len(p.builds) > 0 {
			c.rank, c.at = p.builds[0].rank, p.builds[0].at
		}
		claims = append(claims, c)
	}
	chosen := d.decide("images["+d.images[n].name+"].dockerfile.files",
		"the Dockerfile of the image "+d.images[n].name+": builds of both give it its name and its tag", claims)
	if other := i.parts[0].from.path; chosen == other {
		i.name = d.images[n].name
		d.images[n] = i
	} else {
		d.leave("further Dockerfiles of one name", "%s", other)
	}
	return true
}

// oneRegistry reports whether builds give two images one repository.
func (d *Draft) oneRegistry(a, b image) bool {
	repositories := func(i image) (list []string) {
		for _, p := range i.parts {
			for _, build := range p.builds {
				for _, n := range build.names {
					repository, _ := splitReference(n)
					list = append(list, withoutArch(repository))
				}
			}
		}
		return list
	}
	of := repositories(b)
	return slices.ContainsFunc(repositories(a), func(r string) bool {
		return slices.ContainsFunc(of, func(o string) bool {
			return r == o || path.Base(r) == path.Base(o) && (shell.Unknown(r) || shell.Unknown(o))
		})
	})
}

// sameImage returns the number of an image that is made from a Dockerfile with the same
// instructions, -1 for none.
func (d *Draft) sameImage(i image) int {
	text := func(i image) string { return string(d.tree.text(i.parts[0].from.path)) }
	return slices.IndexFunc(d.images, func(o image) bool {
		return len(i.parts) == 1 && len(o.parts) == 1 && o.parts[0].os == i.parts[0].os &&
			(i.base == "" || o.base == "" || i.base == o.base) && o.parts[0].of.Name == i.parts[0].of.Name &&
			mapping(o.parts[0].args) == mapping(i.parts[0].args) && text(o) == text(i)
	})
}

func otherOS(os string) string {
	if os == platform.Linux {
		return platform.Windows
	}
	return platform.Linux
}

// template makes one template of the results of f for the parts.
func (i image) template(f func(*part) string) string {
	by := map[string]string{}
	for _, p := range i.parts {
		by[p.os] = f(p)
	}
	return bySystem(by[platform.Linux], by[platform.Windows], len(i.parts) > 1)
}

// target is the template of the stage to build.
func (i image) target() string { return i.template(func(p *part) string { return p.target }) }

// args are the templates of the arguments.
func (i image) args() map[string]string {
	all := map[string]string{}
	for _, p := range i.parts {
		for name := range p.args {
			all[name] = i.template(func(p *part) string { return p.args[name] })
		}
	}
	return all
}

// outputs are the places of programs.
func (i image) outputs() map[string]string {
	all := map[string]string{}
	for _, p := range i.parts {
		maps.Copy(all, p.outputs)
	}
	return sharedOutputs(all)
}
