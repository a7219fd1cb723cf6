//go:build linux

package explore

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"pgregory.net/rapid"
)

// product is a drawn slipway.yaml and the files that it names.
type product struct {
	yaml      object
	files     map[string]string // by path, slipway.yaml without
	platforms []string
	version   string
	git       bool   // its directory is a git repository, which has the version
	nested    string // the third-party index over an index, which no bundle includes; "" for none
	// registry reports whether a release of it needs a registry for bases or third-party images.
	registry  bool
	pushes    bool     // it has no bases that only Microsoft's registry has
	dest      []string // the names of destinations
	channels  []string
	images    []string
	groups    []string // of images, which have bundles
	allowed   []object // findings of lint
	undecided []object
}

// host and mirror stand for the registry of a walk in what is drawn.
const host = "REGISTRY"

// products draws products. Almost all of them can be released.
var products = rapid.Custom(func(t *rapid.T) *product {
	p := &product{yaml: object{"apiVersion": "slipway/v1"}, files: map[string]string{
		"go.mod":    "module example.com/drawn\n\ngo 1.24\n",
		"a/main.go": mainText,
	}}
	name := pick(t, "name", "own", "a", "0zero", "with-dash", "dot.ted_name", strings.Repeat("long", 12))
	p.yaml["name"] = name
	p.drawVersion(t)
	if maybe(t, 4, "description") {
		p.yaml["description"] = pick(t, "description", "A product", "Ein Gerät: \"quoted\", <b>bold</b> & more",
			"многоязычный")
	}
	p.platforms = some(t, "platform", 1, "linux/amd64", "linux/arm64", "linux/arm/v7", "windows/amd64:ltsc2022",
		"windows/amd64:ltsc2025")
	p.yaml["platforms"] = p.platforms
	p.drawSources(t)
	p.drawBases(t)
	programs := p.drawPrograms(t)
	p.drawImages(t, programs)
	p.drawNames(t)
	p.drawArtifacts(t, programs)
	p.drawCharts(t)
	p.drawRelease(t)
	p.drawAirgap(t)
	p.drawOdd(t, programs)
	return p
})

const mainText = "package main\n\nvar version = \"\"\n\nfunc main() { println(version) }\n"

// semantic reports whether the version is one of which charts and parts of it can be made.
func (p *product) semantic() bool { return semver.IsValid("v" + strings.TrimPrefix(p.version, "v")) }

func (p *product) linux() bool   { return slices.ContainsFunc(p.platforms, isLinux) }
func (p *product) windows() bool { return slices.ContainsFunc(p.platforms, isWindows) }

func isLinux(s string) bool   { return strings.HasPrefix(s, "linux/") }
func isWindows(s string) bool { return strings.HasPrefix(s, "windows/") }

// systems are the operating systems of the platforms.
func (p *product) systems() (all []string) {
	if p.linux() {
		all = append(all, "linux")
	}
	if p.windows() {
		all = append(all, "windows")
	}
	return all
}

func (p *product) drawVersion(t *rapid.T) {
	p.version = pick(t, "version", "1.0.0", "v1.2.3", "0.1.0-rc.1", "2.0.0-alpha.1.x", "2026.11.24")
	p.yaml["version"] = p.version
	if p.git = maybe(t, 3, "git"); p.git {
		p.yaml["version"] = "git"
		if maybe(t, 2, "tag prefix") {
			p.yaml["tagPrefix"] = pick(t, "tag prefix", "v", "drawn-")
		}
	} else if maybe(t, 4, "calendar") {
		p.version = "2026.01.5" // no semantic version
		p.yaml["version"] = p.version
	}
	if maybe(t, 6, "channels") {
		stable := object{
			"name": "stable", "versions": []string{"release", "prerelease"},
			"floatingTags": some(t, "channel tag", 0, "stable", "v{{.Major}}"),
		}
		nightly := object{
			"name": "nightly", "versions": []string{"commit"},
			"version": "{{.Version}}-nightly.{{.Date}}",
		}
		p.yaml["channels"] = []object{stable, nightly}
		p.channels = []string{"stable", "nightly"}
	}
}

func (p *product) drawSources(t *rapid.T) {
	s := object{"name": "here", "directory": "."}
	if !p.git || maybe(t, 3, "revision") {
		s["revision"], s["created"] = "abcdef", "2025-01-16T21:57:50Z"
	}
	if maybe(t, 3, "url") {
		s["url"], s["licenses"] = "https://example.com/drawn",
			pick(t, "licenses", "Apache-2.0", "MIT OR (Apache-2.0 AND BSD-3-Clause)")
	}
	build(t, s, "source")
	all := []object{s}
	if maybe(t, 5, "module") {
		sum, goMod := moduleSums()
		all = append(all, object{
			"name": "mod", "module": moduleAt, "sum": sum, "goModSum": goMod, "revision": "fedcba",
			"created": "2025-02-01T00:00:00Z",
		})
	}
	p.yaml["sources"] = all
}

// build draws the flags of go build.
func build(t *rapid.T, o object, what string) {
	if maybe(t, 4, what+" ldflags") {
		o["ldflags"] = []string{"-X main.version={{.Version}}"}
	}
	if maybe(t, 5, what+" flags") {
		o["flags"] = []string{"-trimpath"}
	}
	if maybe(t, 8, what+" env") {
		o["env"] = []string{"GOAMD64=v2"}
	}
	if maybe(t, 8, what+" tags") {
		o["tags"] = []string{"netgo"}
	}
	if maybe(t, 8, what+" systems") {
		o["systems"] = []object{{
			"os": "windows", "ldflags": []string{"-s"}, "flags": []string{"-trimpath"},
			"env": []string{"GOAMD64=v1"}, "tags": []string{"osusergo"},
		}}
	}
}

func (p *product) drawBases(t *rapid.T) {
	var all []object
	p.pushes = true
	if p.linux() {
		switch pick(t, "base in", "slipway", "slipway", "slipway", "registry") {
		case "slipway":
			all = append(all,
				object{"name": "linux", "builtin": pick(t, "builtin", "static", "static-root", "scratch")})
			if maybe(t, 5, "in place of") {
				all[0]["inPlaceOf"] = []string{"gcr.io/distroless/static:nonroot"}
			}
		default:
			images := object{}
			for _, on := range slices.DeleteFunc(slices.Clone(p.platforms), isWindows) {
				images[on] = host + "/base/linux:1"
			}
			all = append(all, object{"name": "linux", "images": images})
			p.registry = true
		}
	}
	if p.windows() {
		all = append(all,
			object{"name": "win", "microsoft": pick(t, "microsoft", "nanoserver", "servercore", "hostprocess")})
		if maybe(t, 2, "repository of the base") {
			all[len(all)-1]["repository"] = host + "/base/" + all[len(all)-1]["microsoft"].(string)
			p.registry = true
		} else {
			p.pushes = false
		}
	}
	p.yaml["bases"] = all
}

// base returns the bases of an image.
func (p *product) base() object {
	o := object{}
	if p.linux() {
		o["linux"] = "linux"
	}
	if p.windows() {
		o["windows"] = "win"
	}
	return o
}

// drawPrograms returns the names of programs for all platforms.
func (p *product) drawPrograms(t *rapid.T) (names []string) {
	first := object{"name": pick(t, "program", "a", "controller-manager", "p.1"), "source": "here", "package": "./a"}
	build(t, first, "program")
	if maybe(t, 5, "cc") && p.windows() {
		first["cc"] = object{"windows": "x86_64-w64-mingw32-gcc"}
	}
	names = append(names, first["name"].(string))
	all := []object{first}
	if maybe(t, 4, "second program") {
		p.files["b/main.go"] = strings.Replace(mainText, "version)", `"b")`, 1)
		second := object{"name": "b", "source": "here", "package": "./b", "os": p.systems()}
		all, names = append(all, second), append(names, "b")
	}
	if sources := p.yaml["sources"].([]object); len(sources) > 1 {
		all, names = append(all, object{"name": "m", "source": "mod", "package": "./cmd/m"}), append(names, "m")
	}
	if maybe(t, 5, "prebuilt file") {
		o := object{"name": "made"}
		member := maybe(t, 2, "member")
		dir := "made/{{.OS}}-{{.Arch}}/made{{.Exe}}"
		for _, on := range p.platforms {
			at := "made/" + goPlatform(on) + "/made"
			if isWindows(on) {
				at += ".exe"
			}
			if member {
				p.files[at+".tar"] = "TAR:" + goPlatform(on)
			} else {
				p.files[at] = "PROGRAM:" + goPlatform(on)
			}
		}
		if member {
			dir += ".tar"
			o["member"] = "dir/program"
		}
		if maybe(t, 2, "files") {
			o["files"] = object{}
			for _, on := range p.platforms {
				exe := strings.ReplaceAll(strings.ReplaceAll(dir, "{{.OS}}-{{.Arch}}", goPlatform(on)),
					"{{.Exe}}", map[bool]string{true: ".exe"}[isWindows(on)])
				o["files"].(object)[strings.Split(on, ":")[0]] = exe
			}
		} else {
			o["file"] = dir
		}
		all, names = append(all, o), append(names, "made")
	}
	p.yaml["programs"] = all
	return names
}

// goPlatform is the name of a platform in the path of a program: linux-armv7.
func goPlatform(on string) string {
	on, _, _ = strings.Cut(on, ":")
	return strings.Replace(strings.Replace(on, "/", "-", 1), "/", "", 1)
}

func (p *product) drawNames(t *rapid.T) {
	o := object{}
	if maybe(t, 5, "repository") {
		o["repository"] = pick(t, "repository", "{{.Name}}", dashed, "{{.Product}}/x/{{.Name}}")
	}
	if maybe(t, 5, "tags") {
		o["tags"] = some(t, "tag", 1, "{{.Version}}", "r-{{.Version}}")
	}
	if maybe(t, 2, "floating tags") {
		o["floatingTags"] = []string{"latest"}
		if p.semantic() {
			o["floatingTags"] = some(t, "floating tag", 1, "latest", "v{{.Major}}", "v{{.Major}}.{{.Minor}}",
				"{{if .Prerelease}}edge{{end}}")
		}
	}
	if maybe(t, 5, "platform tags") {
		o["platformTags"] = []string{"{{.Version}}-{{.OS}}-{{.Arch}}{{if .WindowsRelease}}-{{.WindowsRelease}}{{end}}"}
	}
	if len(o) > 0 {
		p.yaml["names"] = o
	}
	if maybe(t, 5, "destinations") {
		all := []object{
			{"name": "one", "registry": host + "/one"},
			{"name": "two", "registry": host + "/two", "repository": "{{.Product}}-{{.Name}}"},
		}
		p.dest = []string{"one", "two"}
		p.yaml["destinations"] = all
	}
}

func (p *product) drawArtifacts(t *rapid.T, programs []string) {
	if !maybe(t, 3, "artifacts") {
		return
	}
	a := object{
		"name":     pick(t, "artifact", "tools", "own-tools"),
		"programs": some(t, "artifact program", 1, programs...),
	}
	if maybe(t, 2, "artifact platforms") {
		a["platforms"] = p.systems()
	}
	if maybe(t, 2, "forms") {
		a["forms"] = some(t, "form", 1, "archive", "binary")
	}
	forms, _ := a["forms"].([]string)
	archives := forms == nil || slices.Contains(forms, "archive")
	if maybe(t, 2, "formats") && archives {
		a["formats"] = object{"linux": pick(t, "format", "zip", "tar.gz")}
	}
	if maybe(t, 2, "archive name") {
		a["archiveName"], a["binaryName"] = "{{.Product}}_{{.Version}}_{{.OS}}_{{.Arch}}",
			"{{.Name}}_{{.Version}}_{{.OS}}_{{.Arch}}"
	}
	if maybe(t, 2, "artifact directory") && archives {
		a["directory"] = "bin"
	}
	if maybe(t, 2, "artifact files") && archives {
		a["files"] = object{p.systems()[0]: "extra"}
		p.files["extra/LICENSE"], p.files["extra/doc/read me.txt"] = "license\n", "read\n"
		if maybe(t, 2, "artifact source") {
			a["source"] = "here"
		}
	}
	p.yaml["artifacts"] = []object{a}
}

// paths returns the paths of the product's files, sorted.
func (p *product) paths() []string { return slices.Sorted(maps.Keys(p.files)) }
