package scaffold

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// goreleaser reads .goreleaser.yaml: https://goreleaser.com/customization/.
func (d *Draft) goreleaser() {
	name, n := d.first(d.releaserFiles()...)
	if n == nil {
		return
	}
	project := cmp.Or(yamlfile.Text(n, "project_name"), d.repositoryName())
	env := releaserEnv(n, nil)
	builds := items(n, "builds")
	if one := yamlfile.Value(n, "build"); one != nil { // as it was
		builds = append(builds, one)
	}
	if len(builds) == 0 {
		builds = []*yaml.Node{{Kind: yaml.MappingNode, Line: n.Line}}
	}
	var platforms []string
	var list []releaserBuild
	for _, b := range builds {
		at := place{name, b.Line}
		if builder := yamlfile.Text(b, "builder"); builder != "" && builder != "go" {
			d.leave("programs that are not Go's", "%s, by %s (%s)", yamlfile.Text(b, "binary"), builder, at)
			continue
		}
		if word(b, "skip") == "true" {
			continue
		}
		own, on := releaserEnv(b, env), buildPlatforms(b)
		d.releaserFlags(name, b, project, own)
		if own["CGO_ENABLED"] == "1" {
			d.withCgo = placeOf(name, cmp.Or(yamlfile.Value(b, "env"), yamlfile.Value(n, "env")))
		}
		binary := yamlfile.Text(b, "binary")
		if binary == "" || shell.Unknown(binary) {
			binary = project
		}
		program := d.binary(binary, yamlfile.Text(b, "main"), yamlfile.Text(b, "dir"), at)
		platforms = appendNew(platforms, on...)
		if program != "" {
			id := cmp.Or(yamlfile.Text(b, "id"), project)
			list = append(list, releaserBuild{id, program, ported(on)})
		}
	}
	d.archivePlatforms("goreleaser", platforms, place{name, builds[0].Line})
	d.releaserArchives(name, n, project, list)
	d.releaserImages(name, n, project)
	d.releaserKos(name, n)
	for _, key := range []string{
		"nfpms", "brews", "signs", "docker_signs", "sboms", "changelog", "snapcrafts", "winget", "scoops",
		"chocolateys", "universal_binaries", "homebrew_casks", "aurs", "source",
	} {
		if yamlfile.Value(n, key) != nil {
			d.leave("what a release here does not make", "%s (%s)", key, name)
		}
	}
	d.found("%s: programs, flags of the linker, archives and platforms", name)
}

// projectName matches the name of the project in a template.
var projectName = lazyregexp.New(`\{\{-?\s*\.ProjectName\s*-?\}\}`)

// anyEnv matches a value of the environment in a template.
var anyEnv = lazyregexp.New(`\{\{-?\s*\.Env\.(\w+)\s*-?\}\}`)

// ofReleases matches the text for versions other than prereleases, as floating tags are.
var ofReleases = lazyregexp.New(`\{\{-?\s*if not \.Prerelease\s*-?\}\}(.*?)\{\{-?\s*end\s*-?\}\}`)

// quoted matches a template that gives a text.
var quoted = lazyregexp.New("^\\{\\{-?\\s*[\"`]([^\"`]*)[\"`]\\s*-?\\}\\}$")

// releaserEnv is the environment of a build of GoReleaser.
func releaserEnv(n *yaml.Node, outer map[string]string) map[string]string {
	env := maps.Clone(outer)
	if env == nil {
		env = map[string]string{}
	}
	for _, e := range texts(n, "env") {
		if name, value, ok := strings.Cut(e, "="); ok {
			env[name] = quoted.ReplaceAllString(value, "$1")
		}
	}
	return env
}

// releaserFiles are the files of GoReleaser in the order of reading: those that publishers name,
// and then the usual ones.
func (d *Draft) releaserFiles() (names []string) {
	for _, f := range d.tree.files {
		if isYAML(f) && strings.Contains(path.Base(f), "goreleaser") && !isWorkflow(f) && d.publishers.calls(f) {
			names = append(names, f)
		}
	}
	for _, ext := range []string{"yaml", "yml"} {
		names = appendNew(names, ".goreleaser."+ext, "goreleaser."+ext)
	}
	names = slices.DeleteFunc(names, func(f string) bool { return !d.tree.has(f) })
	if len(names) > 1 {
		d.leave("further files of GoReleaser", "%s", listed(names[1:]))
	}
	return names
}

// usualFlags are those of GoReleaser for a build that names none.
const usualFlags = "-s -w -X main.version={{.Version}} -X main.commit={{.Commit}} -X main.date={{.Date}} " +
	"-X main.builtBy=goreleaser"

// releaserFlags takes in what a build of GoReleaser gives the compiler.
func (d *Draft) releaserFlags(name string, b *yaml.Node, project string, env map[string]string) {
	main := path.Join(yamlfile.Text(b, "dir"), cmp.Or(yamlfile.Text(b, "main"), "."))
	for _, key := range []string{"gcflags", "asmflags", "overrides", "buildmode"} {
		if v := yamlfile.Value(b, key); v != nil {
			d.leave("flags of the compiler that no source has", "%s (%s)", key, placeOf(name, v))
		}
	}
	d.environment(strings.Join(texts(b, "env"), " "), placeOf(name, cmp.Or(yamlfile.Value(b, "env"), b)))
	flags := texts(b, "ldflags")
	if _, ok := d.mainIn(main); ok && len(flags) == 0 {
		flags = []string{usualFlags}
	}
	for _, l := range flags {
		l = anyEnv.ReplaceAllStringFunc(l, func(f string) string {
			return cmp.Or(env[anyEnv.FindStringSubmatch(f)[1]], f)
		})
		l = projectName.ReplaceAllStringFunc(l, func(string) string { return project })
		d.goBuild([]string{"-ldflags", l, main}, "", placeOf(name, cmp.Or(yamlfile.Value(b, "ldflags"), b)))
	}
	for _, l := range texts(b, "flags") {
		for _, c := range shell.Calls("go build "+l, nil) {
			d.goBuild(append(c.Words[2:], main), "", placeOf(name, yamlfile.Value(b, "flags")))
		}
	}
	for _, tag := range texts(b, "tags") {
		d.goBuild([]string{"-tags", tag, main}, "", placeOf(name, yamlfile.Value(b, "tags")))
	}
}

// buildPlatforms are the platforms of a build of GoReleaser, with its defaults.
func buildPlatforms(b *yaml.Node) (list []string) {
	variant := func(arch, arm string) string {
		if arch == "arm" {
			return "arm/v" + arm
		}
		return arch
	}
	for _, t := range texts(b, "targets") { // linux_amd64_v1, linux_arm_7
		if parts := append(strings.Split(t, "_"), "6"); strings.HasPrefix(t, "go_") {
			list = appendNew(list, t)
		} else if len(parts) > 2 {
			list = appendNew(list, parts[0]+"/"+variant(parts[1], parts[2]))
		}
	}
	if len(list) > 0 {
		return list
	}
	or := func(key string, otherwise ...string) []string {
		if all := texts(b, key); len(all) > 0 {
			return all
		}
		return otherwise
	}
	for _, os := range or("goos", "linux", "darwin", "windows") {
		for _, arch := range or("goarch", "386", "amd64", "arm64") {
			for _, arm := range or("goarm", "6") {
				ignored := slices.ContainsFunc(items(b, "ignore"), func(i *yaml.Node) bool {
					fits := func(key, value string) bool { return word(i, key) == "" || word(i, key) == value }
					return fits("goos", os) && fits("goarch", arch) && (arch != "arm" || fits("goarm", arm))
				})
				if !ignored && (os != "darwin" || arch != "386" && arch != "arm") {
					list = appendNew(list, os+"/"+variant(arch, arm))
				}
			}
		}
	}
	return list
}

// releaserImages adds the builds of .goreleaser.yaml.
func (d *Draft) releaserImages(name string, n *yaml.Node, project string) {
	for _, key := range []string{"dockers", "dockers_v2"} {
		for _, i := range items(n, key) {
			if yamlfile.Text(i, "skip_push") == "true" {
				continue
			}
			b := dockerBuild{
				at: place{name, i.Line}, rank: publishes, file: cmp.Or(yamlfile.Text(i, "dockerfile"), "Dockerfile"),
				context: ".", args: map[string]string{}, names: texts(i, "image_templates"),
			}
			for _, image := range texts(i, "images") {
				for _, tag := range texts(i, "tags") {
					b.names = append(b.names, image+":"+tag)
				}
			}
			for _, f := range texts(i, "build_flag_templates") {
				k, v, _ := strings.Cut(f, "=")
				b.flag(k, v)
			}
			b.old(i)
			os := cmp.Or(yamlfile.Text(i, "goos"), platform.Linux)
			if key == "dockers" && len(b.platforms) == 0 && os == platform.Linux {
				b.platforms = []string{"linux/" + cmp.Or(word(i, "goarch"), "amd64")}
				if word(i, "goarch") == "arm" {
					b.platforms[0] += "/v" + cmp.Or(word(i, "goarm"), "6")
				}
			}
			b.platforms = append(b.platforms, texts(i, "platforms")...)
			for key, value := range pairs(yamlfile.Value(i, "build_args")) {
				b.args[key] = value.Value
			}
			for _, m := range items(n, "docker_manifests") {
				member := func(image string) bool { return slices.Contains(b.names, image) }
				if slices.ContainsFunc(texts(m, "image_templates"), member) {
					b.names = append(b.names, yamlfile.Text(m, "name_template"))
				}
			}
			for k, ref := range b.names {
				ref = ofReleases.ReplaceAllString(ref, "$1")
				b.names[k] = projectName.ReplaceAllString(ref, project)
			}
			d.addBuild(b)
		}
	}
}

// old adds the names of an image as GoReleaser had them before its version 0.106.
func (b *dockerBuild) old(i *yaml.Node) {
	image := yamlfile.Text(i, "image")
	if image == "" {
		return
	}
	tags := texts(i, "tag_templates")
	if len(tags) == 0 {
		tags = []string{"{{ .Version }}"}
	}
	if word(i, "latest") == "true" {
		tags = append(tags, "latest")
	}
	for _, tag := range tags {
		b.names = append(b.names, image+":"+tag)
	}
}

// releaserKos takes in the images that .goreleaser.yaml makes by ko.
func (d *Draft) releaserKos(name string, n *yaml.Node) {
	for _, k := range items(n, "kos") {
		at := place{name, k.Line}
		d.koPlatforms(texts(k, "platforms"), at, publishes)
		main := yamlfile.Text(k, "main")
		for _, b := range items(n, "builds") {
			if id := yamlfile.Text(k, "build"); id != "" && yamlfile.Text(b, "id") == id {
				main = cmp.Or(main, yamlfile.Text(b, "main"))
			}
		}
		if main = path.Clean(cmp.Or(main, ".")); path.Ext(main) == ".go" {
			main = path.Dir(main)
		}
		if word(k, "bare") == "true" {
			d.koBare = true
		}
		d.koBuilt = append(d.koBuilt, claim{main, publishes, at})
		d.koTag(texts(k, "tags"), at, publishes)
		for _, repository := range append(texts(k, "repository"), texts(k, "repositories")...) {
			d.koName(repository, main, word(k, "bare") == "true", word(k, "base_import_paths") == "true", publishes, at)
		}
		if base := yamlfile.Text(k, "base_image"); base != "" {
			d.koBases = map[string]string{"": base}
		}
	}
}
