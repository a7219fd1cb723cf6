package run

import (
	"go/build"
	"go/version"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/regular"
)

// goFiles checks that a stage has all files that the go command reads from the disk for a program:
// it would compile one that .dockerignore keeps from the stage, that nothing has copied, or that a
// RUN has removed.
type goFiles struct {
	module  goModule
	stage   tree.Files
	build   build.Context
	roots   map[string]string // directories of the modules in directories, by module path
	vendor  bool              // other modules are in vendor/
	checked map[string]bool   // directories of packages
}

// complete checks the packages of a go build, and all that they import, and adds the flags that the
// disk needs for files that the stage lacks.
func (r *runner) complete(m goModule, l *goLine, packages []string) {
	c := goFiles{
		module: m, stage: r.t, build: build.Default, roots: map[string]string{m.path: m.dir},
		checked: map[string]bool{},
	}
	c.build.GOOS, c.build.GOARCH, c.build.CgoEnabled, c.build.BuildTags = l.Platform.OS, l.Platform.Architecture, false,
		l.Tags
	c.readModule(l)
	for _, p := range packages {
		dir := filepath.Join(m.dir, filepath.FromSlash(p))
		c.have(filepath.Join(dir, "default.pgo"))
		c.directory(dir)
	}
}

// readModule reads go.mod for where imported packages are: in vendor, if the stage has that, in the
// directories of replacements, or in the module cache, which is the same for both.
func (c *goFiles) readModule(l *goLine) {
	name := filepath.Join(c.module.dir, "go.mod")
	f := must(modfile.Parse(name, must(regular.Read(name)), nil))
	c.have(filepath.Join(c.module.dir, "go.sum"))
	mod := ""
	for _, flag := range l.Flags {
		if v, ok := strings.CutPrefix(flag, "-mod="); ok {
			mod = v
		}
	}
	list := filepath.Join(c.module.dir, "vendor", "modules.txt")
	auto := mod == "" && (f.Go == nil || version.Compare("go"+f.Go.Version, "go1.14") >= 0) && exists(list)
	if auto && try(func() { c.have(list) }) != nil {
		l.Flags, auto = append(l.Flags, "-mod=readonly"), false // as without vendor
	}
	if c.vendor = auto || mod == "vendor"; c.vendor {
		c.have(list)
		return
	}
	for _, r := range f.Replace {
		if r.New.Version != "" {
			continue
		}
		if path.IsAbs(r.New.Path) {
			fail("%s replaces %s by %s, which is not supported in a stage: use a directory relative to it",
				name, r.Old.Path, r.New.Path)
		}
		c.roots[r.Old.Path] = filepath.Join(c.module.dir, filepath.FromSlash(r.New.Path))
		other := goModule{at: path.Join(c.module.at, r.New.Path), dir: c.roots[r.Old.Path]}
		if n, err := c.stage.Lstat(other.at); err == nil && n != nil {
			other.same(c.stage)
		}
	}
}

// have checks that the stage has a file of the disk, if that is there.
func (c *goFiles) have(file string) {
	if !exists(file) {
		return
	}
	rel := must(filepath.Rel(c.module.dir, file))
	p, n, err := tree.Resolve(c.stage, path.Join(c.module.at, filepath.ToSlash(rel)))
	check(err)
	if n == nil || n.Origin != file && !sameFile(n.Origin, file) {
		fail("%s is not in the stage, and the program is compiled from the source, which has it: "+
			"COPY it (.dockerignore may keep it out), or remove %s from the source", p, file)
	}
}

// sameFile reports whether two paths lead to one file: a link in the source, and what it leads to.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// directory checks a package and those that it imports.
func (c *goFiles) directory(dir string) {
	if c.checked[dir] {
		return
	}
	c.checked[dir] = true
	// the compiler reports errors in a package
	p, _ := c.build.ImportDir(dir, 0)
	for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.SysoFiles, p.InvalidGoFiles) {
		c.have(filepath.Join(dir, name))
	}
	for _, pattern := range p.EmbedPatterns {
		c.embedded(dir, pattern)
	}
	for _, imported := range p.Imports {
		c.imported(imported)
	}
}

// imported checks an imported package, unless it is of the standard library or the module cache.
func (c *goFiles) imported(name string) {
	dir, root := "", ""
	if c.vendor {
		dir = filepath.Join(c.module.dir, "vendor", filepath.FromSlash(name))
	}
	longest := ""
	for module, at := range c.roots {
		if rest, ok := strings.CutPrefix(name+"/", module+"/"); ok && len(module) > len(longest) {
			longest, dir, root = module, filepath.Join(at, filepath.FromSlash(rest)), at
		}
	}
	if dir == "" || !exists(dir) {
		return
	}
	if root != "" {
		c.have(filepath.Join(root, "go.mod"))
	}
	c.directory(dir)
}

// embedded checks the files that a pattern of a go:embed directive matches.
func (c *goFiles) embedded(dir, pattern string) {
	pattern, all := strings.CutPrefix(pattern, "all:")
	root := must(regular.OpenRoot(dir))
	defer root.Close()
	for _, top := range must(fs.Glob(root.FS(), path.Clean(pattern))) {
		start := filepath.Join(dir, filepath.FromSlash(top))
		check(filepath.WalkDir(start, func(p string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			hidden := !all && p != start && strings.IndexByte("._", e.Name()[0]) >= 0
			switch {
			case hidden && e.IsDir():
				return filepath.SkipDir
			case !hidden && !e.IsDir():
				c.have(p)
			}
			return nil
		}))
	}
}
