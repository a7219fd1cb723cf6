package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scripted matches a call of slipway in a script or a workflow, up to what ends a command.
var scripted = regexp.MustCompile(`(?m)(?:^|[\s"(/])(?:& \$Slipway|slipway"?)((?:[ \t]+[^\s|;&<>)]+)+)`)

// TestScripts checks that the commands and flags in workflows, actions and scripts exist. Some of
// these run on Windows only.
func TestScripts(t *testing.T) {
	checked := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", ".slipway", "dist", "testdata", "node_modules"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".yml", ".ps1", ".sh"}, path.Ext(file)):
			return nil
		}
		text, err := os.ReadFile(filepath.Join("../..", file))
		for n, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "#")
			if strings.Contains(code, "description:") || strings.Contains(code, "name:") {
				continue
			}
			for _, m := range scripted.FindAllStringSubmatch(code, -1) {
				words := strings.Fields(strings.NewReplacer(`"`, "", "'", "").Replace(m[1]))
				if len(words) == 0 || strings.ContainsAny(words[0], "$./:=") || // cp slipway "$HOME/bin"
					slices.Contains([]string{"is", "for"}, words[0]) { // prose
					continue
				}
				checked++
				if err := checkCall(newRoot(), words); err != nil {
					t.Errorf("%s:%d: %v", file, n+1, err)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 8 {
		t.Errorf("only %d calls were found", checked)
	}
}
