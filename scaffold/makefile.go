package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// makefile is what the Makefiles of a repository define, as far as that is known without make.
type makefile struct {
	values  map[string]string // of variables, not expanded
	recipes []string          // their lines
}

// Bounds on the text of a Makefile's variables.
const (
	maxExpanded = 64 << 10
	maxInclude  = 50
)

var (
	assignment = lazyregexp.New(`^(?:export\s+|override\s+)*([A-Za-z0-9_.-]+)\s*(::?:?=|\?=|\+=|=)\s*(.*)$`)
	included   = lazyregexp.New(`^-?s?include\s+(.+)$`)
	condition  = lazyregexp.New(`^(ifdef|ifndef|ifeq|ifneq|else|endif)\b\s*(.*)$`)
)

// makefiles reads the Makefile of the repository and of the module, and what they include.
func (d *Draft) makefiles() {
	d.make = &makefile{values: map[string]string{}}
	seen := map[string]bool{}
	for _, dir := range []string{".", d.source.dir, "docker"} {
		for _, name := range []string{"Makefile", "GNUmakefile"} {
			if p := path.Join(dir, name); d.tree.has(p) && !seen[p] {
				d.found("%s: variables, flags of the linker and platforms", p)
				d.readMakefile(p, seen)
			}
		}
	}
	d.makeOutputs()
	d.makeLdflags()
}

func (d *Draft) readMakefile(p string, seen map[string]bool) {
	if seen[p] || len(seen) >= maxInclude {
		return
	}
	seen[p] = true
	d.make.read(string(d.tree.text(p)), func(name string) {
		dir := path.Dir(p)
		for _, f := range d.tree.files {
			for _, of := range []string{name, path.Join(dir, name)} {
				if ok, _ := path.Match(path.Clean(of), f); ok {
					d.readMakefile(f, seen)
				}
			}
		}
	})
}

// read takes in the text of a Makefile; include is called for each file that it includes.
func (m *makefile) read(text string, include func(name string)) {
	text = strings.ReplaceAll(text, "\\\r\n", " ")
	text = strings.ReplaceAll(text, "\\\n", " ")
	var taken []branch // around a line
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "\t") {
			m.recipes = append(m.recipes, strings.TrimSpace(line))
			continue
		}
		line = strings.TrimSpace(line)
		if c := condition.FindStringSubmatch(line); c != nil {
			taken = m.condition(taken, c[1], c[2])
			continue
		}
		if strings.HasPrefix(line, "#") || slices.ContainsFunc(taken, func(b branch) bool { return !b.taken }) {
			continue
		}
		if i := included.FindStringSubmatch(line); i != nil && include != nil {
			for _, name := range strings.Fields(m.expand(i[1])) {
				include(name)
			}
		} else if a := assignment.FindStringSubmatch(line); a != nil {
			m.assign(a[1], a[2], a[3])
		}
	}
}

// branch is a condition around a line: whether its lines count, and whether those of an earlier
// branch did, or may have.
type branch struct{ taken, done bool }

// condition returns the conditions after a line of them. One that is not understood does not hold.
func (m *makefile) condition(around []branch, word, rest string) []branch {
	rest = strings.TrimSpace(rest)
	if word == "endif" || word == "else" {
		if len(around) == 0 {
			return around
		}
		last := around[len(around)-1]
		around = around[:len(around)-1]
		if word == "endif" {
			return around
		}
		if rest == "" {
			return append(around, branch{!last.done, true})
		}
		c := condition.FindStringSubmatch(rest)
		holds := c != nil && m.holds(c[1], c[2])
		return append(around, branch{holds && !last.done, holds || last.done})
	}
	holds := m.holds(word, rest)
	return append(around, branch{holds, holds})
}

var originOf = lazyregexp.New(`\$\(origin ([A-Za-z0-9_]+)\)`)

// holds reports whether a condition holds.
func (m *makefile) holds(word, rest string) bool {
	rest = strings.TrimSpace(rest)
	_, defined := m.values[rest]
	switch word {
	case "ifdef":
		return defined
	case "ifndef":
		return !defined
	}
	rest = originOf.ReplaceAllStringFunc(rest, func(o string) string {
		if _, ok := m.values[originOf.FindStringSubmatch(o)[1]]; ok {
			return "file"
		}
		return "undefined"
	})
	a, b, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(rest, "("), ")"), ",")
	a, b = strings.TrimSpace(m.expand(a)), strings.TrimSpace(m.expand(b))
	return ok && (a == b) == (word == "ifeq")
}

func (m *makefile) assign(name, operator, value string) {
	if i := strings.Index(value, " #"); i >= 0 {
		value = value[:i]
	}
	value = strings.TrimSpace(value)
	old, ok := m.values[name]
	switch operator {
	case "?=":
		if ok {
			return
		}
	case "+=":
		value = strings.TrimSpace(old + " " + value)
	case ":=", "::=", ":::=":
		value = m.replaceOwn(name, value)
	}
	if len(value) <= maxExpanded {
		m.values[name] = value
	}
}

// replaceOwn keeps X := $(X) more from being a circle.
func (m *makefile) replaceOwn(name, value string) string {
	return strings.NewReplacer("$("+name+")", m.values[name], "${"+name+"}", m.values[name]).Replace(value)
}

// expand replaces references to variables. Those of make's functions stay as they are, and those
// of variables that nothing defines.
func (m *makefile) expand(s string) string {
	left := maxExpanded
	return m.expanded(s, 0, &left)
}

func (m *makefile) expanded(s string, depth int, left *int) string {
	const deepest = 20
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '$')
		if i < 0 || depth > deepest || *left <= 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		inner, rest, ok := reference(s[i:])
		switch {
		case strings.HasPrefix(s[i:], "$$"):
			b.WriteByte('$')
			rest = s[i+2:]
		case !ok:
			b.WriteByte('$')
			rest = s[i+1:]
		default:
			value, known := m.values[inner]
			if !known {
				b.WriteString(s[i : len(s)-len(rest)])
				break
			}
			value = m.expanded(value, depth+1, left)
			*left -= len(value)
			b.WriteString(value)
		}
		s = rest
	}
	return b.String()
}

// reference splits text that starts with $(…) or ${…} into what is within and what follows.
func reference(s string) (inner, rest string, ok bool) {
	if len(s) < 3 || s[1] != '(' && s[1] != '{' {
		return "", "", false
	}
	open, end := s[1], byte(')')
	if open == '{' {
		end = '}'
	}
	depth := 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return strings.TrimSpace(s[2:i]), s[i+1:], true
			}
		}
	}
	return "", "", false
}

// value returns a variable, expanded; "" if it is not defined or not known without running make.
func (m *makefile) value(name string) string {
	v := strings.TrimSpace(m.expand(m.values[name]))
	if strings.Contains(v, "$") {
		return ""
	}
	return v
}
