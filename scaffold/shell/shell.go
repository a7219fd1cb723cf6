// Package shell reads the commands of shell texts, and runs nothing.
package shell

import (
	"maps"
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Call is a command in the text of a shell. Quotes are taken off its words; what a shell, make or a
// workflow would put in place stays in them, unless the text gives it plainly.
type Call struct {
	Line  int // from 1
	Words []string
	Dir   string            // that cd named before it; "." at first
	Env   map[string]string // that the command alone gets
	Input string            // the file that it reads, "" for none
	// Output is the file that it writes, as far as it is known; "" for none.
	Output string
}

// Bounds on a text.
const (
	maxText  = 64 << 10 // bytes that are parsed at once
	maxLines = 1 << 20
	maxBytes = 16 << 20 // of all words
	maxValue = 64 << 10 // bytes of a variable
	maxWords = 64       // of a loop
	maxSteps = 100_000  // commands and parts of them, those of loops and functions each time
	maxDepth = 10       // functions that call each other
)

// maxErrors bounds the mistakes that a text of a shell may have and still be read.
const maxErrors = 100

// automatic are variables of make that a shell would take for something else.
var automatic = lazyregexp.New(`\$[<^+%|]`)

// Calls returns the commands of a text, in their order. known are values of variables. A text is
// read in pieces of whole lines, since the parser's stack grows with the depth of nesting.
func Calls(text string, known map[string]string) []Call {
	r := &callReader{dir: ".", values: maps.Clone(known)}
	if r.values == nil {
		r.values = map[string]string{}
	}
	text = automatic.ReplaceAllString(text, "$$*")
	for len(text) > 0 && r.first < maxLines && r.bytes < maxBytes {
		end := len(text)
		if end > maxText {
			if end = strings.LastIndexByte(text[:maxText], '\n') + 1; end == 0 {
				return r.calls
			}
		}
		r.read(text[:end])
		text = text[end:]
	}
	return r.calls
}

// read reads a piece of a text.
func (r *callReader) read(text string) {
	file, _ := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.RecoverErrors(maxErrors)).
		Parse(strings.NewReader(text), "")
	r.text, r.around, r.before, r.inputs = text, nil, nil, map[syntax.Command]string{}
	r.outputs = map[syntax.Command]string{}
	r.functions, r.called = map[string]*syntax.Stmt{}, map[*syntax.Stmt]bool{}
	if file != nil {
		syntax.Walk(file, r.visit)
		r.uncalled(file)
	}
	r.first += strings.Count(text, "\n")
}

// callReader collects the calls of a text.
type callReader struct {
	text   string
	dir    string
	around []syntax.Node
	before []state // each of them
	values map[string]string
	steps  int
	first  int // lines before the piece that is read
	bytes  int
	inputs map[syntax.Command]string
	// outputs are the files that commands write.
	outputs map[syntax.Command]string
	calls   []Call

	functions map[string]*syntax.Stmt // their bodies
	called    map[*syntax.Stmt]bool
	depth     int // of functions
}

// state is what a subshell does not change.
type state struct {
	dir    string
	values map[string]string
}

func (r *callReader) visit(n syntax.Node) bool {
	if n == nil {
		last := len(r.around) - 1
		if _, ok := r.around[last].(*syntax.Subshell); ok {
			r.dir, r.values = r.before[last].dir, r.before[last].values
		}
		r.around, r.before = r.around[:last], r.before[:last]
		return true
	}
	if r.steps++; r.steps > maxSteps {
		return false
	}
	now := state{}
	if _, ok := n.(*syntax.Subshell); ok {
		now = state{r.dir, maps.Clone(r.values)}
	}
	r.around, r.before = append(r.around, n), append(r.before, now)
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		if from, ok := n.X.Cmd.(*syntax.CallExpr); ok && n.Op == syntax.Pipe {
			if words := r.words(from); len(words) > 1 && words[0] == "cat" {
				r.inputs[n.Y.Cmd] = path.Join(r.dir, words[1])
			}
		}
	case *syntax.Stmt:
		for _, to := range n.Redirs {
			switch {
			case n.Cmd == nil:
			case to.Op == syntax.RdrIn:
				r.inputs[n.Cmd] = path.Join(r.dir, r.word(to.Word.Parts))
			case to.Op == syntax.RdrOut || to.Op == syntax.AppOut:
				r.outputs[n.Cmd] = r.word(to.Word.Parts)
			}
		}
	case *syntax.CallExpr:
		r.call(n)
	case *syntax.DeclClause:
		r.assign(n.Args)
	case *syntax.FuncDecl:
		r.functions[n.Name.Value] = n.Body
		r.around, r.before = r.around[:len(r.around)-1], r.before[:len(r.before)-1]
		return false
	case *syntax.ForClause:
		if items, ok := n.Loop.(*syntax.WordIter); ok && r.loop(items, n.Do) {
			r.around, r.before = r.around[:len(r.around)-1], r.before[:len(r.before)-1]
			return false
		}
	}
	return true
}

// uncalled reads the functions that nothing in the text calls.
func (r *callReader) uncalled(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && !r.called[f.Body] {
			r.called[f.Body] = true
			syntax.Walk(f.Body, r.visit)
		}
		return true
	})
}

// function reads the body of a function with the words that it is called with.
func (r *callReader) function(body *syntax.Stmt, words []string) {
	r.called[body] = true
	before := r.values
	r.values = maps.Clone(before)
	for n := range maxWords {
		name := strconv.Itoa(n)
		if delete(r.values, name); n > 0 && n < len(words) && !Unknown(words[n]) {
			r.values[name] = words[n]
		}
	}
	r.depth++
	syntax.Walk(body, r.visit)
	r.depth--
	r.values = before
}

// loop reads the commands of a loop for each of its words, if these are known.
func (r *callReader) loop(over *syntax.WordIter, do []*syntax.Stmt) bool {
	var words []string
	for _, w := range over.Items {
		word := r.word(w.Parts)
		if words = append(words, strings.Fields(word)...); Unknown(word) || strings.ContainsAny(word, "*?[{") ||
			len(words) > maxWords {
			return false
		}
	}
	for _, w := range words {
		r.values[over.Name.Value] = w
		for _, s := range do {
			syntax.Walk(s, r.visit)
		}
	}
	delete(r.values, over.Name.Value)
	return len(words) > 0
}

func (r *callReader) call(n *syntax.CallExpr) {
	words := r.words(n)
	if len(words) == 0 {
		r.assign(n.Assigns)
		return
	}
	if words[0] == "cd" && len(words) == 2 {
		if r.dir = path.Join(r.dir, words[1]); Unknown(words[1]) || path.IsAbs(words[1]) {
			r.dir = "."
		}
		return
	}
	for _, w := range words {
		r.bytes += len(w)
	}
	if r.bytes >= maxBytes {
		return
	}
	env := map[string]string{}
	for _, a := range n.Assigns {
		if a.Name != nil && a.Value != nil {
			env[a.Name.Value] = r.word(a.Value.Parts)
		}
	}
	r.calls = append(r.calls, Call{r.first + int(n.Pos().Line()), words, r.dir, env, r.inputs[n], r.outputs[n]})
	if body := r.functions[words[0]]; body != nil && r.depth < maxDepth {
		r.function(body, words)
	}
}

// assign takes in values. A variable of unknown value is removed.
func (r *callReader) assign(list []*syntax.Assign) {
	for _, a := range list {
		if a.Name == nil || a.Naked {
			continue
		}
		v := ""
		if a.Value != nil {
			v = r.word(a.Value.Parts)
		}
		if old, ok := r.values[a.Name.Value]; a.Append && ok {
			v = old + v
		} else if a.Append {
			v = "$"
		}
		if r.values[a.Name.Value] = v; Unknown(v) || len(v) > maxValue || a.Array != nil || a.Index != nil {
			delete(r.values, a.Name.Value)
		}
	}
}
