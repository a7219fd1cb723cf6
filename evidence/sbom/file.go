package sbom

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
)

// contained adds a file of an image or an archive: a program, or any other.
func (g *graph) contained(f lock.File) string {
	if p, ok := g.inventory.Program(f.Digest); ok {
		return g.program(p, f.Path)
	}
	name := path.Base(f.Path)
	c := component{
		id: id("File", name, f.Path+" "+f.Digest.String()), kind: file, name: name, sha256: f.Digest.Hex, file: f.Path,
		purl: purl.Generic(name, "", f.Digest.String()), known: f.Builtin || texts.MatchString(name),
		executable: f.Executable, archive: archives.MatchString(name),
	}
	if had, ok := g.components[c.id]; ok { // in another image, with another mode
		c.known, c.executable = c.known || had.known, c.executable || had.executable
	}
	g.components[c.id] = &c
	return c.id
}

// archives matches the names of files that have others in them.
var archives = lazyregexp.New(
	`(?i)\.(jar|war|ear|zip|whl|egg|nupkg|apk|deb|rpm|tar|t?gz|tbz2|txz|tzst|bz2|xz|zst|7z|cab|msi)$`)

// texts matches the names of files for people, which consist of nothing else.
var texts = lazyregexp.New(
	`(?i)^(licen[cs]e|notice|copying|copyright|patents|readme|changelog|authors)([._-][a-z0-9._-]*)?$|\.(md|txt)$`)

// namesFirst returns files so that a program with several names comes under that of its package
// first: those of hard links are not what it is called.
func (g *graph) namesFirst(files []lock.File) []lock.File {
	isLink := func(f lock.File) int {
		p, ok := g.inventory.Program(f.Digest)
		if ok && path.Base(p.Package) != strings.TrimSuffix(path.Base(f.Path), ".exe") {
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(files), func(a, b lock.File) int {
		return cmp.Compare(isLink(a), isLink(b))
	})
}

// program adds a program with the modules that it consists of. Its name is that of the first path
// at which it was found.
func (g *graph) program(p lock.Program, at string) string {
	c := component{
		id: "Program-" + p.Digest.Hex, kind: program, name: path.Base(at), sha256: p.Digest.Hex,
		sha512: p.SHA512, file: at,
		executable: true, label: p.Source, known: p.Go != "" && setting(p, "CGO_ENABLED") == "0",
	}
	if _, ok := g.components[c.id]; ok {
		return c.id
	}
	what := fmt.Sprintf("%s for %s/%s", p.Format, p.OS, p.Architecture)
	prebuilt, isPrebuilt := g.prebuilt(p)
	switch {
	case p.Source != "":
		c.comment = fmt.Sprintf("%s, compiled from package %s of source %s", what, p.Package, p.Source)
	case isPrebuilt:
		c.comment = fmt.Sprintf("%s, not compiled by this release: %s", what, prebuilt)
		if strings.HasPrefix(prebuilt.From, "https://") {
			c.download = prebuilt.From
		}
	default:
		c.comment = what + ", not compiled by this release"
	}
	if p.Go == "" {
		c.comment += "; it has no build information of Go, so what it consists of is not known"
		c.purl = purl.Generic(c.name, "", p.Digest.String())
		return g.add(c)
	}
	main := g.main(p)
	c.version, c.license, c.source = main.version, main.license, main.source
	c.purl = purl.Generic(c.name, c.version, p.Digest.String())
	g.add(c)
	if main.name != "" {
		g.relate(c.id, generatedFrom, g.add(main), p.Package)
	}
	g.relate(c.id, dependsOn, g.stdlib(p.Go), "")
	for _, m := range p.Modules {
		if m.Path == "" { // forged
			g.components[c.id].known = false
			continue
		}
		g.relate(c.id, dependsOn, g.module(m), "")
	}
	g.compilers(p)
	return c.id
}

func (g *graph) prebuilt(p lock.Program) (lock.Prebuilt, bool) {
	n := slices.IndexFunc(g.lock.Prebuilt, func(o lock.Prebuilt) bool { return o.Digest == p.Digest })
	if n < 0 {
		return lock.Prebuilt{}, false
	}
	return g.lock.Prebuilt[n], true
}

// compilers adds the C compilers of a program that was compiled with CGO.
func (g *graph) compilers(p lock.Program) {
	if p.Source == "" || setting(p, "CGO_ENABLED") != "1" {
		return
	}
	for _, c := range g.lock.Compilers {
		if c.Platform.OS != p.OS || c.Platform.Architecture != p.Architecture {
			continue
		}
		name, _, _ := strings.Cut(path.Base(c.Command), " ")
		tool := g.add(component{
			id: id("Compiler", name, c.Command+c.Version+c.Platform.String()), kind: compiler, name: name,
			version: number(c.Version), executable: true,
			purl: purl.Generic(name, number(c.Version), ""),
			comment: fmt.Sprintf("C compiler of programs for %s: %s; what its libraries add to them is not known",
				c.Platform, c.Version),
		})
		g.relate(tool, buildToolOf, "Program-"+p.Digest.Hex, "")
	}
}

// number returns the last word of what a compiler prints of itself that is a version: 12.2.0 of
// "gcc (Debian 12.2.0-14) 12.2.0"; "" if there is none.
func number(line string) string {
	for _, word := range slices.Backward(strings.Fields(line)) {
		if versionWord.MatchString(word) {
			return word
		}
	}
	return ""
}

var versionWord = lazyregexp.New(`^[0-9][0-9A-Za-z.+~-]*$`)

func setting(p lock.Program, key string) string {
	for _, s := range p.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// artifact adds a file for download.
func (g *graph) artifact(a lock.Artifact) (string, error) {
	has, ok := g.inventory.Content(a.Digest)
	if !ok {
		return "", fmt.Errorf("the inventory lacks %s: build it again", a.File)
	}
	c := component{
		id: "Artifact-" + a.Digest.Hex, kind: artifact, name: a.File, version: g.lock.Version, sha256: a.Digest.Hex,
		sha512: has.SHA512, file: a.File,
		purl: purl.Generic(a.File, g.lock.Version, a.Digest.String()), download: a.File,
		comment:    "download for " + a.Platform.OS + "/" + a.Platform.Architecture,
		executable: a.Executable, archive: !a.Executable,
	}
	p, isProgram := g.inventory.Program(a.Digest)
	c.executable, c.known = c.executable || isProgram, isProgram || len(has.Files) > 0
	var sources []string // of the programs in it
	for _, f := range append([]lock.File{{Digest: a.Digest}}, has.Files...) {
		if p, ok := g.inventory.Program(f.Digest); ok {
			sources = append(sources, p.Source)
		}
	}
	c.license, c.source = g.declared(sources...)
	g.add(c)
	if isProgram {
		g.relate(c.id, contains, g.program(p, a.File), "")
	}
	for _, f := range g.namesFirst(has.Files) {
		g.relate(c.id, contains, g.contained(f), f.Path)
	}
	return c.id, nil
}

// chart adds a chart of the release. Which of several sources it is from is not recorded.
func (g *graph) chart(c lock.Chart) string {
	has, _ := g.inventory.Content(c.File.Digest)
	var s lock.Source
	if len(g.lock.Sources) == 1 {
		s = g.lock.Sources[0]
	}
	return g.add(component{
		id: "Chart-" + c.File.Digest.Hex, kind: chart, name: c.Name, version: c.Version, sha256: c.File.Digest.Hex,
		sha512: has.SHA512, file: c.File.Name,
		purl: purl.Helm(c.Name, c.Version, path.Dir(c.Repository)), license: g.license(s.Licenses),
		source: s.URL, download: c.File.Name,
		comment: "Helm chart; what it consists of is not listed here", archive: true,
	})
}
