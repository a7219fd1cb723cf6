package sbom

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
)

// devel is the version of a module that was compiled from a directory.
const devel = "(devel)"

// module adds a module that programs contain: what replaces it, where something does.
func (g *graph) module(m lock.Module) string {
	c := component{kind: module, name: m.Path, version: version(m.Version), sum: sum(m.Sum), known: true}
	key := fmt.Sprint(m.Path, " ", m.Version, " ", m.Sum)
	if r := m.Replace; r != nil {
		key += fmt.Sprint(" => ", r.Path, " ", r.Version, " ", r.Sum)
		if v := version(r.Version); v != "" && r.Path != "" {
			c.name, c.version, c.sum = r.Path, v, sum(r.Sum)
			c.comment = fmt.Sprintf("replaces %s %s", m.Path, m.Version)
		} else {
			c.version, c.sum = "", ""
			c.comment = fmt.Sprintf("%s replaces %s %s", directory(r.Path), m.Path, m.Version)
		}
	}
	c.id, c.purl = id("Go", c.name+"-"+c.version, key), purl.Go(c.name, c.version)
	return g.add(c)
}

// directory describes the directory that replaces a module. Its place on the machine that built
// is not recorded.
func directory(dir string) string {
	if path.IsAbs(dir) || !strings.HasPrefix(dir, ".") {
		return "a directory"
	}
	return "the directory " + dir + " of the source"
}

func version(v string) string {
	if v == devel {
		return ""
	}
	return v
}

var goSum = lazyregexp.New(`^h1:[A-Za-z0-9+/=]+$`)

// sum returns a hash of go.sum; "" for any other text.
func sum(text string) string {
	if !goSum.MatchString(text) {
		return ""
	}
	return text
}

var commit = lazyregexp.New(`^[0-9a-f]{40,64}$`)

// main returns the main module of a program, with the version of its source, or else the commit,
// which the purl specification allows as a version.
func (g *graph) main(p lock.Program) component {
	c := component{kind: module, name: p.Main.Path, version: version(p.Main.Version), sum: sum(p.Main.Sum), known: true}
	if p.Source == "" {
		if revision := setting(p, "vcs.revision"); c.version == "" && commit.MatchString(revision) &&
			setting(p, "vcs.modified") == "false" {
			c.version = revision
		}
		return finish(c, "")
	}
	s := g.source(p.Source)
	c.license, c.source = g.license(s.Licenses), s.URL
	modulePath, v, fixed := strings.Cut(s.Module, "@")
	switch {
	case fixed && modulePath == c.name:
		c.version, c.sum = v, s.Sum
		c.comment = fmt.Sprintf("source %s; slipway.yaml declares commit %s", s.Name, s.Revision)
	case commit.MatchString(s.Revision):
		c.version, c.comment = s.Revision, "source "+s.Name
	default:
		c.version, c.comment = "", "source "+s.Name+" at "+s.Revision
	}
	if strings.HasPrefix(s.URL, "https://") && commit.MatchString(s.Revision) {
		c.download = "git+" + s.URL + "@" + s.Revision
	}
	return finish(c, s.Name)
}

func finish(c component, source string) component {
	if c.name != "" {
		c.id, c.purl = id("Go", c.name+"-"+c.version,
			fmt.Sprint("main ", c.name, " ", c.version, " ", c.sum, " ", source)), purl.Go(c.name, c.version)
	}
	return c
}

func (g *graph) source(name string) lock.Source {
	for _, s := range g.lock.Sources {
		if s.Name == name {
			return s
		}
	}
	return lock.Source{Name: name}
}

var released = lazyregexp.New(`^go(1\.[0-9]+(\.[0-9]+|(rc|beta)[0-9]+)?)([ +-].*)?$`)

// stdlib adds the standard library of a toolchain: "go1.26.8", also with experiments behind it.
func (g *graph) stdlib(toolchain string) string {
	c := component{
		kind: module, name: "stdlib", version: toolchain, license: "BSD-3-Clause",
		supplier: "The Go Authors", source: "https://go.dev", known: true,
	}
	c.comment = "standard library of Go, by " + toolchain
	c.purl = purl.Go("stdlib", "")
	if m := released.FindStringSubmatch(toolchain); m != nil {
		c.version, c.purl = m[1], purl.Go("stdlib", m[1])
		c.cpe = "cpe:2.3:a:golang:go:" + m[1] + ":*:*:*:*:*:*:*"
	}
	c.id = id("Go", "stdlib-"+c.version, "stdlib "+toolchain)
	return g.add(c)
}
