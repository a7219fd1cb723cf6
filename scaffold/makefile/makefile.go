// Package makefile reads Makefiles as text: their variables and targets, as far as they are known
// without make. Nothing is run.
package makefile

import (
	"iter"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// File is what the Makefiles of a repository define.
type File struct {
	Values  map[string]string  // of variables, not expanded
	At      map[string]Line    // where they are given
	Targets map[string]*Target // by their names, or patterns with %
	Recipes []Recipe           // of all targets
	Files   map[string]bool    // that were read
	// Defaults are the variables that ?= gives their values: whoever runs make replaces them.
	Defaults map[string]bool
	// Keep, if it is not nil, says which variables [File.Expand] leaves as they are.
	Keep func(name string) bool

	entries int
	// choice has the variables that conditions give a value, true for those with several.
	choice map[string]bool
}

// Line is a line of a file, from 1.
type Line struct {
	File   string
	Number int
}

// Target is a target with what it needs, and its recipe.
type Target struct {
	Needs   []string
	Recipes []Recipe
}

// Recipe is a line of a recipe.
type Recipe struct {
	Target string
	Text   string
	At     Line
}

// Bounds on Makefiles.
const (
	maxExpanded = 64 << 10 // bytes of a variable
	maxFiles    = 50
	maxEntries  = 100_000 // targets and lines of recipes
	maxSteps    = 10_000  // variables of an expansion
)

var (
	assignment = lazyregexp.New(`^(?:export\s+|override\s+)*([A-Za-z0-9_.-]+)\s*(::?:?=|\?=|\+=|=)\s*(.*)$`)
	included   = lazyregexp.New(`^-?s?include\s+(.+)$`)
	condition  = lazyregexp.New(`^(?:ifdef|ifndef|ifeq|ifneq)\b`)
)

// New returns what no Makefile defines.
func New() *File {
	return &File{
		Values: map[string]string{}, At: map[string]Line{}, choice: map[string]bool{},
		Targets: map[string]*Target{}, Files: map[string]bool{}, Defaults: map[string]bool{},
	}
}

// Is reports whether make may read a file.
func Is(f string) bool {
	base := path.Base(f)
	return base == "Makefile" || base == "GNUmakefile" || path.Ext(base) == ".mk" ||
		strings.HasPrefix(base, "Makefile.")
}

// Assignment returns the variable that a line gives a value, and its operator; "" if it gives none.
func Assignment(line string) (name, operator, value string) {
	if m := assignment.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
		return m[1], m[2], m[3]
	}
	return "", "", ""
}

// Set gives a variable a value, as the arguments of make do.
func (m *File) Set(name, value string) {
	m.Values[name] = value
	delete(m.Defaults, name)
}

// Tree is the repository that Makefiles are in.
type Tree interface {
	// Text is a file, nil for none.
	Text(name string) []byte
	// Match lists the files of a pattern.
	Match(pattern string) []string
}

// Add reads a Makefile and what it includes.
func (m *File) Add(p string, tree Tree) {
	if m.Files[p] || len(m.Files) >= maxFiles {
		return
	}
	m.Files[p] = true
	m.read(p, string(tree.Text(p)), func(name string) {
		for _, of := range []string{name, path.Join(path.Dir(p), name)} {
			for _, f := range tree.Match(path.Clean(of)) {
				m.Add(f, tree)
			}
		}
	})
}

// rule matches a target with what it needs.
var rule = lazyregexp.New(`^([^\s:=#][^:=#]*?)\s*&?::?\s*([^=:].*)?$`)

// function matches a function of make that stands alone.
var function = lazyregexp.New(`^\$[({][a-z]+ `)

// read takes in the text of a Makefile; include is called for each file that it includes.
func (m *File) read(file, text string, include func(name string)) {
	depth, defines := 0, false // of conditions around a line
	var of []string            // the targets of a recipe
	for n, line := range Lines(text) {
		at := Line{file, n}
		if m.entries > maxEntries {
			return
		}
		if strings.HasPrefix(line, "\t") && !defines {
			m.recipe(of, strings.TrimSpace(line), at)
			continue
		}
		line = strings.TrimSpace(line)
		switch word, _, _ := strings.Cut(line, " "); {
		case defines || word == "define":
			defines = word != "endef"
			continue
		case strings.HasPrefix(word, "#") || word == "else":
			continue
		case word == "endif":
			depth = max(0, depth-1)
			continue
		case condition.MatchString(line):
			depth++
			continue
		}
		if i := included.FindStringSubmatch(line); i != nil && include != nil {
			for _, name := range strings.Fields(m.Expand(i[1])) {
				include(name)
			}
		} else if a := assignment.FindStringSubmatch(line); a != nil {
			m.assign(a[1], a[2], withoutComment(a[3]), at, depth > 0)
		} else if r := rule.FindStringSubmatch(withoutComment(line)); r != nil && !function.MatchString(line) {
			needs, recipe, _ := strings.Cut(r[2], ";")
			if assignment.MatchString(r[2]) {
				needs, recipe = "", "" // a variable of the target
			}
			of = m.target(m.Expand(r[1]), needs)
			m.recipe(of, strings.TrimSpace(recipe), at)
		}
	}
}

// withoutComment is a line up to its comment.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] != '\\') {
			return strings.TrimSpace(line[:i])
		}
	}
	return line
}

// target adds targets, and returns their names.
func (m *File) target(names, needs string) []string {
	all := strings.Fields(names)
	for _, name := range all {
		if m.Targets[name] == nil {
			m.Targets[name] = &Target{}
		}
		if m.entries++; needs != "" && m.entries <= maxEntries {
			m.Targets[name].Needs = append(m.Targets[name].Needs, needs)
		}
	}
	return all
}

// recipe adds a line to the recipes of targets.
func (m *File) recipe(of []string, text string, at Line) {
	if m.entries += len(of) + 1; text == "" || m.entries > maxEntries {
		return
	}
	line := Recipe{Text: text, At: at}
	if len(of) > 0 {
		line.Target = of[0]
	}
	m.Recipes = append(m.Recipes, line)
	for _, name := range of {
		line.Target = name
		m.Targets[name].Recipes = append(m.Targets[name].Recipes, line)
	}
}

// Lines yields lines with their numbers, from 1. One that ends with a backslash has the next.
func Lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var joined strings.Builder
		n, first := 0, 0
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if first == 0 {
				first = n
			} else {
				line = strings.TrimLeft(line, " \t")
			}
			rest, more := strings.CutSuffix(line, "\\")
			if more {
				joined.WriteString(strings.TrimRight(rest, " \t") + " ")
				continue
			}
			joined.WriteString(line)
			if !yield(first, joined.String()) {
				return
			}
			joined.Reset()
			first = 0
		}
		if joined.Len() > 0 {
			yield(first, joined.String())
		}
	}
}

// assign gives a variable a value. One that a condition chooses is left without a value.
func (m *File) assign(name, operator, value string, at Line, conditional bool) {
	old, ok := m.Values[name]
	several, chosen := m.choice[name]
	if conditional && operator == "+=" && ok {
		conditional, value = false, "$("+name+"+=)" // more, perhaps
	}
	switch {
	case operator == "?=" && ok && !chosen, several && (conditional || operator == "?="):
		return
	case (conditional && ok || chosen && operator == "?=") && old != value:
		m.choice[name] = true
		delete(m.Values, name)
		return
	case conditional && !ok:
		m.choice[name] = false
	case !conditional:
		delete(m.choice, name)
	}
	switch operator {
	case "+=":
		value = strings.TrimSpace(old + " " + value)
	case ":=", "::=", ":::=": // X := $(X) more is not a cycle
		value = strings.NewReplacer("$("+name+")", old, "${"+name+"}", old).Replace(value)
	}
	if len(value) <= maxExpanded {
		m.Values[name], m.At[name] = value, at
		m.Defaults[name] = operator == "?=" || operator == "+=" && m.Defaults[name]
	}
}
