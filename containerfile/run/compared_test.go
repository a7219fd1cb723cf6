package run

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// builtin are commands of the shell itself.
var builtin = []string{"cd", "echo", "printf", "true", ":"}

// uncompared are commands that lines with BuildKit cannot have, and why.
var uncompared = map[string]string{
	"useradd":  scenarios,
	"groupadd": scenarios,
	"setcap":   scenarios,
	"shasum":   "it is a program in Perl, and the function is that of sha256sum",
	"xx-go":    "other tests of test/buildkit compare stages that compile",
}

const scenarios = "containerfile/system/testdata/scenarios has what the program itself wrote"

// TestCompared looks for each command of Linux in the lines that test/buildkit runs with BuildKit.
// What a command writes or prints is right only if the program does the same.
func TestCompared(t *testing.T) {
	const lines, suite = "../../test/buildkit/testdata/run.txtar", "../../test/buildkit/run_test.go"
	all, err := txtar.ParseFile(lines)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range all.Files {
		if !strings.HasPrefix(f.Name, "fails") {
			text.Write(f.Data)
		}
	}
	source, err := os.ReadFile(suite)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(fileCommands(), textCommands(), systemCommands()) {
		for name := range strings.FieldsSeq(c.names) {
			called := regexp.MustCompile("(?m)(^|[\\s;&|(`])" + regexp.QuoteMeta(name) + `([\s;)]|$)`)
			if why := uncompared[name]; why != "" {
				continue
			}
			if !called.MatchString(text.String()) {
				t.Errorf("%s has no line with %s: add one, so that BuildKit's result is compared", lines, name)
			}
			if !slices.Contains(builtin, name) && !strings.Contains(string(source), `"`+name+`"`) {
				t.Errorf("tools in %s lacks %s: the lines run without the program", suite, name)
			}
		}
	}
}
