package containerfile

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/environment"
)

// A stage whose place [Input.Outputs] take is not carried out. What it sets for the compiler must
// be what its programs are compiled with, or the image gets others than its Dockerfile means.

// setting is a value that a stage sets, and where.
type setting struct {
	script.Value
	by string // the instruction
	at []parser.Range
}

// compilation is a command that compiles, with the variables that it gets.
type compilation struct {
	words []script.Value
	vars  map[string]setting
	at    []parser.Range
	maybe bool
}

// compareReplaced reports what a stage sets for the compiler and the programs lack that take its
// place.
func (b *builder) compareReplaced(ctx context.Context, s *stage) {
	if s.compared {
		return
	}
	s.compared = true
	for name, files := range b.in.Outputs {
		if name == "" || b.find(name) != s {
			continue
		}
		all := b.compilations(ctx, s)
		for _, file := range slices.Sorted(maps.Keys(files)) {
			if g, ok := files[file].Made.(*run.GoBuild); ok {
				b.compareProgram(s, all, file, g)
			}
		}
	}
}

// compareProgram compares what compiles a file of a stage with the program that takes its place. Of
// commands that conditions choose, one has to fit.
func (b *builder) compareProgram(s *stage, all []compilation, file string, g *run.GoBuild) {
	var unsure []difference
	fits := false
	for _, c := range all {
		if !c.makes(file, g) {
			continue
		}
		found := c.compare(g)
		if c.maybe {
			fits = fits || len(found) == 0
			unsure = append(unsure, found...)
			continue
		}
		b.differ(s, g, found)
	}
	if !fits {
		b.differ(s, g, unsure)
	}
}

func (b *builder) differ(s *stage, g *run.GoBuild, found []difference) {
	for _, d := range found {
		if d.Known {
			b.report.Add(d.at, d.word, fmt.Errorf("%s sets %s, and the program %s (%s), which takes the place of "+
				"what stage %s compiles, is compiled without: write %s for it",
				d.by, d.what, g.Name, g.At, s.title(), d.write))
			continue
		}
		b.report.Add(d.at, d.word, fmt.Errorf("%s sets %s by %s, whose value is unknown: write %s for the "+
			"program %s (%s), which takes the place of what stage %s compiles",
			d.by, d.what, d.Source, d.write, g.Name, g.At, s.title()))
	}
}

// compilations returns the commands that compile in a stage and those that it starts from. A stage
// that only copies has those of the stages that it copies from, and one that compiles by nothing
// that is known is taken for one command.
func (b *builder) compilations(ctx context.Context, s *stage) []compilation {
	var chain []*stage
	for part := s; part != nil; part = part.from {
		chain = append([]*stage{part}, chain...)
	}
	h := replacedStage{
		ctx: ctx, b: b, env: environment.New(nil), set: map[string]setting{}, files: map[string]string{}, dir: "/",
	}
	for _, part := range chain {
		for _, c := range part.commands {
			h.read(part, c)
		}
	}
	if len(h.all) > 0 {
		return append(h.all, h.values...)
	}
	for _, from := range h.copied {
		h.all = append(h.all, b.compilations(ctx, from)...)
	}
	if len(h.all) == 0 && h.runs {
		h.all = []compilation{{vars: h.set, at: s.Location}}
	}
	return append(h.all, h.values...)
}

// replacedStage reads a stage that is not carried out.
type replacedStage struct {
	ctx    context.Context //nolint:containedctx // it is the state of one call
	b      *builder
	env    *environment.Variables
	dir    string // the working directory
	set    map[string]setting
	files  map[string]string // that the Dockerfile has itself
	placed []placed
	all    []compilation
	values []compilation // whose output is a word of another command
	copied []*stage
	runs   bool
}

func (h *replacedStage) read(s *stage, c command) {
	switch now := c.Command.(type) {
	case *instructions.EnvCommand:
		for _, kv := range now.Env {
			h.assign("ENV", kv.Key, kv.Value, c.at)
		}
	case *instructions.ArgCommand:
		for _, a := range now.Args {
			given, ok := h.b.in.Args[a.Key]
			global, known := h.b.globals.Get(a.Key)
			switch {
			case ok:
				h.assign("ARG", a.Key, strings.ReplaceAll(given, "$", `\$`), c.at)
			case a.Value != nil:
				h.assign("ARG", a.Key, *a.Value, c.at)
			case known:
				h.assign("ARG", a.Key, strings.ReplaceAll(global, "$", `\$`), c.at)
			}
		}
	case *instructions.WorkdirCommand:
		if dir, err := h.b.word(now.Path, h.env); err == nil {
			h.dir = h.absolute(dir)
		}
	case *instructions.AddCommand:
		h.copies("ADD", now.SourcesAndDest, "", c.at)
	case *instructions.CopyCommand:
		h.copies("COPY", now.SourcesAndDest, now.From, c.at)
		if other := h.b.find(now.From); now.From != "" && other != nil && other.index < s.index {
			h.copied = append(h.copied, other)
		}
	case *instructions.RunCommand:
		h.runs = true
		text, words := run.Script(now)
		end := h.settingsOf(now, strings.Join(now.CmdLine, " ")+text, c.at)
		around := script.Around{Env: h.env.Get, Files: h.file, System: h.system, Before: h.sourced()}
		h.calls(script.Calls(text, words, around), c.at)
		end()
	}
}

func (h *replacedStage) assign(by, name, value string, at []parser.Range) {
	text, err := h.b.word(value, h.env)
	h.env.Set(name, text)
	h.set[name] = setting{script.Value{Text: text, Source: name, Known: err == nil}, by, at}
}

// calls adds those of the commands of a RUN that compile.
func (h *replacedStage) calls(calls []script.Call, at []parser.Range) {
	for _, c := range calls {
		name := path.Base(c.Words[0].Text)
		h.written(c.Words, at)
		if !compiles(name, c.Words) {
			continue
		}
		vars := maps.Clone(h.set)
		if c.Output && !script.IsGo(name) {
			clear(vars)
		}
		add := func(k string, v script.Value) { vars[k] = setting{v, "RUN", at} }
		for k, v := range c.Vars {
			add(k, v)
		}
		if name == "gox" { // it sets it itself
			add("CGO_ENABLED", goxCgo(c.Words))
		}
		for _, w := range c.Words[1:] { // of make
			if k, v, ok := strings.Cut(w.Text, "="); ok && !strings.HasPrefix(k, "-") {
				add(k, script.Value{Text: v, Source: w.Source, Known: w.Known})
			}
		}
		if s, ok := h.moved(vars); ok {
			vars[script.Elsewhere] = s
		}
		to := &h.all
		if c.Output && !script.IsGo(name) {
			to = &h.values
		}
		*to = append(*to, compilation{c.Words, vars, at, c.Maybe})
	}
}

// written notes what go env -w sets.
func (h *replacedStage) written(words []script.Value, at []parser.Range) {
	if !script.IsGo(words[0].Text) || len(words) < 3 || words[1].Text != "env" ||
		!slices.ContainsFunc(words[2:], func(w script.Value) bool { return w.Text == "-w" || w.Text == "--w" }) {
		return
	}
	for _, w := range words[2:] {
		if k, v, ok := strings.Cut(w.Text, "="); ok {
			h.set[k] = setting{script.Value{Text: v, Source: w.Source, Known: w.Known}, "RUN", at}
		} else if !w.Known {
			h.set[script.Elsewhere] = setting{w, "RUN", at}
		}
	}
}

// goxCgo returns the value of CGO_ENABLED that gox gives the compiler.
func goxCgo(words []script.Value) script.Value {
	for _, w := range words {
		if w.Text == "-cgo" || w.Text == "-cgo=true" {
			return script.Value{Text: "1", Source: w.Source, Known: true}
		}
	}
	return script.Value{Text: "0", Known: true}
}

// makers are the commands besides go that compile what a file says.
var makers = []string{"make", "gmake", "mage", "task", "just", "bazel", "ninja", "goreleaser", "garble", "gox", "xgo"}

// aside are words with which targets begin that compile nothing that an image has.
var aside = []string{
	"test", "lint", "vet", "fmt", "deps", "dep", "tools", "vendor", "generate", "tidy", "clean", "check", "mod",
	"download", "verify", "install-tools", "help", "version",
}

// compiles reports whether a command may compile a program: go, a program that a file directs, or a
// script of the source.
func compiles(name string, words []script.Value) bool {
	switch {
	case words[0].Text == "":
		return !words[0].Known
	case script.IsGo(name):
		if len(words) < 2 || words[1].Text != "build" && words[1].Text != "install" {
			return false
		}
		tool := func(w script.Value) bool { return !strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "@") }
		return !slices.ContainsFunc(words[2:], tool)
	case slices.Contains(makers, name):
		var targets []string
		for _, w := range words[1:] {
			if !strings.HasPrefix(w.Text, "-") && !strings.Contains(w.Text, "=") {
				targets = append(targets, w.Text)
			}
		}
		other := func(target string) bool {
			return !slices.ContainsFunc(aside, func(a string) bool {
				return target == a || strings.HasPrefix(target, a+"-") || strings.HasPrefix(target, a+".")
			})
		}
		return len(targets) == 0 || slices.ContainsFunc(targets, other)
	case script.IsShell(name):
		return len(words) > 1
	}
	return strings.HasSuffix(name, ".sh") || strings.HasPrefix(words[0].Text, "./") ||
		strings.HasPrefix(words[0].Text, "hack/")
}
