package program

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// batch is the programs that one go build makes.
type batch struct {
	programs []member
	store    *store.Store
	id       string // of its directory
	system   string
	packages []string // of the programs, each once
	flags    []string // for go build and go list
	work     string   // the name of its directory in the store's scratch space
	dir      string   // of its outputs: the path of that
	temp     string   // of commands in the sandbox: on the file system of the programs, for renaming them
}

// member is a program of a batch.
type member struct {
	Program

	path string // of the file that it is compiled into
}

// batches groups programs; the order of slipway.yaml is kept. Two packages with one last path
// element cannot share an output directory and so not a batch either.
func batches(st *store.Store, programs []Program) (all []*batch) {
	var groups [][]Program
	for _, p := range programs {
		at := slices.IndexFunc(groups, func(group []Program) bool {
			return group[0].key() == p.key() && !slices.ContainsFunc(group, func(o Program) bool {
				return o.built() == p.built() && o.Package != p.Package || o.Name == p.Name
			})
		})
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], p)
	}
	for _, group := range groups {
		all = append(all, newBatch(st, group))
	}
	return all
}

func newBatch(st *store.Store, programs []Program) *batch {
	first := programs[0]
	names := make([]string, 0, len(programs))
	for _, p := range programs {
		names = append(names, p.Name+"="+p.Package)
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(first.key() + strings.Join(names, " ")))
	b := &batch{
		store: st, system: first.System(), flags: first.arguments(),
		id: first.Tree.Source.Name + "-" + hex.EncodeToString(sum[:6]),
	}
	b.work = "go/" + b.id + "/" + strings.ReplaceAll(b.system, "/", "_")
	b.dir = st.WorkPath(b.work)
	b.temp = filepath.Join(b.dir, ".tmp")
	for _, p := range programs {
		b.programs = append(b.programs, member{p, filepath.Join(b.dir, p.output())})
	}
	b.packages = packages(b.programs)
	return b
}

// packages are those of programs, each once.
func packages(programs []member) (all []string) {
	for _, p := range programs {
		if !slices.Contains(all, p.Package) {
			all = append(all, p.Package)
		}
	}
	return all
}

// arguments are the flags of the program for go build and go list.
func (p Program) arguments() []string {
	args := []string{"-trimpath", "-buildvcs=false"}
	if p.Tree.Fixed {
		// Old go commands packed vendor/modules.txt into a module and nothing else of vendor/;
		// the go command would look for packages there.
		args = append(args, "-mod=readonly")
	}
	args = append(args, p.Flags...)
	if len(p.Ldflags) > 0 {
		args = append(args, "-ldflags="+strings.Join(p.Ldflags, " "))
	}
	return args
}

// built is the name the go command gives the program: the last element of its package's path, or
// the one before a major version.
func (p Program) built() string {
	full := path.Join(modulePath(p.Tree), path.Clean(p.Package))
	if base := path.Base(full); majorVersion.MatchString(base) && base != full {
		return path.Base(path.Dir(full))
	}
	return path.Base(full)
}

var majorVersion = lazyregexp.New(`^v([2-9]|[1-9][0-9]+)$`)

// modulePath is the import path of the tree's root.
func modulePath(tree source.Tree) string {
	if tree.Source.Module != "" {
		p, _, _ := strings.Cut(tree.Source.Module, "@")
		return p
	}
	b, err := regular.Read(filepath.Join(tree.Dir, "go.mod"))
	if err != nil {
		return "" // the go command will report it
	}
	return modfile.ModulePath(b)
}

// output is the file name the go command gives the program.
func (p Program) output() string {
	if p.Platform.OS == platform.Windows {
		return p.built() + ".exe"
	}
	return p.built()
}
