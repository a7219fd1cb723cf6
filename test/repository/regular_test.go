package repository

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// opens are the functions that open what a path leads to, whatever it is.
var opens = map[string][]string{
	"os":      {"Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadFile", "DirFS", "CopyFS"},
	"syscall": {"Open"},
}

// openers are files that use one of these all the same, with the reason.
var openers = map[string]string{
	"assemble/inputs/extract.go": "OpenRoot of a directory that the process has made, to write to",
	"render/renderer/child.go":   "the null device, in place of standard output",
	"cmd/slipway/main.go":        "the null device, in place of standard input",
}

// ownFiles are packages that are not part of the command, and read this repository or what they
// have made themselves.
var ownFiles = []string{"examples", "internal/testing", "magefiles", "test", "docs"}

// TestOneOpener checks that files are opened by internal/regular, which does not wait for a named
// pipe and does not open devices.
func TestOneOpener(t *testing.T) {
	used := map[string]bool{}
	for dir := range packages(t) {
		own := func(d string) bool { return dir == d || strings.HasPrefix(dir, d+"/") }
		if dir == "internal/regular" || dir == "internal/disk" || slices.ContainsFunc(ownFiles, own) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			name, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			found := uses(t, file, func(pkg, name string) bool { return slices.Contains(opens[pkg], name) })
			if name = filepath.ToSlash(name); len(found) > 0 && openers[name] != "" {
				used[name] = true
				continue
			}
			for _, found := range found {
				t.Errorf("%s: use internal/regular, which does not wait for a named pipe", found)
			}
		}
	}
	for name := range openers {
		if !used[name] {
			t.Errorf("%s is an exception and opens nothing: remove it from the list", name)
		}
	}
}
