package run

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/regular"
)

// goModule is a module in the tree that was copied from a directory on disk.
type goModule struct {
	at   string // its directory in the tree
	dir  string // and on disk
	path string // of its go.mod
}

// module finds the module of a directory of the tree: its go.mod must come from a directory on
// disk, where the program is then compiled.
func (r *runner) module(dir string) goModule {
	for at := path.Clean(dir); ; at = path.Dir(at) {
		work := path.Join(at, "go.work")
		if v, _ := r.goVariable("GOWORK"); r.lstat(work) != nil && v != "off" {
			fail("%s: workspaces are not supported: set GOWORK=off, "+
				"or declare the program under programs in slipway.yaml and use COPY --from=binaries", work)
		}
		p := r.follow(path.Join(at, "go.mod"))
		switch n := r.lstat(p); {
		case n == nil && at == "/":
			fail("neither %s nor a directory above has a go.mod: COPY the module there", dir)
		case n == nil:
		case n.Origin == "":
			fail("%s does not come from a directory of the source: COPY the source with its go.mod as they are", p)
		default:
			return goModule{at: at, dir: filepath.Dir(n.Origin), path: modfile.ModulePath(must(regular.Read(n.Origin)))}
		}
	}
}

// maxModule bounds the files of a module.
const maxModule = 200_000

// same fails for files of the module in the tree that differ from those on disk: the program would
// be compiled without them.
func (m goModule) same(f tree.Files) {
	left := maxModule
	var visit func(dir string)
	visit = func(dir string) {
		for _, name := range must(f.ReadDir(dir)) {
			if left--; left < 0 {
				fail("the module has too many files")
			}
			p := path.Join(dir, name)
			n := must(f.Lstat(p))
			if n == nil || compiled(n) {
				continue
			}
			switch on := m.onDisk(p); {
			case n.Kind == layer.Dir:
				visit(p)
			case n.Kind == layer.Symlink && linksTo(on) == n.Link: // the source has it, too
			case n.Origin != on:
				fail("%s is not the file %s of the source, from which the program is compiled: put it into the "+
					"source, or declare the program under programs in slipway.yaml and use COPY --from=binaries", p, on)
			}
		}
	}
	visit(m.at)
}

// linksTo returns what a symbolic link on the disk leads to; "" if it is none.
func linksTo(file string) string {
	to, _ := os.Readlink(file)
	return filepath.ToSlash(to)
}

// onDisk returns where a path of the module is on disk.
func (m goModule) onDisk(p string) string {
	return filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(p, m.at)))
}

// packages returns the directories in the module, as "./cmd/x", that a word of go build names. Of
// a Go file, which is one of those listed, it is that of its package.
func (m goModule) packages(f tree.Files, dir, word string, listed []string) []string {
	rest, all := strings.CutSuffix(word, "...")
	var p string
	switch {
	case rest == "." || rest == ".." || strings.HasPrefix(rest, "./") || strings.HasPrefix(rest, "../") ||
		path.IsAbs(rest):
		if p = rest; !path.IsAbs(p) {
			p = path.Join(dir, p)
		}
	case rest == m.path || strings.HasPrefix(rest, m.path+"/"):
		p = path.Join(m.at, strings.TrimPrefix(rest, m.path))
	case strings.HasSuffix(rest, ".go"):
		p = path.Join(dir, rest)
	default:
		failAt(word, "RUN go build: package %s is not one of the module %s: write ./ and its directory", word, m.path)
	}
	if strings.HasSuffix(rest, ".go") {
		p = path.Dir(p)
		m.whole(p, listed)
	}
	rel, ok := strings.CutPrefix(path.Clean(p)+"/", strings.TrimSuffix(m.at, "/")+"/")
	if !ok {
		failAt(word, "RUN go build: %s is not in the module of %s", word, m.at)
	}
	rel = "./" + strings.TrimSuffix(rel, "/")
	if rel == "./" {
		rel = "."
	}
	if !all {
		return []string{rel}
	}
	return m.commands(f, rel)
}

// whole checks that the listed Go files are all of a package that there is, since the package is
// compiled.
func (m goModule) whole(p string, listed []string) {
	for _, e := range must(os.ReadDir(m.onDisk(p))) {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if !slices.ContainsFunc(listed, func(l string) bool { return path.Base(l) == name }) {
			failAt(listed[0], "RUN go build: %s alone is not a package, which has %s, too: name the directory",
				strings.Join(listed, " "), name)
		}
	}
}

// commands lists the main packages in a directory of the module and below it, as far as the stage
// has these directories.
func (m goModule) commands(f tree.Files, rel string) []string {
	var list []string
	top := filepath.Join(m.dir, filepath.FromSlash(rel))
	check(filepath.WalkDir(top, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		name := e.Name()
		_, nested := os.Stat(filepath.Join(p, "go.mod"))
		if p != top && (name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") ||
			strings.HasPrefix(name, "_") || nested == nil) {
			return filepath.SkipDir
		}
		sub := must(filepath.Rel(m.dir, p))
		if must(f.Lstat(path.Join(m.at, filepath.ToSlash(sub)))) == nil {
			return filepath.SkipDir
		}
		if isMain(p) {
			list = append(list, cmp.Or(map[bool]string{true: "."}[sub == "."], "./"+filepath.ToSlash(sub)))
		}
		return nil
	}))
	slices.Sort(list)
	return list
}
