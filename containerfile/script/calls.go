package script

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Call is a command of a script that is not carried out, as far as its text alone tells.
type Call struct {
	Words []Value // the first is its name
	// Vars are the variables that the script sets for it, by export, before it, or before its name.
	Vars  map[string]Value
	Maybe bool // a condition decides whether it is called
	// Output means that what it prints is a word of another, such as a version. Vars has only what
	// stands before its name then, but for the go command.
	Output bool
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
// of scripts by their names, and System reports whether only the base has a path.
type Around struct {
	Env, Files func(name string) (text string, ok bool)
	System     func(path string) bool
	Before     string // a script that the shell reads first
}

// SourcedBy are the variables that name a file which a shell reads before its script.
var SourcedBy = []string{"BASH_ENV", "ENV"}

// Sourced reports whether a value of such a variable names a file. ENV has other meanings, too.
func Sourced(name string, v Value) bool {
	if name == "ENV" {
		return strings.Contains(v.Text, "/")
	}
	return !v.Known || v.Text != ""
}

// Calls returns the commands of a script, or of words that no shell reads: those in branches, loops
// and the scripts that it starts included.
func Calls(source string, words []Value, o Around) []Call {
	r := &caller{around: o, source: source, vars: map[string]Value{}, calls: new([]Call), scripts: new(int)}
	if o.Before != "" {
		r.same(Value{o.Before, o.Before, true})
	}
	if words != nil {
		r.start(words, map[string]Value{})
	} else {
		r.script(Value{source, source, true})
	}
	return *r.calls
}

func (r *caller) script(text Value) {
	was, from, unknown := r.source, r.from, r.unknown
	r.source, r.from, r.unknown = text.Text, text.Source, unknown || !text.Known && !strings.Contains(text.Text, hole)
	defer func() { r.source, r.from, r.unknown = was, from, unknown }()
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
	from    string // how the source is written
	unknown bool   // some of the source is not known
	vars    map[string]Value
	args    []Value          // $0 and on
	output  bool             // what the current command prints is a word
	input   *Value           // what the current command reads; nil for nothing
	before  map[string]Value // the variables before the current branch
	maybe   int              // how many conditions decide about the current command
	loops   int              // how many of them are loops or functions
	scripts *int             // how many scripts were started
	calls   *[]Call
}

// mayBeFlag reports whether the part of a word that is not known may be a flag, not only its value.
func mayBeFlag(word string) bool {
	name, _, ok := strings.Cut(word, hole)
	return ok && !strings.Contains(name, "=")
}

func (r *caller) call(words []Value, before map[string]Value) {
	c := Call{Vars: r.with(before), Maybe: r.maybe > 0}
	for _, w := range words {
		c.Words = append(c.Words, outward(w))
	}
	if c.Words = plainGo(c.Words); r.output && !IsGo(c.Words[0].Text) {
		c.Vars, c.Output = maps.Clone(before), true
	}
	for _, name := range SourcedBy {
		if v, ok := c.Vars[name]; ok && Sourced(name, v) {
			c.Vars[Elsewhere] = Value{Source: v.Source}
		}
	}
	if v, ok := c.Vars["GOFLAGS"]; ok && slices.ContainsFunc(strings.Fields(v.Text), mayBeFlag) {
		c.Vars["GOFLAGS"] = Value{Source: v.Source}
	}
	for name, v := range c.Vars {
		v.Text, v.Source = strings.ReplaceAll(v.Text, hole, ""), strings.ReplaceAll(v.Source, hole, "…")
		c.Vars[name] = v
	}
	*r.calls = append(*r.calls, c)
}

// with returns the variables of a command.
func (r *caller) with(before map[string]Value) map[string]Value {
	vars := maps.Clone(r.vars)
	maps.Copy(vars, before)
	return vars
}

func (r *caller) text(n syntax.Node) string {
	if text := sourceOf(n, r.source); text != hole {
		return text
	}
	return r.from
}

// aside are commands whose output compiles nothing of the source.
var aside = lazyregexp.New(`\b(?:ssh-agent|curl|wget)\b`)

// unnamed reads a command with an unknown name, which may start the next word.
func (r *caller) unnamed(words []Value, before map[string]Value) {
	switch {
	case r.output && len(words) == 1:
	case len(words) > 1 && !slices.Contains([]string{"build", "install"}, words[1].Text):
		r.start(words[1:], before)
	case len(words) > 1:
		r.call(words, before)
	case !aside.MatchString(words[0].Source):
		before[Elsewhere] = Value{Source: words[0].Source}
		r.call(words, before)
	}
}

// builtin reads a command that changes the variables or parameters of the shell.
func (r *caller) builtin(name string, words []Value) {
	switch name {
	case "set":
		for n, w := range words {
			if w.Text == "--" || w.Text == "-" || !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+") &&
				(n == 0 || !strings.HasSuffix(words[n-1].Text, "o")) {
				if w.Text == "--" || w.Text == "-" {
					n++
				}
				r.args = append([]Value{{Known: true}}, words[n:]...)
				break
			}
		}
	case "shift":
		if r.args = slices.Clone(r.args); len(words) == 0 && len(r.args) > 1 && r.args[1].Known {
			r.args = slices.Delete(r.args, 1, 2)
		} else if len(r.args) > 1 {
			r.args = []Value{{Known: true}, {Text: hole, Source: "$@"}}
		}
	case "unset":
		for _, w := range words {
			r.vars[w.Text] = Value{Source: w.Text, Known: r.loops == 0}
		}
	case "read":
		for _, w := range words {
			if !strings.HasPrefix(w.Text, "-") {
				r.vars[w.Text] = Value{Text: hole, Source: w.Source}
			}
		}
	}
}

// Names returns the names of the commands in a script, conditions and loops included, as far as
// they can be read: the first word of each. The commands of substitutions are not among them.
func Names(source string) []string {
	var names []string
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
	if err != nil { // it is for cmd, or has a mistake that is reported elsewhere
		for _, line := range separators.Split(source, -1) {
			if f := strings.Fields(line); len(f) > 0 {
				names = append(names, strings.Trim(f[0], `"'(@`))
			}
		}
		return names
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.CallExpr:
			for _, w := range n.Args {
				name := literally(w)
				if name != "env" && name != "exec" && !strings.Contains(name, "=") {
					names = append(names, name)
					break
				}
			}
		}
		return true
	})
	return names
}

var separators = lazyregexp.New(`[&|;\n]+`)

// literally returns a word without its quotes, and nothing of its variables.
func literally(w *syntax.Word) string { return strings.ReplaceAll(holed(w), hole, "") }
