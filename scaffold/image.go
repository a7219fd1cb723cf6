package scaffold

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/platform"
)

// dockerfiles makes the images of the repository's Dockerfiles.
func (d *Draft) dockerfiles() {
	list, others := d.dockerfileNames()
	if len(others) > 0 {
		d.found("not released, by their names: %s", listed(others))
	}
	groups := map[string]map[string]string{} // a directory and a variant → operating system → Dockerfile
	var order []string
	for _, f := range list {
		os := platform.Linux
		if d.isWindows(f) {
			os = platform.Windows
		}
		variant, _ := variantOf(f)
		key := path.Dir(f) + "\n" + withoutOS(variant)
		if groups[key][os] != "" {
			key = f + "\n" + withoutOS(variant)
		}
		if groups[key] == nil {
			groups[key] = map[string]string{}
			order = append(order, key)
		}
		groups[key][os] = f
	}
	for _, key := range order {
		dir, variant, _ := strings.Cut(key, "\n")
		if d.tree.has(dir) {
			dir = path.Dir(dir)
		}
		d.group(dir, variant, groups[key])
	}
}

// isWindows reports whether all images of a Dockerfile are for Windows.
func (d *Draft) isWindows(name string) bool {
	r := readDockerfile(name, d.tree.text(name))
	if r == nil {
		return isWindows.MatchString(path.Base(name))
	}
	chosen, _ := d.targets(r)
	return len(chosen) > 0 && !slices.ContainsFunc(chosen, func(s *stage) bool { return !r.windows(s) })
}

// group makes the images of the Dockerfiles for each operating system that belong together.
func (d *Draft) group(dir, variant string, files map[string]string) {
	var all []family
	for _, os := range sortedKeys(files) {
		r := readDockerfile(files[os], d.tree.text(files[os]))
		if r == nil {
			d.hand("%s is not a Dockerfile that can be read: it is left out", files[os])
			continue
		}
		chosen, others := d.targets(r)
		var names []string
		for _, s := range others {
			if s.Name != "" {
				names = append(names, s.Name)
			}
		}
		if len(names) > 0 {
			d.found("%s: these stages are not released: %s", r.path, listed(names))
		}
		all = append(all, families(r, chosen)...)
	}
	count := map[string]int{}
	for _, f := range all {
		count[f.os]++
	}
	byName := map[string][]family{}
	var order []string
	for _, f := range all {
		if count[platform.Linux] < 2 && count[platform.Windows] < 2 {
			f.name = ""
		}
		if !d.has(f.os) {
			continue
		}
		if byName[f.name] == nil {
			order = append(order, f.name)
		}
		byName[f.name] = append(byName[f.name], f)
	}
	for _, name := range order {
		d.variants(dir, variant, name, byName[name])
	}
}

// variants makes an image of the stages, or where builds give them other arguments and another
// name, one for each.
func (d *Draft) variants(dir, variant, name string, of []family) {
	builds := d.buildsOf(of[0].from.path)
	if len(builds) > 0 && of[0].name != "" || of[0].stages[0] != of[0].from.last() {
		builds = slices.DeleteFunc(builds, func(b dockerBuild) bool {
			return b.target != "" && !unknown(b.target) && of[0].from.find(b.target) != of[0].stages[0]
		})
	}
	byName := map[string][]dockerBuild{}
	for _, b := range builds {
		if n := b.name(); n != "" {
			byName[n] = append(byName[n], b)
		}
	}
	names := sortedKeys(byName)
	differ := len(names) > 1
	for _, n := range names {
		args := byName[n][0].args
		differ = differ && len(args) > 0 && (n == names[0] || mapping(args) != mapping(byName[names[0]][0].args))
	}
	if !differ {
		given := ""
		if len(names) > 0 {
			given = names[0]
		}
		names, byName = []string{given}, map[string][]dockerBuild{given: builds}
	}
	for _, n := range names {
		if helper(n) {
			d.found("not released, by its name: %s of %s", n, of[0].from.path)
			continue
		}
		d.dockerImage(dir, variant, name, n, of, byName[n])
	}
}

// name is the last part of the first repository that is known in a build's names, "" if none is.
func (b dockerBuild) name() string {
	for _, n := range b.names {
		repository, _ := splitReference(n)
		if last := path.Base(repository); last != "" && !unknown(last) {
			return nameOf(archTag.ReplaceAllString(last, ""))
		}
	}
	return ""
}

// dockerImage makes one image.
func (d *Draft) dockerImage(dir, variant, stageName, given string, of []family, builds []dockerBuild) {
	i := image{dockerfiles: map[string]string{}}
	for _, f := range of {
		own := builds
		if f.from != of[0].from {
			if own = d.buildsOf(f.from.path); len(own) == 0 {
				own = builds
			}
		}
		i.parts = append(i.parts, d.newPart(f.from, f.os, f.stages, own))
		i.dockerfiles[f.os] = f.from.path
	}
	if same := d.sameImage(i); same != "" {
		d.found("%s: the same image as %s", i.parts[0].from.path, same)
		return
	}
	i.name = d.imageName(dir, variant, stageName, given, i.parts)
	for _, p := range i.parts {
		if p.description != "" {
			i.description = p.description
		}
		if p.context != "" {
			i.context = p.context
		}
		if imagename.IsTag(p.variant) {
			i.variant = p.variant
		}
		d.found("%s: image %s for %s", p.from.path, i.name, p.os)
	}
	i.platforms = d.platformsOf(i.parts)
	d.images = append(d.images, i)
}

// platformsOf returns the platforms of an image, nil for all of the release.
func (d *Draft) platformsOf(parts []*part) (list []string) {
	whole := true
	for _, p := range parts {
		if p.os == platform.Linux || len(p.releases) == 0 {
			list = append(list, p.os)
			continue
		}
		n := 0
		for _, on := range d.platforms {
			if now, err := platform.Parse(on); err == nil && now.OS == platform.Windows {
				n++
				if slices.Contains(p.releases, platform.Release(now.OSVersion)) {
					list = append(list, on)
					n--
				}
			}
		}
		whole = whole && n == 0
	}
	if whole && (len(parts) == 2 || !d.has(otherOS(parts[0].os))) {
		return nil
	}
	if whole && len(parts) == 1 {
		return []string{parts[0].os}
	}
	return list
}

// sameImage returns the image that is made from a Dockerfile with the same instructions.
func (d *Draft) sameImage(i image) string {
	for _, o := range d.images {
		if len(i.parts) == 1 && len(o.parts) > 0 && o.parts[0].os == i.parts[0].os &&
			o.parts[0].of.Name == i.parts[0].of.Name && mapping(o.parts[0].args) == mapping(i.parts[0].args) &&
			string(d.tree.text(o.parts[0].from.path)) == string(d.tree.text(i.parts[0].from.path)) {
			return o.name
		}
	}
	return ""
}

func otherOS(os string) string {
	if os == platform.Linux {
		return platform.Windows
	}
	return platform.Linux
}

// on returns what f says of the part for an operating system, "" if there is none.
func (i image) on(os string, f func(*part) string) string {
	for _, p := range i.parts {
		if p.os == os {
			return f(p)
		}
	}
	return ""
}

// both reports whether the image has a part for each operating system.
func (i image) both() bool { return len(i.parts) > 1 }

// target is the template of the stage to build.
func (i image) target() string {
	linux := i.on(platform.Linux, func(p *part) string { return p.target })
	windows := i.on(platform.Windows, func(p *part) string { return p.target })
	return bySystem(linux, windows, i.both())
}

// args are the templates of the arguments.
func (i image) args() map[string]string {
	all := map[string]string{}
	for _, p := range i.parts {
		for name := range p.args {
			all[name] = bySystem(i.on(platform.Linux, func(p *part) string { return p.args[name] }),
				i.on(platform.Windows, func(p *part) string { return p.args[name] }), i.both())
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
