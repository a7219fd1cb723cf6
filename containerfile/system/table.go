package system

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// table is one of the files with a line for each account: its lines and their fields.
type table struct {
	path    string
	fields  int // of a line; lines with another number are kept and never found
	there   bool
	lines   []string
	old     string
	changed bool
}

// table reads a file of accounts. One that does not exist is empty.
func (s *System) table(p string, fields int) (*table, error) {
	text, err := s.read(p)
	if err != nil {
		return nil, err
	}
	t := &table{path: p, fields: fields, there: text != nil, old: string(text)}
	if len(text) > 0 {
		t.lines = strings.Split(strings.TrimSuffix(t.old, "\n"), "\n")
	}
	return t, nil
}

// split returns the fields of a line, nil for a comment or a line of another form.
func (t *table) split(line string) []string {
	f := strings.Split(line, ":")
	if len(f) != t.fields || f[0] == "" || strings.ContainsRune("+-#", rune(f[0][0])) {
		return nil
	}
	return f
}

// find returns the fields of the line whose first field is name, nil for none.
func (t *table) find(name string) []string {
	return t.search(func(f []string) bool { return f[0] == name })
}

func (t *table) search(is func(f []string) bool) []string {
	for _, l := range t.lines {
		if f := t.split(l); f != nil && is(f) {
			return f
		}
	}
	return nil
}

// all returns the fields of all lines that have an account.
func (t *table) all() [][]string {
	var list [][]string
	for _, l := range t.lines {
		if f := t.split(l); f != nil {
			list = append(list, f)
		}
	}
	return list
}

// set replaces the line of name, or adds one: before those of NIS, which stand at the end.
func (t *table) set(name string, fields ...string) {
	line := strings.Join(fields, ":")
	t.changed = true
	for n, l := range t.lines {
		if f := t.split(l); f != nil && f[0] == name {
			t.lines[n] = line
			return
		}
	}
	at := slices.IndexFunc(t.lines, func(l string) bool { return l != "" && (l[0] == '+' || l[0] == '-') })
	if at < 0 {
		at = len(t.lines)
	}
	t.lines = slices.Insert(t.lines, at, line)
}

func (t *table) text() []byte {
	if len(t.lines) == 0 {
		return nil
	}
	return []byte(strings.Join(t.lines, "\n") + "\n")
}

// save writes a table that was changed, and keeps what the file was as its backup: passwd-, with
// the same owner and mode. Shadow's programs do so with each call.
func (s *System) save(t *table) error {
	if !t.changed {
		return nil
	}
	if t.there {
		n, err := s.stat(t.path)
		if err != nil {
			return err
		}
		if err := s.replace(t.path+"-", []byte(t.old), n); err != nil {
			return err
		}
	}
	return s.Tree.WriteText(t.path, t.text(), 0o644)
}

// replace writes a file with the owner and mode of another one.
func (s *System) replace(p string, text []byte, like *tree.Node) error {
	c := layer.Bytes(text)
	n := tree.Node{
		Kind: layer.Regular, Mode: like.Mode, UID: like.UID, GID: like.GID,
		Content: func() (layer.Content, error) { return c, nil },
	}
	at, err := tree.Follow(s.Tree, p)
	if err != nil {
		return err
	}
	return s.Tree.Set(at, n.Sized(c.Size))
}
