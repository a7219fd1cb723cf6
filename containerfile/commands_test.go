package containerfile_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/containerfile/script"
)

// evaluation is [build] or [check].
type evaluation func(*testing.T, containerfile.Input) (containerfile.Result, error)

func build(t *testing.T, in containerfile.Input) (containerfile.Result, error) {
	t.Helper()
	r, err := containerfile.Build(t.Context(), in)
	evaluatedCommands.add(in, err == nil)
	return r, err
}

func check(t *testing.T, in containerfile.Input) (containerfile.Result, error) {
	t.Helper()
	r, err := containerfile.Check(t.Context(), in)
	evaluatedCommands.add(in, err == nil)
	t.Cleanup(r.Close)
	return r.Result, err
}

// evaluatedCommands are the commands of RUN in the Dockerfiles that tests have evaluated.
var evaluatedCommands = commandSet{names: map[string]bool{}}

type commandSet struct {
	mu    sync.Mutex
	names map[string]bool // whether one evaluation had no error
}

// add adds the commands of the RUN instructions of a Dockerfile.
func (s *commandSet) add(in containerfile.Input, evaluated bool) {
	source := in.Source
	if source == nil {
		source, _ = os.ReadFile(in.File)
	}
	file, err := parser.Parse(bytes.NewReader(source))
	if err != nil {
		return
	}
	none := func(string) (string, bool) { return "", false }
	around := script.Around{Env: none, Files: none, System: func(string) bool { return false }}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range file.AST.Children {
		parsed, err := instructions.ParseInstruction(n)
		line, ok := parsed.(*instructions.RunCommand)
		if err != nil || !ok {
			continue
		}
		text, words := run.Script(line)
		for _, c := range script.Calls(text, words, around) {
			name := c.Words[0].Text
			if script.IsGo(name) { // or xx-go, as it is written
				name = c.Words[0].Source
			}
			name = strings.ToLower(path.Base(name))
			s.names[name] = s.names[name] || evaluated
		}
	}
}

// missing returns the commands in the tables of docs/dockerfile.md that no test has evaluated.
// TestDocument of package run compares these tables with those of the code.
func (s *commandSet) missing() (names []string, err error) {
	doc, err := os.ReadFile("../docs/dockerfile.md")
	if err != nil {
		return nil, err
	}
	_, table, _ := strings.Cut(string(doc), "## Commands of RUN")
	table, _, _ = strings.Cut(table, "\n## ")
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| Linux, in the shell") || strings.HasPrefix(line, "| Linux, in `[`") {
			continue // TestDocument of package script reads these
		}
		skips := strings.HasPrefix(line, "| a stage that compiles")
		_, cell, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			// A line that is refused proves nothing about what a command writes; what a stage that
			// compiles skips, writes nothing.
			if evaluated, tried := s.names[m[1]]; !evaluated && (!tried || !skips) {
				names = append(names, m[1])
			}
		}
	}
	return names, nil
}

// TestMain fails when all tests have run and none has evaluated one of the commands of RUN.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && flag.Lookup("test.run").Value.String()+flag.Lookup("test.fuzz").Value.String() == "" {
		missing, err := evaluatedCommands.missing()
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("no test evaluates RUN with %s: add a line with it that succeeds to "+
				"testdata/run*.txtar, and to test/buildkit/testdata/run.txtar", strings.Join(missing, " "))
		}
		if err != nil {
			fmt.Println("FAIL:", err)
			code = 1
		}
	}
	os.Exit(code)
}
