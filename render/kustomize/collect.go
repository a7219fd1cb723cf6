package kustomize

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Bounds of a kustomization, far beyond real ones.
const (
	maxFile  = 16 << 20
	maxFiles = 10_000
	maxBytes = 256 << 20
	maxDepth = 50 // of bases
)

// fileNames are what kustomize calls a kustomization
// (https://pkg.go.dev/sigs.k8s.io/kustomize/api/konfig#RecognizedKustomizationFileNames).
var fileNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

var options = yamlfile.Options{
	MaxBytes: maxFile, MaxValues: 1 << 20, MaxText: 64 << 20, MaxDepth: 200, MergeKeys: true,
	Stream: true,
}

// collector gathers the files of a kustomization.
type collector struct {
	yamlfile.Errors

	root    *regular.Root
	options Options
	files   map[string][]byte // by path in the tree
	noted   []byte            // the first kustomization, if it asks for origins; nil: unchanged
	order   []string
	bytes   int
	seen    map[string]bool // directories of kustomizations
	parsed  map[string]*yamlfile.File
	within  []string // directories from the first to this one
}

// remote matches what kustomize takes for an address rather than a path: an URL, a repository on
// GitHub, or USER@HOST:PATH. Some matches are not accepted by kustomize's parser.
var remote = lazyregexp.New(`(?i)^(?:[a-z][a-z0-9+.-]*:|github\.com[/:]|[a-z][a-z0-9-]*@)`)

// collect reads all files of the kustomization in dir, and returns its own file, too.
func collect(tree, dir string, o Options) (c *collector, file string, err error) {
	root, err := regular.OpenRoot(tree)
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", tree, err)
	}
	defer root.Close()
	if o.Name == nil {
		o.Name = func(file string) string { return file }
	}
	c = &collector{root: root, options: o, files: map[string][]byte{}, seen: map[string]bool{}}
	return c, c.kustomization(path.Clean(dir), o.At, nil), nil
}

// kustomization reads the kustomization in a directory, which an entry at a position names, and
// all files that it names, and returns its file.
func (c *collector) kustomization(dir string, at yamlfile.Pos, entry *yaml.Node) string {
	if c.seen[dir] && entry != nil { // kustomize reports cycles
		return ""
	}
	c.seen[dir] = true
	if len(c.within) == maxDepth {
		c.At(at, "%s: kustomizations nest deeper than %d", dir, maxDepth)
		return ""
	}
	var found []string
	for _, name := range fileNames {
		if fi, err := c.root.Stat(path.Join(dir, name)); err == nil && fi.Mode().IsRegular() {
			found = append(found, path.Join(dir, name))
		}
	}
	switch len(found) {
	case 0:
		c.At(at, "%s has no kustomization.yaml: name a directory that has one", c.options.Name(dir))
		return ""
	case 1:
	default:
		c.At(at, "%s has %s: keep one", c.options.Name(dir),
			strings.Join([]string{path.Base(found[0]), path.Base(found[1])}, " and "))
		return ""
	}
	file := found[0]
	if !c.read(file, at) {
		return ""
	}
	f := yamlfile.Read(c.options.Name(file), c.files[file], options)
	c.Errors = append(c.Errors, f.Errors...)
	if len(f.Documents) == 0 {
		return file
	}
	c.within = append(c.within, dir)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	w := &walker{collector: c, file: f, dir: dir}
	w.refuse(f.Documents[0])
	w.deprecated(f.Documents[0])
	w.fields(f.Documents[0], kustomizationFields)
	return file
}

// read puts a file of the tree into memory. An error is reported at a position.
func (c *collector) read(file string, at yamlfile.Pos) bool {
	if _, ok := c.files[file]; ok {
		return true
	}
	text, err := c.readAll(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.At(at, "%s is missing: correct the path, which starts in the directory of the "+
			"kustomization", c.options.Name(file))
	case err != nil && strings.Contains(err.Error(), "escapes"):
		c.At(at, "%s leads by a symbolic link out of the files of the product: put a copy there", c.options.Name(file))
	case err != nil:
		c.At(at, "reading %s: %v", c.options.Name(file), errors.Unwrap(err))
	case len(text) > maxFile || len(c.files) == maxFiles || c.bytes+len(text) > maxBytes:
		c.At(at, "%s: a kustomization has at most %d files of %d MiB, and %d MiB in all", c.options.Name(file),
			maxFiles, maxFile>>20, maxBytes>>20)
	default:
		c.bytes += len(text)
		c.files[file] = text
		c.order = append(c.order, file)
		return true
	}
	return false
}

// parse reads a file of YAML once: a kustomization may name it a thousand times.
func (c *collector) parse(file string) *yamlfile.File {
	if c.parsed == nil {
		c.parsed = map[string]*yamlfile.File{}
	}
	f, ok := c.parsed[file]
	if !ok {
		f = yamlfile.Read(c.options.Name(file), c.files[file], options)
		c.parsed[file] = f
	}
	return f
}

func (c *collector) readAll(file string) ([]byte, error) {
	f, err := c.root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}
