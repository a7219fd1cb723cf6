package scaffold

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/render/workload"

	"github.com/slipway-dev/slipway/scaffold/shell"
)

var koReference = lazyregexp.New(`ko://([A-Za-z0-9][A-Za-z0-9._~/-]*)`)

// koValued are the flags of ko build whose value is the next word.
var koValued = []string{
	"--platform", "--tags", "-t", "--jobs", "-j", "--sbom", "--sbom-dir", "--image-label", "--image-annotation",
	"--image-refs", "--image-user", "--tarball", "--oci-layout-path",
}

// koCommand matches ko, also by a variable, and as the go command runs it.
var koCommand = lazyregexp.New(`^(?:[\w./-]*/)?ko(?:@\S+)?$|^\$[({]?KO[)}]?$`)

// koLocal matches a flag of ko with which it pushes nothing.
var koLocal = lazyregexp.New(`^(?:--push=false|-L|--local)$`)

// koBuild takes in a command that is ko build, or like it: its packages and platforms.
func (d *Draft) koBuild(c shell.Call, at place, r rank) {
	n := slices.IndexFunc(c.Words, koCommand.MatchString)
	if n < 0 || n+1 >= len(c.Words) {
		return
	}
	verb, words := c.Words[n+1], c.Words[n+2:]
	var packages, tags []string
	for i := 0; i < len(words); i++ {
		flag, value, has := strings.Cut(words[i], "=")
		if !strings.HasPrefix(flag, "-") {
			packages = append(packages, words[i])
			continue
		}
		if !has && slices.Contains(koValued, flag) && i+1 < len(words) {
			i++
			value = words[i]
		}
		switch flag {
		case "--platform":
			d.koPlatforms(splitPlatforms(value), at, r)
		case "--tags", "-t":
			tags = append(tags, strings.Split(value, ",")...)
		}
	}
	if len(packages) == 0 {
		packages = []string{"."}
	}
	if slices.ContainsFunc(words, koLocal.MatchString) {
		r = develops
	}
	d.koTag(tags, at, r)
	bare := slices.Contains(words, "--bare")
	base := slices.Contains(words, "--base-import-paths") || slices.Contains(words, "-B")
	for _, p := range packages {
		if (verb == "build" || verb == "publish") && (strings.HasPrefix(p, ".") ||
			d.source.module != "" && strings.HasPrefix(p, d.source.module)) {
			pkg := path.Join(c.Dir, strings.TrimPrefix(strings.TrimPrefix(p, d.source.module), "/"))
			d.koBuilt = append(d.koBuilt, claim{pkg, r, at})
			if repository := c.Env["KO_DOCKER_REPO"]; repository != "" {
				d.koName(repository, pkg, bare, base, r, at)
			}
		}
	}
}

// koName notes the name that ko gives the image of a package.
func (d *Draft) koName(repository, pkg string, bare, base bool, r rank, at place) {
	if !bare {
		repository += "/" + path.Base(path.Join(d.source.module, pkg))
	}
	if !bare && !base {
		r = develops // ko adds a digest to the name
	}
	d.koNames = append(d.koNames, named{repository: strings.ToLower(repository), of: pkg, rank: r, at: at})
	if last := path.Base(repository); bare && !shell.Unknown(last) {
		d.koLast[pkg] = last
	}
}

// koTag notes the tags that ko gives.
func (d *Draft) koTag(tags []string, at place, r rank) {
	b := dockerBuild{at: at, rank: r, ofBranches: d.ofBranches}
	for _, t := range tags {
		b.names = append(b.names, "ko:"+t)
	}
	now, floats := d.tagsOf(b)
	d.koTags, d.koFloats = appendNew(d.koTags, now...), appendNew(d.koFloats, floats...)
}

// koPlatforms notes for which platforms ko makes images.
func (d *Draft) koPlatforms(list []string, at place, r rank) {
	var set []string
	for _, p := range list {
		if strings.HasPrefix(p, platform.Linux+"/") {
			set = appendNew(set, on(p)...)
		}
	}
	if len(set) > 0 {
		d.koClaims = append(d.koClaims, claim{listOf(set), r, at})
	}
}

// goImages makes images of programs alone: those that manifests name by ko://, and that ko
// builds. Without a Dockerfile either, a question is which of the programs are images.
func (d *Draft) goImages() {
	paths := d.koPaths()
	for _, p := range paths {
		rel, ok := within(p, d.source.module)
		m, isMain := d.mainIn(rel)
		switch {
		case ok && isMain:
			d.mapKo(p, d.goImage(m))
		case !isAside(rel):
			d.leave("ko:// in manifests, which is not a main package here", "%s", p)
		}
	}
	for _, c := range d.koBuilt {
		for _, m := range d.mains {
			dir, all := strings.CutSuffix(c.value, "/...")
			if rel, ok := within(dir, d.source.dir); ok {
				dir = rel
			}
			if _, in := within(m.dir, dir); (m.dir == dir || all && in) && c.rank == publishes {
				d.note("builds "+m.dir, c.at)
				d.goImage(m)
			}
		}
	}
	if len(d.images) > 0 || len(d.mains) == 0 {
		return
	}
	var dirs []string
	for _, m := range d.mains {
		dirs = append(dirs, m.path())
	}
	all := []claim{{value: strings.Join(dirs, ", ")}}
	for _, dir := range dirs {
		all = append(all, claim{value: dir})
	}
	chosen := strings.Split(d.decide("images",
		"the main packages of which a release has images: nothing here builds one",
		append(all, claim{value: none})), ", ")
	d.without = slices.Contains(chosen, none)
	for _, m := range d.mains {
		if slices.Contains(chosen, m.path()) {
			d.goImage(m)
		}
	}
}

// none is the answer that a release has nothing of the kind.
const none = "none"

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

// koDefault is the base image of ko where no .ko.yaml names one: https://ko.build/configuration/.
const koDefault = "cgr.dev/chainguard/static:latest"

// major matches the major version of a module, which ko leaves out.
var major = lazyregexp.New(`/v[0-9]+$`)

// goImage makes an image of one program, on the base of .ko.yaml, or of ko, and returns its name;
// "" if it is for no platform of the release. Where nothing is made with ko, it is a built-in base.
func (d *Draft) goImage(m mainPackage) string {
	i := image{bases: map[string]string{}, program: d.program(m, "")}
	i.name = nameOf(i.program)
	if usual := path.Base(major.ReplaceAllString(path.Join(d.source.module, m.dir), "")); usual != i.program {
		d.leave("names that ko gives programs, and programs do not have", "/ko-app/%s of %s", usual, i.program)
	}
	i.base = cmp.Or(d.koLast[m.dir], i.name)
	if d.hasImage(i.name) {
		return i.name
	}
	ref := cmp.Or(d.koBases[path.Join(d.source.module, m.dir)], d.koBases[""], koDefault)
	ko := d.koBases != nil || len(d.koBuilt) > 0 || len(d.koPaths()) > 0
	windows := m.windows && d.has(platform.Windows) && (!ko || !m.linux ||
		isWindows.MatchString(ref) || strings.Contains(ref, "combined-base-image"))
	switch {
	case !m.linux || !d.has(platform.Linux):
	case ko:
		i.bases[platform.Linux] = d.base(ref)
	default:
		i.bases[platform.Linux] = d.addBase(base{name: "static", builtin: "static"})
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
	if i.floats = d.koFloats; !slices.Equal(d.koTags, []string{"{{.Version}}"}) {
		i.tags = d.koTags
	}
	d.found("%s: image %s of that program alone", m.path(), i.name)
	d.images = append(d.images, i)
	return i.name
}
