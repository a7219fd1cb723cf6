// Package yamlfile reads YAML that people write, strictly and with positions.
//
// [Read] turns a file into trees of [yaml.Node] in which aliases and merge keys are resolved and
// every key is unique. [Decode] fills a Go struct from one document and remembers where each
// value came from. [Edit] replaces scalars and leaves every other byte of the file as it is.
//
// Errors are collected: a reader reports everything that is wrong with a file, each with file,
// line and column ([Errors]). [Options] bound what a hostile file can make a reader do.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Options say which files a format allows. The bounds should be far beyond real files.
type Options struct {
	MaxBytes  int // size of the file
	MaxValues int // values of the file; a value counts again for each alias that repeats it
	MaxText   int // bytes of the values of the file, counted like MaxValues
	MaxDepth  int // how deep values nest

	// MergeKeys resolves the key "<<"; otherwise it is an error.
	MergeKeys bool
	// Stream allows any number of documents; otherwise the file must have exactly one.
	Stream bool
	// Start is the remedy for an empty file: "start with apiVersion: v1". Unused with Stream.
	Start string
}

// File is a YAML file that has been read.
type File struct {
	Errors // in Documents or in the text itself

	Name string
	// Documents are the roots of the documents that are not empty, without aliases and merge
	// keys. A document with errors is missing if Stream is set, and otherwise present without the
	// keys that are in error.
	Documents []*yaml.Node
	// Malformed reports whether a document is not YAML of unique plain keys; then a template that
	// was not rendered is a likely reason ([NotRendered]).
	Malformed bool
}

// Read reads a file. The name is for positions.
func Read(name string, text []byte, o Options) *File {
	f := &File{Name: name}
	if !f.CheckText(name, text, o.MaxBytes) {
		return f
	}
	if err := (&Size{}).Add(name, text); err != nil {
		f.Errors = append(f.Errors, err.(*Error)) //nolint:errorlint // Add makes no other
		return f
	}
	f.documents(text, o)
	f.Malformed = len(f.Errors) > 0
	return f
}

func (f *File) documents(text []byte, o Options) {
	var err error
	defer func() {
		if err != nil {
			f.Errors = append(f.Errors, err.(*Error)) //nolint:errorlint // Guard makes no other
		}
	}()
	defer Guard(f.Name, &err)
	e := &expander{file: f, options: o, done: map[*yaml.Node]size{}, within: map[*yaml.Node]bool{}}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for n := 0; ; n++ {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			if n == 0 && !o.Stream {
				f.At(Pos{f.Name, 1, 1}, "the file is empty: %s", o.Start)
			}
			return
		case err != nil:
			f.syntax(text, err)
			return
		case n > 0 && !o.Stream:
			f.At(f.Pos(doc.Content[0]), "a second YAML document starts here: move it to a file of its own")
			return
		}
		f.document(e, &doc)
	}
}

// document adds the root of a document. In a stream, errors in one document leave the others.
func (f *File) document(e *expander, doc *yaml.Node) {
	if len(doc.Content) == 0 || e.options.Stream && doc.Content[0].Tag == "!!null" {
		return
	}
	before := len(f.Errors)
	root, ok := e.root(doc.Content[0])
	if ok && (len(f.Errors) == before || !e.options.Stream) {
		f.Documents = append(f.Documents, root)
	}
}

// Pos returns the position of a value of the file.
func (f *File) Pos(n *yaml.Node) Pos { return Pos{f.Name, max(n.Line, 1), max(n.Column, 1)} }

// These match messages of the YAML parser, whose lines count from 1.
var (
	syntaxError   = lazyregexp.New(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)
	unknownAnchor = lazyregexp.New(`^unknown anchor '(.*)' referenced$`)
)

// syntax reports an error of the parser, which knows the line at most.
func (f *File) syntax(text []byte, err error) {
	line, what := 1, err.Error()
	if m := syntaxError.FindStringSubmatch(what); m != nil {
		what = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = min(n, 1+bytes.Count(text, []byte("\n")))
		}
	}
	if m := unknownAnchor.FindStringSubmatch(what); m != nil {
		line = 1 + bytes.Count(text[:max(0, bytes.Index(text, []byte("*"+m[1])))], []byte("\n"))
		f.At(Pos{f.Name, line, firstColumn(text, line)},
			"the anchor &%s is missing before this alias: add it, or put a text that starts with * in quotes", m[1])
		return
	}
	f.At(Pos{f.Name, line, firstColumn(text, line)},
		"this is not YAML (%s): look at indentation, quotes and colons here and just above", what)
}

// firstColumn returns the column of the first character of a line that is not a space.
func firstColumn(b []byte, line int) int {
	for range line - 1 {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	b, _, _ = bytes.Cut(b, []byte("\n"))
	return len(b) - len(bytes.TrimLeft(b, " \t")) + 1
}

// Guard turns a panic into an error about the file that is read, an [*Error]. Defer it around
// YAML parsers: they panic on some texts that they should refuse.
func Guard(file string, err *error) {
	if r := recover(); r != nil {
		*err = newError(Pos{file, 1, 1},
			fmt.Sprintf("this is not YAML that can be read (%v): look at indentation, quotes and colons", r))
	}
}
