package script

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// read reads a statement or a part of one.
func (r *caller) read(n syntax.Node) {
	syntax.Walk(n, func(inner syntax.Node) bool {
		if r.substituted(inner) {
			return false
		}
		switch c := inner.(type) {
		case *syntax.Stmt:
			if input := r.redirected(c); input != nil && c.Cmd != nil {
				for _, d := range c.Redirs {
					r.substitutions(d)
				}
				r.fed(input, &syntax.Stmt{Cmd: c.Cmd})
				return false
			}
		case *syntax.BinaryCmd:
			r.read(c.X)
			switch {
			case c.Op == syntax.Pipe || c.Op == syntax.PipeAll:
				r.fed(r.printed(c.X), c.Y)
			case c.Op == syntax.OrStmt || isTest(c.X):
				r.branch(c.Y)
			default:
				r.read(c.Y)
			}
			return false
		case *syntax.Subshell:
			sub := r.sub()
			for _, st := range c.Stmts {
				sub.read(st)
			}
			return false
		case *syntax.CaseItem:
			if inner == n {
				return true
			}
			r.forget(r.before)
			r.branch(c)
			return false
		case *syntax.IfClause, *syntax.CaseClause, *syntax.WhileClause, *syntax.ForClause, *syntax.FuncDecl:
			if inner == n {
				return true
			}
			if outer, ok := n.(*syntax.IfClause); ok && outer.Else == inner {
				r.forget(r.before)
			}
			r.conditional(c)
			return false
		case *syntax.DeclClause:
			r.assign(r.vars, c.Args)
		case *syntax.CallExpr:
			r.substitutions(c)
			r.simple(c)
			return false
		}
		return true
	})
}

// substitutions reads the commands whose output is in a part of a statement.
func (r *caller) substitutions(n syntax.Node) {
	syntax.Walk(n, func(inner syntax.Node) bool { return !r.substituted(inner) })
}

// substituted reads the commands of a substitution, and reports whether a node is one.
func (r *caller) substituted(n syntax.Node) bool {
	var all []*syntax.Stmt
	switch c := n.(type) {
	case *syntax.CmdSubst:
		all = c.Stmts
	case *syntax.ProcSubst:
		all = c.Stmts
	default:
		return false
	}
	sub := r.sub()
	sub.output, sub.input = true, nil
	for _, st := range all {
		sub.read(st)
	}
	return true
}

// conditional reads what a condition decides about, a loop or the body of a function.
func (r *caller) conditional(n syntax.Node) {
	args := r.args
	switch c := n.(type) {
	case *syntax.ForClause:
		if over, ok := c.Loop.(*syntax.WordIter); ok {
			r.vars[over.Name.Value] = r.item(over)
		}
	case *syntax.FuncDecl:
		r.args = []Value{{Known: true}, {Text: hole, Source: "$@"}}
	}
	r.maybe++
	switch n.(type) {
	case *syntax.IfClause, *syntax.CaseClause:
		r.branch(n)
	default:
		r.loops++
		r.branch(n)
		r.loops--
	}
	r.maybe--
	if _, ok := n.(*syntax.FuncDecl); ok {
		r.args = args
	}
}

// item returns the variable of a loop, which is not a flag if none of the words is.
func (r *caller) item(over *syntax.WordIter) Value {
	v := Value{Text: hole, Source: r.text(over)}
	for n, w := range over.Items {
		for _, f := range r.fields(w) {
			unclear := f.Text == "" || strings.HasPrefix(f.Text, hole) || f.Text[0] == '-'
			if unclear || strings.ContainsAny(f.Text, " \t\n") {
				return Value{Text: hole, Source: v.Source}
			}
			if n == 0 {
				v.Text = strings.ReplaceAll(f.Text, hole, "") + hole
			}
		}
	}
	return v
}

// branch reads what may not be carried out: what it sets is not known after it.
func (r *caller) branch(n syntax.Node) {
	outer, vars, args := r.before, maps.Clone(r.vars), r.args
	r.before = vars
	r.read(n)
	r.before = outer
	r.forget(vars)
	if !slices.Equal(args, r.args) {
		r.args = []Value{{Known: true}, {Text: hole, Source: "$@"}}
	}
}

// forget makes the variables unknown that changed, for those of a branch.
func (r *caller) forget(before map[string]Value) {
	if before == nil {
		return
	}
	for name, v := range r.vars {
		if before[name] != v {
			v.Known = false
			if was, ok := before[name]; name == "GOFLAGS" {
				if !ok {
					was.Text, _ = r.around.Env(name)
				}
				v.Text = strings.TrimSpace(v.Text + " " + was.Text) // it is one of them
			}
			r.vars[name] = v
		}
	}
	for name := range before {
		if _, ok := r.vars[name]; !ok {
			r.vars[name] = Value{Source: name}
		}
	}
}

func (r *caller) sub() *caller {
	sub := *r
	sub.vars, sub.args, sub.before = maps.Clone(r.vars), slices.Clone(r.args), nil
	return &sub
}

// isTest reports whether a statement only asks.
func isTest(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.TestClause:
		return true
	case *syntax.BinaryCmd:
		return c.Op != syntax.Pipe && isTest(c.Y)
	case *syntax.CallExpr:
		return len(c.Args) > 0 && slices.Contains([]string{"[", "test", "grep", "false"}, literally(c.Args[0]))
	}
	return false
}

// simple reads a command, or assignments alone.
func (r *caller) simple(c *syntax.CallExpr) {
	var words []Value
	for _, w := range c.Args {
		words = append(words, r.fields(w)...)
	}
	if len(words) == 0 {
		r.assign(r.vars, c.Assigns)
		return
	}
	before := map[string]Value{}
	r.assign(before, c.Assigns)
	r.start(words, before)
}

// assign notes the values of assignments. What a loop or a function assigns is not known.
func (r *caller) assign(to map[string]Value, list []*syntax.Assign) {
	for _, a := range list {
		if a.Name == nil && a.Value != nil {
			r.exported(to, a.Value)
		}
		if a.Name == nil || a.Naked {
			continue
		}
		v := Value{Source: r.text(a), Known: a.Array == nil && a.Index == nil && !a.Append}
		if a.Value != nil && v.Known {
			w := r.value(a.Value)
			v.Text, v.Known = w.Text, w.Known
		}
		v.Known = v.Known && r.loops == 0
		to[a.Name.Value] = v
	}
}

// exported notes the assignments in a word of export or the like, such as "A=b" or $(cat env).
func (r *caller) exported(to map[string]Value, w *syntax.Word) {
	for _, f := range r.fields(w) {
		name, value, ok := strings.Cut(f.Text, "=")
		switch {
		case strings.Contains(name, hole):
			to[Elsewhere] = Value{Source: f.Source}
		case ok && !strings.HasPrefix(name, "-"):
			to[name] = Value{value, f.Source, f.Known && r.loops == 0}
		}
	}
}
