package script

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Call is a command of a script that is not carried out, as far as its text alone tells.
type Call struct {
	Words []Value // the first is its name
	// Vars are the variables that the script sets for it, by export, before it, or before its name.
	Vars  map[string]Value
	Maybe bool // a condition decides whether it is called
}

// Value is a word of a script. Source is how it is written. What a command prints is not known.
type Value struct {
	Text, Source string
	Known        bool
}

// maxValue bounds a value: a script may double a variable in each of its commands.
const maxValue = 1 << 16

// Calls returns the commands of a script, those in branches and loops included. env has the
// variables that are set before it.
func Calls(source string, env func(name string) (string, bool)) []Call {
	r := caller{source: source, env: env, vars: map[string]Value{}}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
	if err != nil { // it is for cmd, or has a mistake that is reported elsewhere
		for _, line := range separators.Split(source, -1) {
			if f := strings.Fields(line); len(f) > 0 {
				r.call(Words(f).values(), nil)
			}
		}
		return r.calls
	}
	r.read(file)
	return r.calls
}

// values returns the words of a command as they are.
func (c Command) values() (all []Value) {
	for _, w := range c.Args {
		all = append(all, Value{w.Text, w.Text, true})
	}
	return all
}

// caller reads the calls of a script.
type caller struct {
	source string
	env    func(name string) (string, bool)
	vars   map[string]Value
	maybe  int // how many conditions decide about the current command
	calls  []Call
}

// read reads a statement or a part of one.
func (r *caller) read(n syntax.Node) {
	syntax.Walk(n, func(inner syntax.Node) bool {
		switch c := inner.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.IfClause, *syntax.CaseClause, *syntax.WhileClause, *syntax.ForClause, *syntax.FuncDecl:
			if inner == n {
				return true
			}
			if loop, ok := c.(*syntax.ForClause); ok {
				if over, ok := loop.Loop.(*syntax.WordIter); ok {
					r.vars[over.Name.Value] = Value{Source: r.text(over)}
				}
			}
			r.maybe++
			r.read(c)
			r.maybe--
			return false
		case *syntax.DeclClause:
			r.assign(r.vars, c.Args)
		case *syntax.CallExpr:
			r.simple(c)
			return false
		}
		return true
	})
}

// simple reads a command, or assignments alone.
func (r *caller) simple(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		r.assign(r.vars, c.Assigns)
		return
	}
	before := map[string]Value{}
	r.assign(before, c.Assigns)
	var words []Value
	for _, w := range c.Args {
		words = append(words, r.value(w))
	}
	for len(words) > 0 {
		switch name, value, set := strings.Cut(words[0].Text, "="); {
		case set && len(words) > 1:
			before[name] = Value{value, words[0].Source, words[0].Known}
		case !slices.Contains([]string{"env", "exec", "time", "nice", "sudo"}, name):
			r.call(words, before)
			return
		}
		words = words[1:]
	}
}

// assign notes the values of assignments. What a branch assigns is not known after it.
func (r *caller) assign(to map[string]Value, list []*syntax.Assign) {
	for _, a := range list {
		if a.Name == nil || a.Naked {
			continue
		}
		v := Value{Source: r.text(a), Known: a.Array == nil && a.Index == nil && !a.Append}
		if a.Value != nil && v.Known {
			w := r.value(a.Value)
			v.Text, v.Known = w.Text, w.Known
		}
		v.Known = v.Known && r.maybe == 0
		to[a.Name.Value] = v
	}
}

func (r *caller) call(words []Value, before map[string]Value) {
	c := Call{Words: words, Vars: map[string]Value{}, Maybe: r.maybe > 0}
	for _, vars := range []map[string]Value{r.vars, before} {
		for k, v := range vars {
			c.Vars[k] = v
		}
	}
	r.calls = append(r.calls, c)
}

func (r *caller) text(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(r.source) || from > to {
		return ""
	}
	return r.source[from:to]
}

// value expands a word, but for what commands print.
func (r *caller) value(w *syntax.Word) Value {
	unknown := false
	lookup := func(name string) expand.Variable {
		if v, ok := r.vars[name]; ok {
			unknown = unknown || !v.Known
			return expand.Variable{Set: true, Kind: expand.String, Str: v.Text}
		}
		v, ok := r.env(name)
		return expand.Variable{Set: ok, Kind: expand.String, Str: v}
	}
	text, err := expand.Literal(&expand.Config{Env: environ(lookup)}, w)
	if err != nil || len(text) > maxValue {
		return Value{literally(w), r.text(w), false}
	}
	return Value{text, r.text(w), !unknown}
}

// environ are the variables of a script.
type environ func(name string) expand.Variable

// Get returns a variable.
func (e environ) Get(name string) expand.Variable { return e(name) }

// Each lists none: no word of a script needs all.
func (e environ) Each(func(name string, v expand.Variable) bool) {}
