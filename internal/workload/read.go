package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Bounds on a manifest; the largest ones in use have a tenth of this.
const (
	maxFile  = 16 << 20 // bytes
	maxNodes = 1 << 20  // values of a file, those that aliases repeat included
	maxText  = 64 << 20 // bytes of a file's values, those that aliases repeat included
	maxDepth = 200
	maxWrong = 200 // errors of a file; nobody reads more
)

// ReadFile reads a manifest from a file; "-" is standard input.
func ReadFile(path string) ([]Object, error) {
	in, name := io.Reader(os.Stdin), "standard input"
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, name = f, path
	}
	b, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return Read(name, b)
}

// Read reads a manifest of any number of YAML documents; file is its name for messages. It
// returns the objects that can be read, in their order, and of all that is wrong an [Error] each,
// joined.
func Read(file string, text []byte) (objects []Object, err error) {
	defer Guard(file, &err)
	r := &reader{file: file}
	malformed := r.read(text, func(n *yaml.Node) { r.object(n, "", "", "") })
	if template := NotRendered(file, text); malformed && template != nil {
		return nil, errors.Join(template)
	}
	return r.objects, r.err()
}

// Syntax returns what keeps a text from being YAML of plain fields, whatever objects it has.
func Syntax(file string, text []byte) (err error) {
	defer Guard(file, &err)
	r := &reader{file: file}
	r.read(text, func(*yaml.Node) {})
	return r.err()
}

// read calls each for every document, and reports whether one of them is not YAML of plain fields.
func (r *reader) read(text []byte, each func(*yaml.Node)) (malformed bool) {
	file := r.file
	switch n := invalid(text); {
	case len(text) > maxFile:
		r.at(Pos{file, 1, 1}, "the file has more than %d MiB: is it the right one?", maxFile>>20)
		return false
	case n >= 0:
		line := 1 + bytes.Count(text[:n], []byte("\n"))
		column := 1 + utf8.RuneCount(text[1+bytes.LastIndexByte(text[:n], '\n'):n])
		r.at(Pos{file, line, column}, "byte 0x%02x is not UTF-8: save the file as UTF-8", text[n])
		return false
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return malformed
		}
		if err != nil {
			r.syntax(text, err)
			return true
		}
		n, err := r.document(&doc)
		switch {
		case err != nil:
			r.errs, malformed = append(r.errs, err), true
		case n != nil:
			each(n)
		}
	}
}

// reader gathers the objects of a file and what is wrong in it.
type reader struct {
	file    string
	nodes   int // values so far, as maxNodes counts them
	text    int // their bytes, as maxText counts them
	objects []Object
	errs    []error
}

func (r *reader) at(p Pos, format string, args ...any) {
	if len(r.errs) < maxWrong {
		r.errs = append(r.errs, errorAt(p, format, args...))
	}
}

func (r *reader) err() error { return errors.Join(r.errs...) }

// document returns a document's value with aliases put in, nil where it has none.
func (r *reader) document(doc *yaml.Node) (*yaml.Node, error) {
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	return r.expand(root)
}

// object reads the object at n, or the items of a list. What an item of a typed list does not say
// of itself comes from the list.
func (r *reader) object(n *yaml.Node, path, apiVersion, kind string) {
	if n.Kind != yaml.MappingNode {
		r.at(pos(r.file, n), "%sthis is no Kubernetes object: start with apiVersion, kind and metadata", prefix(path))
		return
	}
	o := Object{File: r.file, Path: path, Node: n, APIVersion: text(n, "apiVersion"), Kind: text(n, "kind")}
	if o.APIVersion == "" && o.Kind == "" {
		o.APIVersion, o.Kind = apiVersion, kind
	}
	if items := value(n, "items"); items != nil && items.Kind == yaml.SequenceNode && isList(o.APIVersion, o.Kind) {
		apiVersion, kind = o.APIVersion, strings.TrimSuffix(o.Kind, "List")
		if kind == "" {
			apiVersion = ""
		}
		for i, item := range items.Content {
			r.object(item, join(path, "items", i), apiVersion, kind)
		}
		return
	}
	o.Namespace = text(n, "metadata", "namespace")
	if o.Name = text(n, "metadata", "name"); o.Name == "" {
		o.Name = text(n, "metadata", "generateName")
	}
	for _, f := range []struct{ name, value string }{{"apiVersion", o.APIVersion}, {"kind", o.Kind}, {"metadata.name", o.Name}} {
		if f.value == "" {
			r.at(o.Pos(), "%sthis is no Kubernetes object: %s is missing", prefix(path), f.name)
			return
		}
	}
	pod, errs := readPod(o)
	for _, err := range errs {
		if len(r.errs) < maxWrong {
			r.errs = append(r.errs, err)
		}
	}
	if len(errs) == 0 {
		o.Pod = pod
		r.objects = append(r.objects, o)
	}
}

// isList reports whether items are objects: of a v1 List, or of such as DeploymentList.
func isList(apiVersion, kind string) bool {
	if kind == "List" {
		return apiVersion == "v1"
	}
	_, known := makers[gvk{apiVersion, strings.TrimSuffix(kind, "List")}]
	return known && strings.HasSuffix(kind, "List")
}

// syntaxError is what the YAML parser says.
var syntaxError = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

func (r *reader) syntax(b []byte, err error) {
	line, what := 1, err.Error()
	if m := syntaxError.FindStringSubmatch(what); m != nil {
		what = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = min(n, 1+bytes.Count(b, []byte("\n")))
		}
	}
	r.at(Pos{r.file, line, 1}, "this is not YAML (%s): look at indentation, quotes and colons here and just above", what)
}

// invalid returns the first byte that is no UTF-8, or -1.
func invalid(b []byte) int {
	for n := 0; n < len(b); {
		c, size := utf8.DecodeRune(b[n:])
		if c == utf8.RuneError && size == 1 {
			return n
		}
		n += size
	}
	return -1
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}
