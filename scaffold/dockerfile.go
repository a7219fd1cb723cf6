package scaffold

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerfile/shell"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// recipe is a Dockerfile of the repository.
type recipe struct {
	path string
	lex  *shell.Lex
	args arguments // before the first FROM
	open []string  // those of them without a default
	// defaults are their defaults as they stand.
	defaults map[string]string
	lines    map[string]int // of arguments
	stages   []*stage
}

// stage is one FROM with what follows.
type stage struct {
	instructions.Stage
	base     string // expanded as far as its arguments have defaults
	line     int
	commands []command
}

// command is an instruction and its lines.
type command struct {
	instructions.Command // nil if BuildKit's parser refuses it
	node                 *parser.Node
}

// arguments are the defaults of ARG.
type arguments map[string]string

func (a arguments) Get(key string) (string, bool) { v, ok := a[key]; return v, ok }
func (a arguments) Keys() []string                { return sortedKeys(a) }

// readDockerfile parses a Dockerfile. The result is nil if that is not one.
func readDockerfile(name string, text []byte) *recipe {
	ast, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	r := &recipe{
		path: name, lex: shell.NewLex(ast.EscapeToken), args: arguments{}, defaults: map[string]string{},
		lines: map[string]int{},
	}
	for _, n := range ast.AST.Children {
		parsed, err := instructions.ParseInstruction(n)
		if err != nil {
			parsed = nil
		}
		switch c := parsed.(type) {
		case *instructions.Stage:
			r.stages = append(r.stages, &stage{Stage: *c, base: r.word(c.BaseName, r.args), line: n.StartLine})
		case *instructions.ArgCommand:
			for _, a := range c.Args {
				if r.lines[a.Key] == 0 {
					r.lines[a.Key] = n.StartLine
				}
			}
			if len(r.stages) == 0 {
				r.define(c, r.args)
				for _, a := range c.Args {
					if a.Value == nil {
						r.open = append(r.open, a.Key)
					} else {
						r.defaults[a.Key] = *a.Value
					}
				}
				continue
			}
			r.last().commands = append(r.last().commands, command{c, n})
		default:
			if len(r.stages) == 0 {
				continue
			}
			known, _ := parsed.(instructions.Command)
			r.last().commands = append(r.last().commands, command{known, n})
		}
	}
	if len(r.stages) == 0 {
		return nil
	}
	return r
}

func (r *recipe) last() *stage { return r.stages[len(r.stages)-1] }

// word expands variables. Those without a value become empty.
func (r *recipe) word(s string, args arguments) string {
	if len(s) > maxExpanded {
		return ""
	}
	w, _, err := r.lex.ProcessWord(s, args)
	if err != nil || len(w) > maxExpanded {
		return ""
	}
	return w
}

func (r *recipe) define(c *instructions.ArgCommand, args arguments) {
	for _, a := range c.Args {
		if a.Value != nil {
			args[a.Key] = r.word(*a.Value, args)
		} else if v, ok := r.args[a.Key]; ok {
			args[a.Key] = v
		}
	}
}

// index is the number of a stage.
func (r *recipe) index(s *stage) int { return slices.Index(r.stages, s) }

// find returns a stage by its name.
func (r *recipe) find(name string) *stage {
	for _, s := range r.stages {
		if s.Name != "" && strings.EqualFold(s.Name, name) {
			return s
		}
	}
	return nil
}

var (
	buildsGo  = lazyregexp.New(`\bgo (?:build|install)\b|\bmake\b|\bmage\b|\bpromu\b|\bxx-go\b`)
	golang    = lazyregexp.New(`(?:^|/)(?:golang|go|go-runner|oci-go|goboring)(?:[:@-]|$)`)
	isWindows = lazyregexp.New(`(?i)windows|nanoserver|servercore`)
)

// instructionsIn yields the instructions of one type in a stage.
func instructionsIn[C instructions.Command](s *stage) iter.Seq[C] {
	return func(yield func(C) bool) {
		for _, c := range s.commands {
			if now, ok := c.Command.(C); ok && !yield(now) {
				return
			}
		}
	}
}

// builder reports whether a stage is there to compile programs.
func (s *stage) builder() bool {
	if golang.MatchString(s.base) {
		return true
	}
	return slices.ContainsFunc(s.commands, func(c command) bool {
		_, run := c.Command.(*instructions.RunCommand)
		return run && buildsGo.MatchString(c.node.Original)
	})
}

// starts reports whether a stage says what an image starts.
func (s *stage) starts() bool {
	return slices.ContainsFunc(s.commands, func(c command) bool {
		switch c.Command.(type) {
		case *instructions.EntrypointCommand, *instructions.CmdCommand:
			return true
		}
		return false
	})
}

// from returns the names of what a stage is made from.
func (s *stage) from() []string {
	names := []string{s.base}
	for _, c := range s.commands {
		switch now := c.Command.(type) {
		case *instructions.CopyCommand:
			names = append(names, now.From)
		case *instructions.RunCommand:
			for _, m := range instructions.GetMounts(now) {
				names = append(names, m.From)
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}

// before returns the stage of a name, or of a number, above the n-th.
func (r *recipe) before(name string, n int) *stage {
	for i, s := range r.stages[:n] {
		if s.Name != "" && strings.EqualFold(s.Name, name) || name == strconv.Itoa(i) {
			return s
		}
	}
	return nil
}

// needed returns the stages that one is made from, and itself as the last.
func (r *recipe) needed(target *stage) (list []*stage) {
	var need func(s *stage)
	need = func(s *stage) {
		if slices.Contains(list, s) {
			return
		}
		for _, name := range s.from() {
			if other := r.before(name, slices.Index(r.stages, s)); other != nil {
				need(other)
			}
		}
		list = append(list, s)
	}
	need(target)
	return list
}
