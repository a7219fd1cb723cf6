package workload

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

// action is how the actions of Go templates begin, of which Helm charts are made.
var action = regexp.MustCompile(`\{\{-?\s*(?:[.$(]|/\*|[a-zA-Z]+\b)`)

// NotRendered returns an error if a text has actions of a Helm template. Such a text may still be
// YAML: the alerts of Prometheus have actions of their own. Ask only where it is not.
func NotRendered(file string, text []byte) *Error {
	at := action.FindIndex(text)
	if at == nil {
		return nil
	}
	before := text[:at[0]]
	p := Pos{file, 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[1+bytes.LastIndexByte(before, '\n'):])}
	return errorAt(p, "this is a Helm template, not YAML: render it with helm template and name the result, or write it for ytt")
}

// Guard turns a panic of a YAML parser into an error about the file that it reads. It is to be
// deferred: parsers panic on some texts that they should refuse.
func Guard(file string, err *error) {
	if r := recover(); r != nil {
		*err = errorAt(Pos{file, 1, 1}, "this is not YAML that can be read (%v): look at indentation, quotes and colons", r)
	}
}
