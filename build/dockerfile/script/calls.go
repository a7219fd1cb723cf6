package script

import (
	"maps"
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

// Elsewhere is a variable of a [Call] for what sets its variables and is not known: the file of
// settings of the go command, or commands of which the text is not known.
const Elsewhere = "GOENV"

// Around is what a script can use. Env has the variables that are set before it, Files the texts
// of scripts by their names, and System reports whether a path is of the system.
type Around struct {
	Env, Files func(name string) (text string, ok bool)
	System     func(path string) bool
}

// Calls returns the commands of a script, or of words that no shell reads: those in branches, loops
// and the scripts that it starts included.
func Calls(source string, words []Value, o Around) []Call {
	r := caller{around: o, source: source, vars: map[string]Value{}, calls: new([]Call), scripts: new(int)}
	if words != nil {
		r.start(words, map[string]Value{})
	} else {
		r.script(Value{source, source, true})
	}
	return *r.calls
}

// script reads a text.
func (r *caller) script(text Value) {
	was, unknown := r.source, r.unknown
	r.source, r.unknown = text.Text, unknown || !text.Known
	defer func() { r.source, r.unknown = was, unknown }()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text.Text), "")
	if err == nil {
		r.read(file)
		return
	}
	for _, line := range separators.Split(text.Text, -1) { // it is for cmd, or has a mistake that is reported elsewhere
		if f := strings.Fields(line); len(f) > 0 {
			r.call(Words(f).values(!r.unknown), nil)
		}
	}
}

// values returns the words of a command as they are.
func (c Command) values(known bool) (all []Value) {
	for _, w := range c.Args {
		all = append(all, Value{w.Text, w.Text, known})
	}
	return all
}

// caller reads the calls of a script.
type caller struct {
	around  Around
	source  string
	unknown bool // some of the source is not known
	vars    map[string]Value
	input   *Value // what the current command reads; nil for nothing
	maybe   int    // how many conditions decide about the current command
	scripts *int   // how many scripts were started
	calls   *[]Call
}

// read reads a statement or a part of one.
func (r *caller) read(n syntax.Node) {
	syntax.Walk(n, func(inner syntax.Node) bool {
		switch c := inner.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Stmt:
			if input := r.redirected(c); input != nil && c.Cmd != nil {
				r.fed(input, &syntax.Stmt{Cmd: c.Cmd})
				return false
			}
		case *syntax.BinaryCmd:
			if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
				r.read(c.X)
				r.fed(r.printed(c.X), c.Y)
				return false
			}
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
	r.start(words, before)
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
	*r.calls = append(*r.calls, Call{Words: words, Vars: r.with(before), Maybe: r.maybe > 0})
}

// with returns the variables of a command.
func (r *caller) with(before map[string]Value) map[string]Value {
	vars := maps.Clone(r.vars)
	maps.Copy(vars, before)
	return vars
}

func (r *caller) text(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(r.source) || from > to {
		return ""
	}
	return r.source[from:to]
}

// value expands a word, but for what commands print.
func (r *caller) value(w *syntax.Word) Value { return r.expand(w, expand.Literal) }

func (r *caller) expand(w *syntax.Word, by func(*expand.Config, *syntax.Word) (string, error)) Value {
	unknown := r.unknown
	lookup := func(name string) expand.Variable {
		if v, ok := r.vars[name]; ok {
			unknown = unknown || !v.Known
			return expand.Variable{Set: true, Kind: expand.String, Str: v.Text}
		}
		v, ok := r.around.Env(name)
		return expand.Variable{Set: ok, Kind: expand.String, Str: v}
	}
	text, err := by(&expand.Config{Env: environ(lookup), ProcSubst: noFile}, w)
	if err != nil || len(text) > maxValue {
		return Value{literally(w), r.text(w), false}
	}
	return Value{text, r.text(w), !unknown}
}

// noFile refuses <(…), which is a file.
func noFile(*syntax.ProcSubst) (string, error) { return "", ErrOutput }

// environ are the variables of a script.
type environ func(name string) expand.Variable

// Get returns a variable.
func (e environ) Get(name string) expand.Variable { return e(name) }

// Each lists none: no word of a script needs all.
func (e environ) Each(func(name string, v expand.Variable) bool) {}
