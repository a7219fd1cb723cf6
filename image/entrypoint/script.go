package entrypoint

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// interpreted returns why the interpreter of a script, or the loader of a program with shared
// libraries, cannot be started.
func (i Image) interpreted(shown string, head []byte, depth int) (why string, err error) {
	by, argument, err := executable.Interpreter(bytes.NewReader(head))
	if err != nil || by == "" {
		return "", err
	}
	why, err = i.needed(shown, absolute(i.directory(), by), depth)
	if why != "" || err != nil || path.Base(by) != "env" {
		return why, err
	}
	name := envProgram(argument)
	switch {
	case argument == "":
		return shown + " names no program for env: write #!" + by + " and its name", nil
	case name == "":
		return "", nil
	case strings.Contains(name, "/"):
		return i.needed(shown, absolute(i.directory(), name), depth)
	}
	candidates := i.candidates(name)
	for _, p := range candidates[:min(len(candidates), maxCandidates)] {
		_, n, err := tree.Resolve(i.Tree, p)
		if err != nil && !tree.Loops(err) || n != nil && n.Kind == layer.Regular {
			return "", err
		}
	}
	if strings.Contains(name, " ") {
		return fmt.Sprintf("%s needs %q to start, which no directory of PATH has: "+
			"Linux gives env the words as one, so write #!%s -S", shown, name, by), nil
	}
	return fmt.Sprintf("%s needs %s to start, which no directory of PATH has: name a base that has it", shown,
		name), nil
}

// needed returns why the program at an absolute path cannot start the one that is shown.
func (i Image) needed(shown, by string, depth int) (why string, err error) {
	to, n, err := tree.Resolve(i.Tree, by)
	switch {
	case tree.Loops(err):
		return fmt.Sprintf("%s needs %s: %v", shown, by, err), nil
	case err != nil:
		return "", err
	case n == nil:
		return fmt.Sprintf("%s needs %s to start, which the image does not have: name a base that has it, "+
			"or build the program so that it needs none (CGO_ENABLED=0 in Go)", shown, by), nil
	case n.Kind != layer.Regular || n.Odd != "":
		return fmt.Sprintf("%s needs %s to start, which is not a file: name its interpreter", shown, by), nil
	}
	if why, err = i.forbidden(by, to, n); why != "" || err != nil {
		return fmt.Sprintf("%s needs %s to start, and %s", shown, by, why), err
	}
	f, err := i.read(by, to, depth+1)
	if f.Text == "" || err != nil {
		return "", err
	}
	return fmt.Sprintf("%s needs %s to start: %s", shown, by, f.Text), nil
}

// envProgram returns the program that env(1) starts by the words behind it, which Linux gives it as
// one; "" if that is not certain.
func envProgram(argument string) string {
	rest, split := strings.CutPrefix(argument, "-S")
	if !split {
		rest, split = strings.CutPrefix(argument, "--split-string=")
	}
	words := []string{argument}
	if split {
		words = strings.Fields(rest)
	}
	for _, w := range words {
		switch {
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "PATH=") || strings.ContainsAny(w, `"'\$`):
			return ""
		case !strings.Contains(w, "="):
			return w
		}
	}
	return ""
}
