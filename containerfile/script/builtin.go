package script

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// aside are commands whose output compiles nothing of the source.
var aside = lazyregexp.New(`\b(?:ssh-agent|curl|wget)\b`)

// unnamed reads a command whose name is not known. It may be one that starts the next.
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
