package maintainer

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// item is a question or a template in debconf's database.
type item struct {
	fields, vars  map[string]string
	owners, flags map[string]bool
}

func newItem() *item {
	return &item{map[string]string{}, map[string]string{}, map[string]bool{}, map[string]bool{}}
}

// store is one file of debconf's database.
type store struct {
	file  string
	items map[string]*item
	dirty bool
	was   []byte
	had   bool
}

const debconfDir = "/var/cache/debconf/"

// openStore reads a file of the database, as Debconf::Format::822 does.
func openStore(t *tree.Tree, name string) (*store, error) {
	s := &store{file: debconfDir + name, items: map[string]*item{}}
	text, err := tree.ReadText(t, s.file)
	if err != nil {
		return nil, err
	}
	s.was, s.had = text, text != nil
	var one *item
	name, vars := "", false
	for _, line := range append(lines(text), "") {
		switch {
		case line == "":
			if one != nil && name != "" {
				s.items[name] = one
			}
			one, name, vars = nil, "", false
			continue
		case one == nil:
			one = newItem()
		}
		if vars && (line[0] == ' ' || line[0] == '\t') {
			k, v, _ := strings.Cut(strings.TrimLeft(line, " \t"), "=")
			one.vars[strings.TrimRight(k, " \t")] = unfold(strings.TrimPrefix(v, " "))
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		vars = false
		switch key = strings.ToLower(key); key {
		case "owners", "flags":
			set := one.owners
			if key == "flags" {
				set = one.flags
			}
			for _, o := range strings.Split(value, ",") {
				set[strings.TrimLeft(o, " \t")] = true
			}
		case "variables":
			vars = true
		case "name":
			name = value
		default:
			one.fields[key] = unfold(value)
		}
	}
	return s, nil
}

func unfold(s string) string { return strings.ReplaceAll(s, `\n`, "\n") }
func fold(s string) string   { return strings.ReplaceAll(s, "\n", `\n`) }

// save writes the file, and the copy of what it was that debconf keeps.
func (s *store) save(t *tree.Tree) error {
	if !s.dirty {
		return nil
	}
	s.dirty = false
	var b strings.Builder
	for _, name := range sortedKeys(s.items) {
		i := s.items[name]
		b.WriteString("Name: " + name + "\n")
		for _, k := range sortedKeys(i.fields) {
			b.WriteString(strings.ToUpper(k[:1]) + k[1:] + ": " + fold(i.fields[k]) + "\n")
		}
		if len(i.owners) > 0 {
			b.WriteString("Owners: " + strings.Join(sortedKeys(i.owners), ", ") + "\n")
		}
		if flags := i.set(); len(flags) > 0 {
			b.WriteString("Flags: " + strings.Join(flags, ", ") + "\n")
		}
		if len(i.vars) > 0 {
			b.WriteString("Variables:\n")
			for _, k := range sortedKeys(i.vars) {
				b.WriteString(" " + k + " = " + fold(i.vars[k]) + "\n")
			}
		}
		b.WriteString("\n")
	}
	if s.had {
		if err := t.WriteText(s.file+"-old", s.was, 0o644); err != nil {
			return err
		}
	}
	return t.WriteText(s.file, []byte(b.String()), 0o644)
}

// set returns the flags that are true.
func (i *item) set() []string {
	return slices.DeleteFunc(sortedKeys(i.flags), func(f string) bool { return !i.flags[f] })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// template is one template of a package.
type template struct {
	name, kind string
	fields     map[string]string
}

// parseTemplates reads the templates of a package, as Debconf::Template does.
func parseTemplates(text []byte) []template {
	var all []template
	for _, stanza := range strings.Split(string(text), "\n\n") {
		fields := map[string]string{}
		field, value, extended := "", "", ""
		save := func() {
			if field == "" {
				return
			}
			fields[field] = value
			if e := strings.TrimRight(extended, "\n"); e != "" {
				fields["extended_"+field] = e
			}
		}
		for _, line := range strings.Split(strings.Trim(stanza, "\n"), "\n") {
			key, rest, ok := strings.Cut(line, ":")
			switch {
			case line != "" && line[0] != ' ' && line[0] != '\t' && ok:
				save()
				rest = strings.TrimRight(strings.TrimPrefix(rest, " "), " \t")
				field, value, extended = strings.ToLower(key), rest, ""
			case line == " .":
				extended += "\n\n"
			case len(line) > 2 && (line[1] == ' ' || line[1] == '\t'):
				if extended != "" && !strings.HasSuffix(extended, "\n") && !strings.HasSuffix(extended, " ") {
					extended += "\n"
				}
				extended += strings.TrimRight(line[1:], " \t") + "\n"
			case len(line) > 1:
				if extended != "" && !strings.HasSuffix(extended, "\n") && !strings.HasSuffix(extended, " ") {
					extended += " "
				}
				extended += strings.TrimRight(line[1:], " \t")
			}
		}
		save()
		if name := fields["template"]; name != "" {
			delete(fields, "template")
			all = append(all, template{name, fields["type"], fields})
		}
	}
	return all
}
