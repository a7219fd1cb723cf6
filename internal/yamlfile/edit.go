package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Editor replaces scalars of a file. Comments, order and formatting stay as they are.
type Editor struct {
	Scalars []Scalar // of all documents, in order; one that aliases repeat is listed at its anchor
	// Documents are the roots of all documents as they are written, with aliases and merge keys.
	Documents []*yaml.Node

	name  string
	src   []byte
	lines lineOffsets
	edits map[int]edit // by the index of the scalar
}

// Scalar is a scalar of a file: a value, an item or a key.
type Scalar struct {
	Pos   Pos
	Value string
	// Field is the key whose value this is; "" for an item of a list and for a key.
	Field string
	// String reports whether the value is text to every reader, not a number, boolean or null.
	String bool
	// Block reports whether it is written below its line, after | or >.
	Block bool

	tag string
}

// edit replaces n bytes at an offset. value is what a reader gets of the scalar then.
type edit struct {
	offset, n   int
	text, value string
}

// Edit opens a file for changes. Its name is for positions.
func Edit(name string, src []byte) (*Editor, error) {
	if !utf8.Valid(src) {
		return nil, fmt.Errorf("%s: not YAML in UTF-8", name)
	}
	scalars, documents, err := scan(name, src)
	if err != nil {
		if template := NotRendered(name, src); template != nil {
			return nil, template
		}
		return nil, err
	}
	return &Editor{
		name: name, src: src, Scalars: scalars, Documents: documents, lines: newLineOffsets(src),
		edits: map[int]edit{},
	}, nil
}

// scan lists the scalars and the documents of a file.
func scan(name string, src []byte) (all []Scalar, documents []*yaml.Node, err error) {
	defer Guard(name, &err)
	f := &File{Name: name}
	d := yaml.NewDecoder(bytes.NewReader(src))
	for {
		var doc yaml.Node
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return all, documents, nil
		case err != nil:
			f.syntax(src, err)
			return nil, nil, f.Err()
		}
		all = f.scalars(all, &doc, "")
		documents = append(documents, doc.Content...)
	}
}

func (f *File) scalars(all []Scalar, n *yaml.Node, field string) []Scalar {
	if n.Kind == yaml.ScalarNode {
		tag := n.ShortTag()
		all = append(all, Scalar{
			Pos: f.Pos(n), Value: n.Value, Field: field, String: tag == "!!str" || !strings.HasPrefix(tag, "!!"),
			Block: n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0, tag: n.Tag,
		})
	}
	for i, c := range n.Content {
		field := ""
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			field = n.Content[i-1].Value
		}
		all = f.scalars(all, c, field)
	}
	return all
}

// Replace replaces text, which is the value of the i-th scalar without the space around it. A
// file that does not have that text literally, as with escapes, is an error.
func (e *Editor) Replace(i int, text, replacement string) error {
	s := e.Scalars[i]
	offset, ok := findText(e.src, e.lines.offset(s.Pos), text)
	if !ok {
		return &Error{
			Pos:  s.Pos,
			Text: fmt.Sprintf("%s cannot be replaced in place: use a plain or quoted scalar without escapes", text),
		}
	}
	e.edits[i] = edit{offset, len(text), replacement, strings.Replace(s.Value, text, replacement, 1)}
	return nil
}

// Bytes returns the file with all replacements. The result is read again to make sure that every
// scalar has its wanted value.
func (e *Editor) Bytes() ([]byte, error) {
	var out bytes.Buffer
	end := 0
	inOrder := func(a, b edit) int { return a.offset - b.offset }
	for _, one := range slices.SortedFunc(maps.Values(e.edits), inOrder) {
		out.Write(e.src[end:one.offset])
		out.WriteString(one.text)
		end = one.offset + one.n
	}
	out.Write(e.src[end:])
	after, _, err := scan(e.name, out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("after replacing: %w", err)
	}
	same := len(after) == len(e.Scalars)
	for i := 0; same && i < len(after); i++ {
		want := e.Scalars[i].Value
		if one, ok := e.edits[i]; ok {
			want = one.value
		}
		same = after[i].Value == want && after[i].tag == e.Scalars[i].tag
	}
	if !same {
		return nil, fmt.Errorf("%s: values cannot be replaced in place: use plain scalars, one to a field", e.name)
	}
	return out.Bytes(), nil
}
