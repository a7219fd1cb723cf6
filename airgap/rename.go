package airgap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/transfer"
)

// scalar is a value in a stream of YAML documents.
type scalar struct {
	*yaml.Node
	image bool // it is the value of a field named image
}

// rename replaces every scalar of src that is a reference to an image of the bundle by its new name,
// in place: comments, order and formatting are those of src. The error has all references to images
// that the bundle lacks.
func rename(src []byte, to *renamer) (*release, error) {
	if !utf8.Valid(src) {
		return nil, errors.New("not YAML in UTF-8")
	}
	docs, err := parseYAML(src)
	if err != nil {
		if bytes.Contains(src, []byte("{{")) {
			err = fmt.Errorf("%w: render a Helm template with helm template first", err)
		}
		return nil, err
	}
	var errs []error
	var edits []edit
	r := &release{}
	renamed := map[int]string{} // number of the scalar → its new value
	pins := map[string]bool{}
	at := newOffsets(src)
	for n, s := range scalars(docs) {
		text := strings.TrimSpace(s.Value)
		block := s.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
		if text != s.Value && !block || strings.HasPrefix(s.ShortTag(), "!!") && s.ShortTag() != "!!str" {
			text = "" // no reference has spaces, or is a number
		}
		ref, err := to.reference(text, s.image)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("line %d: %w", s.Line, err))
			continue
		case ref == nil:
			if have := to.within(s.Value); have != "" {
				r.Untouched = append(r.Untouched, fmt.Sprintf("line %d: text with %s in it", s.Line, have))
			}
			continue
		}
		off, ok := findScalar(src, at.of(s.Line, s.Column), text)
		if !ok {
			errs = append(errs, fmt.Errorf("line %d: %s cannot be renamed in place: use a plain or quoted scalar", s.Line, text))
			continue
		}
		edits = append(edits, edit{off, len(text), ref.text})
		renamed[n] = strings.Replace(s.Value, text, ref.text, 1)
		if !pins[ref.pin.Ref.Name()] {
			pins[ref.pin.Ref.Name()] = true
			r.pins = append(r.pins, ref.pin)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	r.References, r.bytes = len(edits), apply(src, edits)
	return r, checkRenamed(docs, r.bytes, renamed)
}

func parseYAML(src []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser should refuse what it panics on
			docs, err = nil, fmt.Errorf("not YAML: %v", r)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(src))
	for {
		var n yaml.Node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("not YAML: %w", err)
		}
		docs = append(docs, &n)
	}
}

// scalars lists the scalars of all documents in order. Those of an alias are listed where its anchor
// is.
func scalars(docs []*yaml.Node) (all []scalar) {
	var visit func(n *yaml.Node, image bool)
	visit = func(n *yaml.Node, image bool) {
		if n.Kind == yaml.ScalarNode {
			all = append(all, scalar{n, image})
		}
		for i, c := range n.Content {
			visit(c, n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "image")
		}
	}
	for _, d := range docs {
		visit(d, false)
	}
	return all
}

// edit replaces n bytes at an offset.
type edit struct {
	at, n int
	text  string
}

func apply(src []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.at - b.at })
	var out bytes.Buffer
	end := 0
	for _, e := range edits {
		out.Write(src[end:e.at])
		out.WriteString(e.text)
		end = e.at + e.n
	}
	out.Write(src[end:])
	return out.Bytes()
}

// checkRenamed checks that out differs from the documents only in the scalars that were renamed.
func checkRenamed(docs []*yaml.Node, out []byte, renamed map[int]string) error {
	again, err := parseYAML(out)
	if err != nil {
		return fmt.Errorf("renaming: %w", err)
	}
	before, after := scalars(docs), scalars(again)
	same := len(before) == len(after)
	for n := 0; same && n < len(before); n++ {
		want, changed := renamed[n]
		if !changed {
			want = before[n].Value
		}
		same = after[n].Value == want && after[n].Tag == before[n].Tag && after[n].image == before[n].image
	}
	if !same {
		return errors.New("the references cannot be renamed in place: use plain or quoted scalars, one per field")
	}
	return nil
}

// inFile names a file in each problem of err.
func inFile(path string, err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, fmt.Errorf("%s: %w", path, e))
		}
		return errors.Join(all...)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// offsets finds bytes by the lines and columns of a YAML parser.
type offsets struct {
	src   []byte
	lines []int
}

// newOffsets finds where lines begin; YAML has more line breaks than \n.
func newOffsets(src []byte) offsets {
	o := offsets{src: src, lines: []int{0}}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		o.lines[0] = len("\ufeff") // a mark that parsers ignore
	}
	for i := 0; i < len(src); {
		c, n := utf8.DecodeRune(src[i:])
		i += n
		if c == '\r' && i < len(src) && src[i] == '\n' {
			i++
		}
		switch c {
		case '\n', '\r', '\u0085', '\u2028', '\u2029':
			o.lines = append(o.lines, i)
		}
	}
	return o
}

// of returns the offset of a line and a column, both of which count from 1; columns are characters.
func (o offsets) of(line, column int) int {
	if line < 1 || line > len(o.lines) {
		return len(o.src)
	}
	at := o.lines[line-1]
	for range column - 1 {
		_, n := utf8.DecodeRune(o.src[min(at, len(o.src)):])
		at += n
	}
	return min(at, len(o.src))
}

// findScalar finds the text of a scalar that begins at an offset with its anchor, tag, quote or block
// indicator.
func findScalar(src []byte, at int, text string) (int, bool) {
	skip := func(f func(byte) bool) {
		for at < len(src) && f(src[at]) {
			at++
		}
	}
	space := func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
	for at < len(src) && (src[at] == '&' || src[at] == '!') {
		skip(func(c byte) bool { return !space(c) })
		skip(space)
	}
	if at == len(src) {
		return 0, false
	}
	switch src[at] {
	case '"', '\'':
		quote := src[at]
		at++
		end := at + len(text)
		return at, end < len(src) && string(src[at:end]) == text && src[end] == quote
	case '|', '>':
		skip(func(c byte) bool { return c != '\n' && c != '\r' })
		skip(space)
	}
	return at, bytes.HasPrefix(src[at:], []byte(text))
}

// reference is one that was renamed.
type reference struct {
	text string
	pin  transfer.Pin
}
