package script

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// hole replaces the unknown parts of a text.
const hole = "\uFFFC"

// outward returns a word as [Call] has it. Of one that is not known from its begin, there is
// nothing; one that goes on with a slash is taken for a path.
func outward(v Value) Value {
	if rest, ok := strings.CutPrefix(v.Text, hole); ok && !strings.HasPrefix(rest, "/") {
		v.Text = ""
	}
	v.Text, v.Source = strings.ReplaceAll(v.Text, hole, ""), strings.ReplaceAll(v.Source, hole, "…")
	return v
}

// value expands a word that is not split.
func (r *caller) value(w *syntax.Word) Value { return r.expand(w, expand.Literal) }

func (r *caller) expand(w *syntax.Word, by func(*expand.Config, *syntax.Word) (string, error)) Value {
	all := r.expanded(w, func(c *expand.Config, w *syntax.Word) ([]string, error) {
		text, err := by(c, w)
		return []string{text}, err
	})
	return all[0]
}

// fields expands a word and splits it, as a shell does it.
func (r *caller) fields(w *syntax.Word) []Value {
	if c := *w; syntax.SplitBraces(&c) { // which not every shell knows
		text, _, _ := strings.Cut(holed(w), "{")
		return []Value{{text + hole, r.text(w), false}}
	}
	return r.expanded(w, func(c *expand.Config, w *syntax.Word) ([]string, error) { return expand.Fields(c, w) })
}

func (r *caller) expanded(w *syntax.Word, by func(*expand.Config, *syntax.Word) ([]string, error)) (all []Value) {
	unknown, size := false, 0
	lookup := func(name string) expand.Variable {
		v, known := r.lookup(name)
		unknown = unknown || !known
		return v
	}
	prints := func(to io.Writer, _ *syntax.CmdSubst) error {
		unknown = true
		_, err := io.WriteString(to, hole)
		return err
	}
	texts, err := by(&expand.Config{Env: environ(lookup), CmdSubst: prints, ProcSubst: noFile}, w)
	for _, text := range texts {
		size += len(text) + 1
	}
	r.assigned(w)
	if err != nil || size > maxValue {
		return []Value{{holed(w), r.text(w), false}}
	}
	if len(texts) == 0 && unknown {
		texts = []string{hole}
	}
	// a value that is not known may decide about text that is
	unknown = unknown && !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, hole) })
	for _, text := range texts {
		all = append(all, Value{text, r.text(w), !r.unknown && !unknown && !strings.Contains(text, hole)})
	}
	return all
}

// lookup returns a variable or parameter, and whether it is known.
func (r *caller) lookup(name string) (v expand.Variable, known bool) {
	text := func(v Value) string {
		if known = known && v.Known; v.Known || strings.Contains(v.Text, hole) {
			return v.Text
		}
		return hole
	}
	known = true
	n, err := strconv.Atoi(name)
	switch value, ok := r.vars[name]; {
	case name == "@" || name == "*":
		v = expand.Variable{Set: len(r.args) > 1, Kind: expand.Indexed}
		for _, a := range r.args[min(1, len(r.args)):] {
			v.List = append(v.List, text(a))
		}
	case name == "#":
		_ = text(joined(r.args))
		v = expand.Variable{Set: true, Kind: expand.String, Str: strconv.Itoa(max(len(r.args)-1, 0))}
	case err == nil:
		// one word that is not known may be more
		if i := slices.IndexFunc(r.args, func(a Value) bool { return !a.Known }); i > 0 && i <= n {
			return expand.Variable{Set: true, Kind: expand.String, Str: hole}, false
		}
		if n >= 0 && n < len(r.args) {
			v = expand.Variable{Set: true, Kind: expand.String, Str: text(r.args[n])}
		}
	case ok:
		v = expand.Variable{Set: true, Kind: expand.String, Str: text(value)}
	default:
		value, ok := r.around.Env(name)
		v = expand.Variable{Set: ok, Kind: expand.String, Str: value}
	}
	return v, known
}

// assigned notes the variables that a word may set: ${NAME:=value}.
func (r *caller) assigned(w *syntax.Word) {
	syntax.Walk(w, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Exp != nil && p.Param != nil &&
			(p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
			r.vars[p.Param.Value] = Value{hole, r.text(p), false}
		}
		return true
	})
}

// holed returns a word without its quotes, and with a hole for each of its variables.
func holed(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(n.Value)
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			b.WriteString(hole)
			return false
		}
		return true
	})
	return b.String()
}

// noFile refuses <(…), which is a file.
func noFile(*syntax.ProcSubst) (string, error) { return "", ErrOutput }

type environ func(name string) expand.Variable

// Get returns a variable.
func (e environ) Get(name string) expand.Variable { return e(name) }

// Each lists none: no word of a script needs all.
func (e environ) Each(func(name string, v expand.Variable) bool) {}
