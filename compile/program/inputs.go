package program

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
)

// inputs names the files that a program is compiled from and that no hash in slipway.yaml or
// go.sum fixes: those of modules in directories. Paths are absolute, lists are sorted.
type inputs struct {
	// Dirs are directories of packages, and those in which a package of another module would be
	// found first, were they there.
	Dirs []string `json:"dirs"`
	// Files are go.mod, go.sum and vendor/modules.txt of the modules, and each go.mod that would
	// make a directory of them another module, were it there.
	Files  []string `json:"files"`
	Embeds []embed  `json:"embeds,omitempty"`
}

// embed is a pattern of a //go:embed directive.
type embed struct {
	Dir     string `json:"dir"` // of its package
	Pattern string `json:"pattern"`
}

// state is what the files were at one time, as two hashes.
type state struct {
	// Shape is of what decides which files the inputs are: names, build constraints, imports and
	// patterns to embed, go.mod. While it is the same, so are the inputs.
	Shape string `json:"shape"`
	// Content is of everything. While it is the same, so is the program.
	Content string `json:"content"`
}

// reading is one look at the files of programs, each of which it reads once.
type reading map[any]state

// note reads the inputs of a package, unless that fails.
func (c *comparison) note(look reading, pkg string, old compiled) {
	stamp := old.Inputs.stamp()
	if now, err := look.state(old.Inputs); err == nil {
		c.known[pkg] = known{old, now, stamp}
	}
}

// state returns the state of inputs. Missing files count as well: they may come.
func (g reading) state(i inputs) (state, error) {
	var all []state
	read := func(what any, do func(reader) error) error {
		s, ok := g[what]
		if !ok {
			r := reader{shape: sha256.New(), content: sha256.New()}
			if err := do(r); err != nil {
				return err
			}
			s = r.state()
			g[what] = s
		}
		all = append(all, s)
		return nil
	}
	for _, f := range i.Files {
		if err := read("file "+f, func(r reader) error { return r.file(f) }); err != nil {
			return state{}, err
		}
	}
	for _, d := range i.Dirs {
		if err := read("dir "+d, func(r reader) error { return r.dir(d) }); err != nil {
			return state{}, err
		}
	}
	for _, e := range i.Embeds {
		if err := read(e, func(r reader) error { return r.embed(e) }); err != nil {
			return state{}, err
		}
	}
	r := reader{shape: sha256.New(), content: sha256.New()}
	for _, s := range all {
		add(r.shape, []string{s.Shape})
		add(r.content, []string{s.Content})
	}
	return r.state(), nil
}

type reader struct{ shape, content hash.Hash }

func (r reader) state() state {
	return state{fmt.Sprintf("%x", r.shape.Sum(nil)), fmt.Sprintf("%x", r.content.Sum(nil))}
}

// both and only write fields to the hashes, each with its length.
func (r reader) both(fields ...string) {
	add(r.shape, fields)
	add(r.content, fields)
}

func (r reader) only(fields ...string) { add(r.content, fields) }

func add(to io.Writer, fields []string) {
	for _, f := range fields {
		fmt.Fprintf(to, "%d %s\n", len(f), f)
	}
}

// bytes adds a file to the hash of contents by its own hash.
func (r reader) bytes(f io.Reader) error {
	h := sha256.New()
	_, err := io.Copy(h, f)
	r.only(string(h.Sum(nil)))
	return err
}

func (r reader) file(name string) error {
	b, err := regular.Read(name)
	switch fi, wrong := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		r.both(name, "absent")
	case wrong == nil && !fi.Mode().IsRegular():
		r.both(name, fi.Mode().Type().String())
	case err != nil:
		return err
	default:
		r.both(name, string(b))
	}
	return nil
}

// inputNames are the ends of the names of files that the go command takes into a package
// (https://pkg.go.dev/go/build#Package), and the profile of a main package.
var inputNames = []string{
	".go", ".s", ".S", ".sx", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f",
	".F", ".for", ".f90", ".swig", ".swigcxx", ".syso", ".pgo",
}

// dir reads a package, whatever its files are for: a change of flags is another program, and one
// of a file that this platform lacks costs a look of the go command.
func (r reader) dir(dir string) error {
	r.both(dir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.both("absent")
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(inputNames, path.Ext(e.Name())) {
			continue
		}
		file := filepath.Join(dir, e.Name())
		fi, err := os.Stat(file)
		if err != nil || !fi.Mode().IsRegular() {
			r.both(e.Name(), "no file") // nor is it one for the go command
			continue
		}
		b, err := regular.Read(file)
		if err != nil {
			return err
		}
		switch {
		case strings.HasSuffix(e.Name(), "_test.go"):
			r.both(e.Name(), header(b))
			continue
		case path.Ext(e.Name()) == ".go":
			add(r.shape, []string{e.Name(), header(b)})
			r.only(e.Name())
		default:
			r.both(e.Name())
		}
		if err := r.bytes(bytes.NewReader(b)); err != nil {
			return err
		}
	}
	return nil
}

// header returns at least those parts of a file by which the go command finds the files of a
// program: everything up to the last import, and the patterns to embed.
func header(b []byte) string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", b, parser.ImportsOnly|parser.SkipObjectResolution)
	if err != nil {
		return string(b)
	}
	end := f.Name.End()
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			end = g.End()
		}
	}
	at := fset.PositionFor(end, false).Offset
	text := string(b[:at])
	if !bytes.Contains(b, []byte("go:embed")) {
		return text
	}
	for line := range bytes.Lines(b[at:]) {
		if bytes.Contains(line, []byte("go:embed")) {
			text += string(line)
		}
	}
	return text
}

// embed reads what a pattern matches.
func (r reader) embed(e embed) error {
	r.only(e.Dir, e.Pattern)
	return e.visit(func(tree fs.FS, _, name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		r.only(name, d.Type().String())
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := tree.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return r.bytes(f)
	})
}

// visit calls do for what the pattern matches, directories with all that is in them. top is what
// has matched.
func (e embed) visit(do func(tree fs.FS, top, name string, d fs.DirEntry, err error) error) error {
	root, err := regular.OpenRoot(e.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	tree := root.FS()
	found, err := fs.Glob(tree, path.Clean(strings.TrimPrefix(e.Pattern, "all:")))
	if err != nil {
		return err
	}
	for _, top := range found {
		err := fs.WalkDir(tree, top, func(name string, d fs.DirEntry, err error) error {
			return do(tree, top, name, d, err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
