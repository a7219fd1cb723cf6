package script

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Names returns the names of the commands in a script, conditions and loops included, as far as
// they can be read: the first word of each. The commands of substitutions are not among them.
func Names(source string) []string {
	var names []string
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
	if err != nil { // it is for cmd, or has a mistake that is reported elsewhere
		for _, line := range separators.Split(source, -1) {
			if f := strings.Fields(line); len(f) > 0 {
				names = append(names, strings.Trim(f[0], `"'(@`))
			}
		}
		return names
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.CallExpr:
			for _, w := range n.Args {
				name := literally(w)
				if name != "env" && name != "exec" && !strings.Contains(name, "=") {
					names = append(names, name)
					break
				}
			}
		}
		return true
	})
	return names
}

var separators = lazyregexp.New(`[&|;\n]+`)

// literally returns a word without its quotes, and nothing of its variables.
func literally(w *syntax.Word) string { return strings.ReplaceAll(holed(w), hole, "") }
