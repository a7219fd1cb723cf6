package yamlfile

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/regular"
)

// ReadText reads at most one byte more than limit of a file, so that [Errors.CheckText] can
// refuse a longer one. The file must be regular.
func ReadText(path string, limit int) ([]byte, error) { return readText(path, limit, regular.Open) }

func readText(path string, limit int, open func(string) (*os.File, error)) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(limit)+1))
}

// ReadInput reads a file that a user has named as [ReadText] does, or standard input for "-"; it
// may be a pipe. name is what messages call it.
func ReadInput(path string, limit int) (name string, text []byte, err error) {
	if path == "-" {
		name = "stdin"
		text, err = io.ReadAll(io.LimitReader(os.Stdin, int64(limit)+1))
	} else {
		name = path
		text, err = readText(path, limit, regular.OpenGiven)
	}
	return name, text, err
}

// CheckText reports a text that is longer than limit, and the first place where it is not text.
// The result is true if there is neither.
func (e *Errors) CheckText(file string, b []byte, limit int) bool {
	if len(b) > limit {
		e.At(Pos{file, 1, 1}, "the file has more than %s: is it the right one?", mib(limit))
		return false
	}
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		e.At(Pos{file, 1, 1}, "the file is UTF-16: save it as UTF-8")
		return false
	}
	line, column := 1, 1
	for rest := b; len(rest) > 0; column++ {
		r, n := utf8.DecodeRune(rest)
		what := ""
		switch {
		case r == utf8.RuneError && n == 1:
			what = fmt.Sprintf("byte 0x%02x is not UTF-8: save the file as UTF-8", rest[0])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85:
			what = fmt.Sprintf("control character %U: take it out", r)
		}
		if what != "" {
			e.At(Pos{file, line, column}, "%s", what)
			return false
		}
		if r == '\n' {
			line, column = line+1, 0
		}
		rest = rest[n:]
	}
	return true
}

// mib writes a bound.
func mib(n int) string { return fmt.Sprintf("%d MiB", n>>20) }

// action is how the actions of Go templates begin, of which Helm charts are made.
var action = lazyregexp.New(`\{\{-?\s*(?:[.$(]|/\*|[a-zA-Z]+\b)`)

// helm matches actions that only Helm's templates have.
var helm = lazyregexp.New(`\{\{[^}]*(?:\.(?:Values|Release|Chart|Capabilities|Files)\b|\binclude\b|\btoYaml\b)`)

// NotRendered returns an error if a text has actions of a Go template, and nil otherwise. Such a
// text may still be YAML: the alerts of Prometheus have actions of their own. Ask only about a text
// that is not YAML.
func NotRendered(file string, text []byte) *Error {
	at := action.FindIndex(text)
	if at == nil {
		return nil
	}
	before := text[:at[0]]
	p := Pos{
		file, 1 + bytes.Count(before, []byte("\n")),
		1 + utf8.RuneCount(before[1+bytes.LastIndexByte(before, '\n'):]),
	}
	if helm.Match(text) {
		return newError(p,
			"this is a Helm template, not YAML: render it with helm template and name the result, or write it for ytt")
	}
	return newError(p, "this is a Go template, not YAML: name what its program makes of it, or write it for ytt")
}
