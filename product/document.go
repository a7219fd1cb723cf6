package product

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// document is a YAML file while it is checked: where each of its values stands, and what is wrong
// with it.
type document struct {
	mistakes

	file string
	// places knows a value by the address of the Go variable it was decoded into.
	places map[any]place
	// texts are the strings in free-form values.
	texts []text
	nodes int // visited, an alias's again at each use
}

// place is where a value stands, and its key.
type place struct {
	key, value *yaml.Node
	bad        bool // the value could not be decoded, which has been reported
}

type text struct {
	pos   Pos
	value string
}

// entry is the address of a map's entry, for places.
type entry struct {
	of  any // the address of the map
	key string
}

// newDocument reads YAML into v, a pointer to a struct. What is wrong stands in the document.
func newDocument(file string, b []byte, v any) *document {
	d := &document{file: file, places: map[any]place{}}
	if checkText(&d.mistakes, file, b); len(d.mistakes) > 0 {
		return d
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var root, second yaml.Node
	switch err := dec.Decode(&root); {
	case errors.Is(err, io.EOF):
		d.at(Pos{file, 1, 1}, "the file is empty: start with apiVersion: %s", APIVersion)
		return d
	case err != nil:
		d.syntax(b, err)
		return d
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		d.at(d.pos(second.Content[0]), "a second YAML document stands here: move it to a file of its own")
	case !errors.Is(err, io.EOF):
		d.syntax(b, err)
	}
	d.decode(root.Content[0], v)
	return d
}

// syntaxError is what the YAML parser says. Its lines count from 1.
var (
	syntaxError   = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

func (d *document) syntax(b []byte, err error) {
	line := 1
	text := err.Error()
	if m := syntaxError.FindStringSubmatch(text); m != nil {
		text = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
	}
	if m := unknownAnchor.FindStringSubmatch(text); m != nil {
		line = 1 + bytes.Count(b[:max(0, bytes.Index(b, []byte("*"+m[1])))], []byte("\n"))
		d.at(Pos{d.file, line, firstColumn(b, line)}, "there is no anchor &%s before this alias: add it, or put a text that starts with * in quotes", m[1])
		return
	}
	d.at(Pos{d.file, line, firstColumn(b, line)}, "this is not YAML (%s): look at indentation, quotes and colons here and just above", text)
}

func (d *document) pos(n *yaml.Node) Pos { return Pos{d.file, n.Line, n.Column} }

// errorf reports a mistake in the value that was decoded to the address ptr.
func (d *document) errorf(ptr any, format string, args ...any) {
	d.at(d.where(ptr), format, args...)
}

// keyErrorf reports a mistake in a key of the map at the address of.
func (d *document) keyErrorf(of any, key, format string, args ...any) {
	d.at(d.pos(d.places[entry{of, key}].key), format, args...)
}

// where returns the position of a value.
func (d *document) where(ptr any) Pos {
	if p, ok := d.places[ptr]; ok {
		return d.pos(p.value)
	}
	return Pos{d.file, 1, 1}
}

// given reports whether the file has the value.
func (d *document) given(ptr any) bool {
	_, ok := d.places[ptr]
	return ok
}

// bad reports whether the value could not be decoded.
func (d *document) bad(ptr any) bool { return d.places[ptr].bad }

// entryErrorf reports a mistake in the value of a map's entry.
func (d *document) entryErrorf(of any, key, format string, args ...any) {
	d.errorf(entry{of, key}, format, args...)
}
