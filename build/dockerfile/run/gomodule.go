package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
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
func (r *runner) module(dir string) (goModule, error) {
	for at := path.Clean(dir); ; at = path.Dir(at) {
		work, err := r.t.Lstat(path.Join(at, "go.work"))
		if err != nil {
			return goModule{}, err
		}
		if v, _ := r.variable("GOWORK"); work != nil && v != "off" {
			return goModule{}, fmt.Errorf("%s: workspaces are not known here: set GOWORK=off, or declare the program under programs in slipway.yaml and use COPY --from=binaries", path.Join(at, "go.work"))
		}
		p, n, err := tree.Resolve(r.t, path.Join(at, "go.mod"))
		if err != nil {
			return goModule{}, err
		}
		if n == nil {
			if at == "/" {
				return goModule{}, fmt.Errorf("there is no go.mod in %s or above it: COPY the module there", dir)
			}
			continue
		}
		if n.Origin == "" {
			return goModule{}, fmt.Errorf("%s does not come from a directory of the source: COPY the source with its go.mod as they are", p)
		}
		b, err := regular.Read(n.Origin)
		if err != nil {
			return goModule{}, err
		}
		return goModule{at: at, dir: filepath.Dir(n.Origin), path: modfile.ModulePath(b)}, nil
	}
}

// maxModule bounds the files of a module.
const maxModule = 200_000

// same reports files of the module in the tree that differ from those on disk: the program would
// be compiled without them.
func (m goModule) same(f tree.Files, dir string, left *int) error {
	names, err := f.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if *left--; *left < 0 {
			return errors.New("the module has too many files")
		}
		p := path.Join(dir, name)
		n, err := f.Lstat(p)
		switch {
		case err != nil:
			return err
		case n == nil || compiled(n):
			continue
		case n.Kind == layer.Dir:
			if err := m.same(f, p, left); err != nil {
				return err
			}
			continue
		}
		on := filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(p, m.at)))
		if n.Origin != on {
			return fmt.Errorf("%s is not the file %s of the source, from which the program is compiled: put it into the source, or declare the program under programs in slipway.yaml and use COPY --from=binaries", p, on)
		}
	}
	return nil
}

// packages returns the directories in the module, as "./cmd/x", that a word of go build names. Of
// a Go file, which is one of those listed, it is that of its package.
func (m goModule) packages(f tree.Files, dir, word string, listed []string) ([]string, error) {
	rest, all := strings.CutSuffix(word, "...")
	var p string
	switch {
	case rest == "." || rest == ".." || strings.HasPrefix(rest, "./") || strings.HasPrefix(rest, "../") || path.IsAbs(rest):
		if p = rest; !path.IsAbs(p) {
			p = path.Join(dir, p)
		}
	case rest == m.path || strings.HasPrefix(rest, m.path+"/"):
		p = path.Join(m.at, strings.TrimPrefix(rest, m.path))
	case strings.HasSuffix(rest, ".go"):
		p = path.Join(dir, rest)
	default:
		return nil, mistake.At(word, "RUN go build: package %s is not one of the module %s: write ./ and its directory", word, m.path)
	}
	if strings.HasSuffix(rest, ".go") {
		if err := m.whole(path.Dir(p), listed); err != nil {
			return nil, err
		}
		p = path.Dir(p)
	}
	rel, ok := strings.CutPrefix(path.Clean(p)+"/", strings.TrimSuffix(m.at, "/")+"/")
	if !ok {
		return nil, mistake.At(word, "RUN go build: %s is not in the module of %s", word, m.at)
	}
	rel = "./" + strings.TrimSuffix(rel, "/")
	if rel == "./" {
		rel = "."
	}
	if !all {
		return []string{rel}, nil
	}
	return m.commands(f, rel)
}

// whole checks that the listed Go files are all of a package that there is, since the package is
// compiled.
func (m goModule) whole(p string, listed []string) error {
	list, err := os.ReadDir(filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(p, m.at))))
	if err != nil {
		return err
	}
	for _, e := range list {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if !slices.ContainsFunc(listed, func(l string) bool { return path.Base(l) == name }) {
			return mistake.At(listed[0], "RUN go build: %s alone is not a package, which has %s, too: name the directory", strings.Join(listed, " "), name)
		}
	}
	return nil
}

// commands lists the main packages in a directory of the module and below it, as far as the stage
// has these directories.
func (m goModule) commands(f tree.Files, rel string) ([]string, error) {
	var list []string
	top := filepath.Join(m.dir, filepath.FromSlash(rel))
	err := filepath.WalkDir(top, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		name := e.Name()
		_, nested := os.Stat(filepath.Join(p, "go.mod"))
		if p != top && (name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || nested == nil) {
			return filepath.SkipDir
		}
		sub, err := filepath.Rel(m.dir, p)
		if err != nil {
			return err
		}
		if n, err := f.Lstat(path.Join(m.at, filepath.ToSlash(sub))); err != nil || n == nil {
			return cmp.Or(err, filepath.SkipDir)
		}
		main, err := isMain(p)
		if err == nil && main {
			list = append(list, cmp.Or(map[bool]string{true: "."}[sub == "."], "./"+filepath.ToSlash(sub)))
		}
		return err
	})
	slices.Sort(list)
	return list, err
}
