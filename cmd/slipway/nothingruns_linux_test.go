package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// TestNothingRuns makes hostile trees and releases, and looks at every program that commands start
// on them. docs/trust.md lists those that may be.
func TestNothingRuns(t *testing.T) {
	allowed := programsAllowed(t)
	self, err := filepath.EvalSymlinks(slipway(t))
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+t.TempDir(), "GOPROXY=off", "GOTOOLCHAIN=local", "LC_ALL=C")
	// The tracer sees what is not on the list.
	seen, _, err := traceExec(t.TempDir(), env, "sh", "-c", "git --version; /bin/true; /bin/true")
	if err != nil || len(seen) < 2 ||
		!slices.ContainsFunc(seen, func(s started) bool { return !allowed[filepath.Base(s.file)] }) {
		t.Fatalf("the tracer sees %v, %v", seen, err)
	}
	hostile := append(hostileTrees(t), hostileReleases(t)...)
	if len(hostile) < 100 {
		t.Fatalf("there are only %d hostile trees", len(hostile))
	}
	for _, h := range extent.Some(hostile, 4) {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			mark := filepath.Join(top, "mark")
			dir := h.make(t, top, evil(t, top, mark))
			for _, args := range h.commands {
				seen, out, err := traceExec(dir, env, append([]string{slipway(t)}, args...)...)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(out, "goroutine ") {
					t.Errorf("%q: %s", args, out)
				}
				for _, s := range seen {
					if s.file != self && !allowed[filepath.Base(s.file)] || strings.HasPrefix(s.file, top) {
						t.Errorf("%q starts %s: %s", args, s.file, s.line)
					}
				}
				if _, err := os.Stat(mark); err == nil {
					t.Fatalf("%q ran what the tree names:\n%s", args, out)
				}
			}
		})
	}
}

// evil makes a program that leaves a mark, and returns its path.
func evil(t *testing.T, top, mark string) string {
	t.Helper()
	put(t, top, "evil", "#!/bin/sh\necho $0 \"$@\" >>"+mark+"\ncat\n")
	file := filepath.Join(top, "evil")
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// programsAllowed reads the list in docs/trust.md: the first column of the table of programs.
func programsAllowed(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../docs/trust.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| program | when |")
	table, _, _ = strings.Cut(table, "\n\n")
	allowed := map[string]bool{}
	for line := range strings.Lines(table) {
		if f := strings.Split(line, "|"); len(f) > 2 {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(f[1], -1) {
				allowed[m[1]] = true
			}
		}
	}
	if !ok || len(allowed) < 3 || !allowed["git"] {
		t.Fatalf("docs/trust.md has no list of programs: %v", allowed)
	}
	return allowed
}

// hostileCase is a tree or a release, and what is run on it.
type hostileCase struct {
	name     string
	make     func(t *testing.T, top, evil string) (dir string)
	commands [][]string
}

func command(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(
		os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
}
