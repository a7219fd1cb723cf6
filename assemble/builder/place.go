package builder

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/regular"
)

// How builders name the place of a failure. BuildKit prints FILE:LINE above the lines of the file,
// and what programs print behind a number or a time. Podman prints the instruction that it begins.
var (
	sourceForm = lazyregexp.New(`^([^\s:]+):([1-9][0-9]*)$`)
	parseForm  = lazyregexp.New(`dockerfile parse error on line ([1-9][0-9]*)`)
	stepForm   = lazyregexp.New(`^(?:\[[^\]]+\] )?(STEP [0-9]+/[0-9]+): (.*)$`)
)

// located is what the lines so far tell of the place of a failure.
type located struct {
	file, line string // of BuildKit
	step, text string // of podman: the last that it began
}

// take takes what a line tells.
func (l *located) take(text string) {
	if m := sourceForm.FindStringSubmatch(text); m != nil {
		l.file, l.line = m[1], m[2]
	} else if m := parseForm.FindStringSubmatch(text); m != nil && l.line == "" {
		l.line = m[1]
	} else if m := stepForm.FindStringSubmatch(text); m != nil {
		l.step, l.text = m[1], m[2]
	}
}

// place returns where in its Dockerfile a build failed: FILE:LINE, the step as podman counts, or
// "".
func (l *located) place(r Request) string {
	switch {
	case l.line != "" && (l.file == "" || l.file == filepath.Base(r.File)):
		return r.shown() + ":" + l.line
	case l.step != "":
		if n := lineOf(r.File, l.text); n > 0 {
			return fmt.Sprintf("%s:%d", r.shown(), n)
		}
	}
	return l.step // of a base in a named context, podman prints another name
}

// lineOf returns the line of the one instruction of a Dockerfile with a text, or 0.
func lineOf(file, text string) int {
	b, err := regular.Read(file)
	if err != nil {
		return 0
	}
	parsed, err := parser.Parse(bytes.NewReader(b))
	if err != nil {
		return 0
	}
	found := 0
	for _, n := range parsed.AST.Children {
		if words(n.Original) != words(text) {
			continue
		}
		if found > 0 {
			return 0
		}
		found = n.StartLine
	}
	return found
}

// words is a text with one space wherever it has white space.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }
