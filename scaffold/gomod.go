package scaffold

import (
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/slipway-dev/slipway/platform"
)

// mainPackage is a program that the module has.
type mainPackage struct {
	dir            string // in the product's module or below it, "." is its root
	module         string // the directory of the module below it that has the package; "" is the product's
	name           string
	linux, windows bool // it has Go files for it
}

// path is the package as slipway.yaml names it.
func (m mainPackage) path() string { return packagePath(m.dir, m.module) }

func packagePath(dir, module string) string {
	rel := dir
	if module != "" {
		rel, _ = within(dir, module)
	}
	if rel == "." {
		return "."
	}
	return "./" + rel
}

// internal reports whether the package is one that only the project itself runs.
func (m mainPackage) internal() bool { return slices.Contains(strings.Split(m.dir, "/"), "internal") }

// goModule reads go.mod and finds the main packages.
func (d *Draft) goModule() error {
	d.source.dir = "."
	file := d.chooseModule()
	if file == "" {
		return nil
	}
	f, err := modfile.ParseLax(file, d.tree.text(file), nil)
	if err == nil && f.Module == nil {
		err = errors.New("it has no line with module")
	}
	if err != nil {
		return fmt.Errorf("%s is not a go.mod that the go command reads: %w", file, err)
	}
	d.source.dir, d.source.module = path.Dir(file), f.Module.Mod.Path
	d.source.url = repositoryURL(d.source.module)
	d.mains = d.findMains()
	var names []string
	for _, m := range d.mains {
		names = append(names, packagePath(m.dir, ""))
	}
	d.found("%s: module %s, main packages: %s", file, d.source.module, listed(names))
	return nil
}

// chooseModule returns the go.mod of the product: that of the root, or else the first of those
// nearest to it.
func (d *Draft) chooseModule() string {
	best := ""
	for _, f := range d.tree.files {
		if path.Base(f) != "go.mod" || f != "go.mod" && isAside(f) {
			continue
		}
		if best == "" || strings.Count(f, "/") < strings.Count(best, "/") {
			best = f
		}
	}
	return best
}

// findMains returns the main packages of the module and of modules within it, without those of
// directories for tests and tools.
func (d *Draft) findMains() []mainPackage {
	byDir := map[string][]string{}
	var inner []string // directories of other modules
	for _, f := range d.tree.files {
		dir, name := path.Split(f)
		rel, ok := within(path.Clean(dir), d.source.dir)
		switch {
		case !ok || isAside(rel) || strings.Contains("/"+rel, "/_"): // as the go command does
		case name == "go.mod" && rel != ".":
			inner = append(inner, rel)
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			byDir[rel] = append(byDir[rel], f)
		}
	}
	var all []mainPackage
	for dir, files := range byDir {
		m, ok := d.mainPackage(dir, files)
		if !ok {
			continue
		}
		for _, i := range inner {
			if _, ok := within(dir, i); ok && len(i) > len(m.module) {
				m.module = i
			}
		}
		all = append(all, m)
	}
	if slices.ContainsFunc(all, func(m mainPackage) bool { return !m.internal() }) {
		all = slices.DeleteFunc(all, mainPackage.internal)
	}
	slices.SortFunc(all, func(a, b mainPackage) int { return strings.Compare(a.dir, b.dir) })
	return all
}

// within returns a path relative to a directory that it is in.
func within(p, dir string) (string, bool) {
	switch dir {
	case p:
		return ".", true
	case ".":
		return p, true
	}
	return strings.CutPrefix(p, dir+"/")
}

// mainPackage reads the package clauses of a directory.
func (d *Draft) mainPackage(dir string, files []string) (m mainPackage, ok bool) {
	m = mainPackage{dir: dir, name: path.Base(dir)}
	if dir == "." {
		m.name = path.Base(strings.TrimSuffix(d.source.module, majorSuffix(d.source.module)))
	}
	for _, f := range files {
		onLinux, onWindows := d.builds(f, platform.Linux), d.builds(f, platform.Windows)
		if !onLinux && !onWindows {
			continue
		}
		if !ok {
			parsed, err := parser.ParseFile(token.NewFileSet(), f, d.tree.text(f), parser.PackageClauseOnly)
			if err != nil || parsed.Name.Name != "main" {
				return m, false
			}
			ok = true
		}
		m.linux, m.windows = m.linux || onLinux, m.windows || onWindows
	}
	return m, ok
}

func majorSuffix(p string) string {
	_, major, _ := module.SplitPathVersion(p)
	return major
}

// builds reports whether the go command takes a file for an operating system.
func (d *Draft) builds(file, os string) bool {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = os, "amd64", false
	c.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(string(d.tree.text(file)))), nil
	}
	ok, err := c.MatchFile(path.Split(file))
	return err == nil && ok
}

// repositoryURL returns the web page of a module's repository, "" if its path does not give one.
func repositoryURL(mod string) string {
	parts := strings.Split(mod, "/")
	switch {
	case len(parts) >= 3 && (parts[0] == "github.com" || parts[0] == "gitlab.com"):
		return "https://" + strings.Join(parts[:3], "/")
	case len(parts) >= 2 && parts[0] == "sigs.k8s.io":
		return "https://github.com/kubernetes-sigs/" + parts[1]
	case len(parts) >= 2 && parts[0] == "k8s.io":
		return "https://github.com/kubernetes/" + parts[1]
	}
	return ""
}

// listed names at most eight things.
func listed(names []string) string {
	switch n := len(names); {
	case n == 0:
		return "none"
	case n > 8:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:8], ", "), n-8)
	}
	return strings.Join(names, ", ")
}
