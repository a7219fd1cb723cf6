package scaffold

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/platform"
)

var koReference = lazyregexp.New(`ko://([A-Za-z0-9][A-Za-z0-9._~/-]*)`)

// goImages makes images of programs alone: those that manifests name by ko://, and where there is
// no Dockerfile either, all that the module has.
func (d *Draft) goImages() {
	paths := d.koPaths()
	for _, p := range paths {
		rel, ok := within(p, d.source.module)
		m, isMain := d.mainIn(rel)
		switch {
		case ok && isMain:
			d.mapKo(p, d.goImage(m))
		case !isAside(rel):
			d.hand("manifests name ko://%s, which is not a main package here", p)
		}
	}
	if len(paths) > 0 || len(d.images) > 0 {
		return
	}
	if d.koBases == nil && len(d.mains) > 0 {
		d.leave("nothing here builds an image: " +
			"each program is one, on a built-in base; take out those that are for people's machines alone")
	}
	for _, m := range d.mains {
		if m.linux && d.has(platform.Linux) || m.windows && d.has(platform.Windows) {
			d.goImage(m)
		}
	}
}

// koPaths returns the packages that manifests name.
func (d *Draft) koPaths() []string {
	var list []string
	for _, f := range d.tree.files {
		if !workload.IsManifest(f) || isAside(path.Dir(f)) {
			continue
		}
		for _, m := range koReference.FindAllSubmatch(d.tree.text(f), -1) {
			list = appendNew(list, string(m[1]))
		}
	}
	slices.Sort(list)
	return list
}

// mapKo maps ko:// and a package to an image: all of a directory at once where they are called so.
func (d *Draft) mapKo(pkg, image string) {
	switch {
	case image == "":
	case path.Base(pkg) == image:
		d.koImages["ko://"+path.Dir(pkg)+"/*"] = "*"
	default:
		d.koImages["ko://"+pkg] = image
	}
}

// goImage makes an image of one program, on the bases of .ko.yaml, and returns its name; "" if it
// is for no platform of the release.
func (d *Draft) goImage(m mainPackage) string {
	i := image{bases: map[string]string{}, program: d.program(m, "")}
	i.name = nameOf(i.program)
	ref := cmp.Or(d.koBases[path.Join(d.source.module, m.dir)], d.koBases[""], "gcr.io/distroless/static:nonroot")
	windows := m.windows && d.has(platform.Windows) && (d.koBases == nil || d.wantWindows || !m.linux ||
		isWindows.MatchString(ref) || strings.Contains(ref, "combined-base-image"))
	if m.linux && d.has(platform.Linux) {
		i.bases[platform.Linux] = d.base(ref)
	}
	if windows {
		i.bases[platform.Windows] = d.addBase(base{name: "nanoserver", microsoft: "nanoserver"})
	}
	if len(i.bases) == 0 {
		return ""
	}
	for os := range i.bases {
		if len(i.bases) == 1 && d.has(otherOS(os)) {
			i.platforms = []string{os}
		}
	}
	d.found("%s: image %s of that program alone", m.path(), i.name)
	d.images = append(d.images, i)
	return i.name
}
