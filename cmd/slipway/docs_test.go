package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	// code matches blocks and spans of code in Markdown. An indented block may be an item of a
	// list.
	code = regexp.MustCompile("(?ms)^ *```[a-z]*\n(.*?)^ *```$|`([^`\n]+)`")
	// called matches a call of slipway or of a mage target up to what ends a command.
	called = regexp.MustCompile(`(?m)(?:^|[\s"'=(/])(slipway|tool mage)((?:[ \t]+[^\s|;&#>)<"'` + "`" + `]+)+)`)
	word   = regexp.MustCompile(`^[a-z][a-z-]+$`)
)

// TestHeadings finds headings that stand inside a line, where two texts were joined.
func TestHeadings(t *testing.T) {
	inside := regexp.MustCompile(`(?m)^[^#\n].*\s#{1,6} [A-Z].*$`)
	for _, file := range markdownFiles(t) {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		if m := inside.Find(code.ReplaceAll(text, nil)); m != nil {
			t.Errorf("%s: a heading stands inside the line %q", file, m)
		}
	}
}

// former matches a span that is the name of a command without its group. Where pages have such
// words with other meanings, these are packages, jobs and directories.
var (
	former      = regexp.MustCompile("`(build|publish|render|fetch|kubernetes|tekton|list|clean|sign)`")
	notCommands = []string{
		"CONTRIBUTING.md", "docs/packages.md", "docs/github.md", "docs/init.md",
		"docs/json.md", "docs/results/explore.md", "docs/results/benchmarks.md",
	}
)

// TestDocs checks that the commands, targets and flags in code of the documentation exist.
// Decisions may describe what no longer does.
func TestDocs(t *testing.T) {
	targets := mageTargets(t)
	checked := 0
	for _, file := range markdownFiles(t) {
		if file == "docs/commands.md" { // prose, in which a line may begin with slipway; TestHelp checks the examples
			continue
		}
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range former.FindAll(text, -1) {
			if !slices.Contains(notCommands, file) {
				t.Errorf("%s: %s is not a command: write its group, too", file, m)
			}
		}
		for _, m := range code.FindAllSubmatchIndex(text, -1) {
			at := max(m[2], m[4])
			end := max(m[3], m[5])
			snippet := strings.ReplaceAll(string(text[at:end]), "\\\n", "  ")
			for _, call := range called.FindAllStringSubmatch(snippet, -1) {
				line := fmt.Sprintf("%s:%d: %s %s", file, 1+strings.Count(string(text[:at]), "\n"),
					call[1], strings.TrimSpace(call[2]))
				words := strings.Fields(call[2])
				var err error
				if call[1] == "slipway" {
					err = checkCall(newRoot(), words)
				} else {
					err = checkTarget(targets, words)
				}
				if err != nil {
					t.Errorf("%s: %v", line, err)
				}
				checked++
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d calls were found", checked)
	}
}

// checkCall reports a subcommand or flag that a command does not have.
func checkCall(cmd *cobra.Command, words []string) error {
	commands := true // until something else came
	for _, w := range longFlags(words) {
		name, isLong := strings.CutPrefix(w, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case isLong && word.MatchString(name):
			cmd.InitDefaultHelpFlag()
			if cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
				return fmt.Errorf("%s has no flag -%s", cmd.CommandPath(), name)
			}
		case !strings.HasPrefix(w, "-") && commands && cmd.HasSubCommands() && word.MatchString(w):
			sub := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == w })
			if sub < 0 {
				return fmt.Errorf("%s has no command %s", cmd.CommandPath(), w)
			}
			cmd = cmd.Commands()[sub]
		default:
			commands = false
		}
	}
	return nil
}

// checkTarget reports a target or flag of mage that does not exist.
func checkTarget(targets map[string][]string, words []string) error {
	flags, ok := targets[words[0]]
	switch {
	case !word.MatchString(words[0]): // -l
		return nil
	case !ok:
		return fmt.Errorf("there is no target %s", words[0])
	}
	for _, w := range words[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(w, "-"), "=")
		if strings.HasPrefix(w, "-") && word.MatchString(name) &&
			!slices.Contains(flags, strings.ReplaceAll(strings.ToLower(name), "-", "")) {
			return fmt.Errorf("target %s has no flag -%s", words[0], name)
		}
	}
	return nil
}

// mageTargets returns the flags of each target, in lower case.
func mageTargets(t *testing.T) map[string][]string {
	t.Helper()
	targets := map[string][]string{}
	for _, dir := range []string{"magefiles", "target"} {
		files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no targets in %s: %v", dir, err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv != nil || !fn.Name.IsExported() || strings.HasSuffix(file, "_test.go") {
					continue
				}
				var flags []string
				for _, p := range fn.Type.Params.List {
					for _, name := range p.Names {
						flags = append(flags, strings.ToLower(name.Name))
					}
				}
				targets[strings.ToLower(fn.Name.Name)] = flags
			}
		}
	}
	return targets
}

// markdownFiles lists the documentation of the repository but its decisions.
func markdownFiles(t *testing.T) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../.."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." &&
			(d.Name()[0] == '.' || slices.Contains([]string{"adr", "dist", "site", "testdata"}, d.Name())):
			return fs.SkipDir
		case path.Ext(file) == ".md":
			files = append(files, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// advised matches a command that a message advises to run.
var advised = regexp.MustCompile(`howto\.Run\("([^"]+)"`)

// TestAdvice checks that the commands and flags that messages advise exist.
func TestAdvice(t *testing.T) {
	checked := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (d.Name()[0] == '.' || d.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join("../..", file))
		for _, m := range advised.FindAllSubmatch(text, -1) {
			checked++
			if err := checkCall(newRoot(), strings.Fields(string(m[1]))); err != nil {
				t.Errorf("%s: %s: %v", file, m[0], err)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 30 {
		t.Errorf("only %d commands were found", checked)
	}
}
