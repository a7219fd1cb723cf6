package script

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxScripts bounds the scripts that scripts start.
const maxScripts = 100

// one reads a command that starts no other, or gets it from somewhere else than its words.
func (r *caller) one(words []Value, before map[string]Value) {
	switch name := path.Base(words[0].Text); {
	case strings.HasPrefix(words[0].Text, hole):
		r.unnamed(words, before)
	case name == "set" || name == "shift" || name == "unset" || name == "read":
		r.builtin(name, words[1:])
	case *r.scripts >= maxScripts:
		before[Elsewhere] = Value{Source: words[0].Source}
		r.call(words, before)
	case name == "eval":
		r.same(joined(words[1:]))
	case (name == "." || name == "source") && len(words) > 1:
		if text, ok := r.around.Files(words[1].Text); ok {
			r.same(Value{text, words[1].Source, true})
		} else if !path.IsAbs(words[1].Text) || !r.around.System(words[1].Text) {
			r.vars[Elsewhere] = Value{Source: words[1].Source}
		}
	case name == "xargs":
		r.xargs(words[1:], before)
	case name == "find":
		if i := slices.IndexFunc(words, func(w Value) bool { return strings.HasPrefix(w.Text, "-exec") }); i > 0 {
			r.start(words[i+1:], before)
		}
	case slices.Contains(texters, name):
		r.texter(words, before)
	case IsShell(name):
		r.shell(words, before)
	default:
		if text, ok := r.around.Files(words[0].Text); ok {
			r.inner(Value{text, words[0].Source, true}, words, before)
			return
		}
		if n := behind(name, words); n > 0 {
			r.start(words[n:], before)
			return
		}
		r.call(words, before)
	}
}

// shell reads the script of a shell: an argument, a file, or the input.
func (r *caller) shell(words []Value, before map[string]Value) {
	inText := false
	for n, w := range words[1:] {
		option := strings.HasPrefix(w.Text, "-") && w.Text != "-"
		inText = inText || option && !strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "c")
		if option && w.Text != "-s" || words[n].Text == "-o" {
			continue
		}
		if inText {
			r.inner(w, words[n+2:], before)
			return
		}
		if text, ok := r.around.Files(w.Text); ok {
			r.inner(Value{text, w.Source, true}, words[n+1:], before)
			return
		}
		if w.Text != "-s" && w.Text != "-" {
			r.call(words, before) // a script of the source
			return
		}
		words = words[n+1:]
		break
	}
	switch in := r.input; {
	case in == nil:
		r.call(words, before)
	case in.Text == "" && !in.Known:
		before[Elsewhere] = *in
		r.call(append(words, *in), before)
	default:
		for words = slices.Clone(words); len(words) > 1 && strings.HasPrefix(words[1].Text, "-"); {
			last := words[1].Text == "--"
			if words = slices.Delete(words, 1, 2); last {
				break
			}
		}
		r.inner(*in, words, before)
	}
}

// same reads a script that the shell reads itself, and so with its variables.
func (r *caller) same(text Value) {
	*r.scripts++
	r.script(text)
	if !text.Known && !aside.MatchString(text.Source) {
		r.vars[Elsewhere] = text
	}
}

// inner reads a script that a command starts with arguments, the first of which is $0.
func (r *caller) inner(text Value, args []Value, before map[string]Value) {
	*r.scripts++
	sub := r.sub()
	sub.vars, sub.input = r.with(before), nil
	sub.args = args
	sub.script(text)
}

func joined(words []Value) Value {
	all := Value{Known: true}
	for n, w := range words {
		if n > 0 {
			all.Text, all.Source = all.Text+" ", all.Source+" "
		}
		all.Text, all.Source, all.Known = all.Text+w.Text, all.Source+w.Source, all.Known && w.Known
	}
	return all
}

// xargs reads the command of xargs, with what it reads behind it.
func (r *caller) xargs(words []Value, before map[string]Value) {
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		if slices.Contains([]string{"-n", "-L", "-P", "-I", "-d", "-s", "-E"}, words[0].Text) && len(words) > 1 {
			words = words[1:]
		}
		words = words[1:]
	}
	in := r.input
	if in == nil {
		in = &Value{Source: "xargs"}
	}
	all := slices.Clone(words)
	for _, f := range strings.Fields(in.Text) {
		all = append(all, Value{f, f, in.Known})
	}
	if !in.Known {
		all = append(all, Value{Source: in.Source})
	}
	r.start(all, before)
}

func (r *caller) fed(input *Value, n syntax.Node) {
	was := r.input
	r.input = input
	r.read(n)
	r.input = was
}

// redirected returns what a command reads of a document or a file; nil for nothing.
func (r *caller) redirected(c *syntax.Stmt) (input *Value) {
	for _, d := range c.Redirs {
		switch d.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			input = &Value{Known: true}
			if d.Hdoc != nil {
				text := r.expand(d.Hdoc, expand.Document)
				input = &text
			}
		case syntax.WordHdoc:
			text := r.value(d.Word)
			input = &text
		case syntax.RdrIn:
			name := r.value(d.Word)
			text, ok := r.around.Files(name.Text)
			input = &Value{text, name.Source, ok}
		}
	}
	return input
}

// printed returns the output of a command before a pipe; nil for a download, which does not compile
// the source.
func (r *caller) printed(c *syntax.Stmt) *Value {
	unknown := &Value{Source: r.text(c)}
	call, ok := c.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return unknown
	}
	var words []Value
	for _, w := range call.Args {
		words = append(words, r.fields(w)...)
	}
	if len(words) == 0 {
		return unknown
	}
	switch path.Base(words[0].Text) {
	case "curl", "wget":
		return nil
	case "echo", "printf":
		text := joined(words[1:])
		text.Text = strings.NewReplacer(`\n`, "\n", "%s ", "").Replace(text.Text)
		return &text
	case "cat":
		if in := r.redirected(c); in != nil && len(words) == 1 {
			return in
		}
		if text, ok := r.around.Files(words[len(words)-1].Text); ok && len(words) > 1 {
			return &Value{text, unknown.Source, true}
		}
	}
	return unknown
}
