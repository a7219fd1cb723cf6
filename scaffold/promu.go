package scaffold

import (
	"cmp"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// ko reads .ko.yaml. Its settings of the compiler are not repeated, since a release reads them
// there.
func (d *Draft) ko() {
	name, n := d.first(path.Join(d.source.dir, ".ko.yaml"))
	if n == nil {
		return
	}
	d.koBases = map[string]string{"": yamlfile.Text(n, "defaultBaseImage")}
	for pkg, ref := range pairs(yamlfile.Value(n, "baseImageOverrides")) {
		d.koBases[pkg] = ref.Value
	}
	if list := yamlfile.Value(n, "defaultPlatforms"); list != nil {
		d.koPlatforms(texts(list), place{name, list.Line}, publishes)
	}
	for _, b := range items(n, "builds") {
		flags := yamlfile.Value(b, "ldflags")
		text := strings.Join(append(texts(flags), yamlfile.Text(b, "ldflags")), " ")
		if strings.Contains(text, ".Env.") {
			d.ldflags(text, placeOf(name, flags)) // which only those who run ko know
		}
	}
	d.found("%s: %d base images; its builds are read by a release itself", name, len(d.koBases))
}

// promu reads .promu.yml, of Prometheus' projects.
func (d *Draft) promu() {
	name, n := d.first(path.Join(d.source.dir, ".promu.yml"))
	if n == nil {
		return
	}
	d.ldflags(strings.Join(strings.Fields(yamlfile.Text(n, "build", "ldflags")), " "),
		placeOf(name, yamlfile.Value(n, "build", "ldflags")))
	if cgo := yamlfile.Value(n, "go", "cgo"); cgo != nil && cgo.Value == "true" {
		d.withCgo = place{name, cgo.Line}
	}
	for _, tag := range texts(n, "build", "tags", "all") {
		d.addFlag("tags", tag, placeOf(name, yamlfile.Value(n, "build", "tags")))
	}
	binaries := items(n, "build", "binaries")
	if len(binaries) == 0 {
		d.binary(d.repositoryName(), ".", "", placeOf(name, n))
	}
	for _, b := range binaries {
		d.binary(yamlfile.Text(b, "name"), yamlfile.Text(b, "path"), "", place{name, b.Line})
	}
	if files := texts(n, "tarball", "files"); len(files) > 0 {
		d.leave("files of archives, which files of the artifact name", "%s (%s)", listed(files), name)
	}
	d.archiveFile = d.repositoryName() + "-" + asBare + ".{{.OS}}-{{.Arch}}"
	d.promuPlatforms(name, n)
	d.found("%s: programs, flags of the linker and platforms", name)
}

// promuPlatforms takes the platforms of archives, and the build tags of all builds.
func (d *Draft) promuPlatforms(name string, n *yaml.Node) {
	at := placeOf(name, yamlfile.Value(n, "crossbuild", "platforms"))
	var list []string
	for _, p := range texts(n, "crossbuild", "platforms") {
		if !strings.Contains(p, "/") {
			d.lacks("artifacts",
				"the platforms of the archives of programs: %s names the system %s alone, which are all of promu's",
				at, p)
			continue
		}
		list = append(list, strings.Replace(p, "/armv", "/arm/v", 1))
	}
	if len(list) == 0 && !d.isAsked("artifacts") {
		d.lacks("artifacts", "the platforms of the archives of programs: %s names none, which are all of promu's", name)
	}
	d.archivePlatforms("promu", list, at)
	if flags := yamlfile.Value(n, "build", "flags"); flags != nil {
		for _, c := range shell.Calls("go build "+flags.Value, nil) {
			d.goBuild(c.Words[2:], "", place{name, flags.Line})
		}
	}
}

// binary takes in a program that is released as a file, and returns its name, "" for none.
func (d *Draft) binary(name, main, dir string, at place) string {
	d.goBuild([]string{"-o", name, cmp.Or(main, ".")}, dir, at)
	m, ok := d.main(name)
	if !ok {
		d.leave("programs of archives that are not a main package here", "%s (%s)", name, at)
		return ""
	}
	p := d.program(m, name)
	d.archived = appendNew(d.archived, p)
	d.note("artifacts", at)
	return p
}

// ported are the platforms of a list that Go and slipway.yaml have.
func ported(list []string) (all []string) {
	for _, p := range list {
		if now, err := platform.ParsePort(p); err == nil {
			all = appendNew(all, now.String())
		}
	}
	return all
}

// archivePlatforms decides for which platforms there are archives: those of the tool's file, if
// something that publishes runs it.
func (d *Draft) archivePlatforms(tool string, list []string, at place) {
	var all []string
	for _, p := range list {
		if now, err := platform.ParsePort(p); err == nil {
			all = appendNew(all, now.String())
		} else {
			d.leave("platforms of archives that Go or slipway.yaml does not have", "%s (%s)", p, at)
		}
	}
	if len(all) == 0 || len(d.archived) == 0 {
		return
	}
	r := develops
	if d.publishers.calls(tool) {
		r = publishes
	}
	d.artifactPlatforms = splitList(d.decide("artifacts", "the platforms of the archives of programs for download",
		[]claim{{strings.Join(all, ","), r, at}}))
}
