package script

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// maxScripts bounds the scripts that scripts start.
const maxScripts = 100

// starters are commands that start the one behind them.
var starters = []string{
	"env", "exec", "time", "nice", "sudo", "command", "nohup", "timeout", "busybox", "ionice", "stdbuf",
}

// IsShell reports whether a command is a shell, by its name.
func IsShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "ash", "dash"}, path.Base(name))
}

// start reads a command, and those that it starts.
func (r *caller) start(words []Value, before map[string]Value) {
	for started := false; len(words) > 0; words = words[1:] {
		name, value, set := strings.Cut(words[0].Text, "=")
		option := strings.HasPrefix(name, "-") || name != "" && name[0] >= '0' && name[0] <= '9'
		switch {
		case set && !option && len(words) > 1:
			before[name] = Value{value, words[0].Source, words[0].Known}
		case slices.Contains(starters, path.Base(name)):
			started = true
		case !started || !option:
			r.one(words, before)
			return
		}
	}
}

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
	case IsShell(name):
		r.shell(words, before)
	default:
		if text, ok := r.around.Files(words[0].Text); ok {
			r.inner(Value{text, words[0].Source, true}, words, before)
			return
		}
		r.call(words, before)
	}
}

// aside are commands whose output compiles nothing of the source.
var aside = lazyregexp.New(`\b(?:ssh-agent|curl|wget)\b`)

// unnamed reads a command whose name is not known. It may be one that starts the next.
func (r *caller) unnamed(words []Value, before map[string]Value) {
	switch {
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

// shell reads what a shell is started with: a text, the name of a script, or what is fed to it.
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

// joined returns words as one text.
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

// fed reads a command with its input.
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

// printed returns what a command prints into a pipe; nil for what was downloaded, since that does
// not compile the source.
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
