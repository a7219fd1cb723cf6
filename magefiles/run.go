//go:build mage

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// command returns a command in a directory of the repository that prints where mage
// prints. When ctx ends, it is interrupted before it is killed.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// do prints and runs a command, and names it in the error.
func do(ctx context.Context, dir string, args ...string) error {
	return start(command(ctx, dir, args...))
}

// start is do for an existing command, and prints the duration of a slow one with the processor
// time, which other programs on the machine change less.
func start(cmd *exec.Cmd) error {
	line := strings.Join(cmd.Args, " ")
	fmt.Fprintf(os.Stderr, "→ %s: %s\n", cmd.Dir, line)
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s in %s: %w", line, cmd.Dir, err)
	}
	if took := time.Since(began); took > 2*time.Second {
		busy := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		fmt.Fprintf(os.Stderr, "  %s: %d s, processors %d s\n", cmd.Dir, int(took.Seconds()), int(busy.Seconds()))
	}
	return nil
}

// together runs commands, several at once, starts them in this order, and prints the output of each
// when it ends. Two more run than the machine has processors, because suites wait for daemons and
// controllers.
func together(cmds []*exec.Cmd) error {
	errs := make([]error, len(cmds))
	var printing sync.Mutex
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0) + 2)
	for n, cmd := range cmds {
		g.Go(func() error {
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			errs[n] = start(cmd)
			printing.Lock()
			defer printing.Unlock()
			fmt.Fprintf(os.Stderr, "← %s: %s\n%s", cmd.Dir, strings.Join(cmd.Args, " "), out.String())
			return nil
		})
	}
	return errors.Join(g.Wait(), errors.Join(errs...))
}

// modules returns the directories of the repository's Go modules, the main one last so that its
// results end a run, without modules that only pin programs and have no code but a doc.go.
func modules() ([]string, error) {
	var dirs, code []string
	err := walk(func(path string) error {
		switch {
		case path != "go.mod" && filepath.Base(path) == "go.mod":
			dirs = append(dirs, filepath.Dir(path))
		case filepath.Ext(path) == ".go" && filepath.Base(path) != "doc.go":
			code = append(code, path)
		}
		return nil
	})
	dirs = slices.DeleteFunc(dirs, func(dir string) bool {
		return !slices.ContainsFunc(code, func(path string) bool { return strings.HasPrefix(path, dir+"/") })
	})
	return append(slices.Sorted(slices.Values(dirs)), "."), err
}

// walk calls file for every file of the repository except outputs and test data.
func walk(file func(path string) error) error {
	return filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return file(path)
		case path != "." && (d.Name()[0] == '.' || slices.Contains([]string{"dist", "testdata"}, d.Name())):
			return filepath.SkipDir
		}
		return nil
	})
}

// testsWith lists, by directory, the matches of expr's first group in test files.
func testsWith(expr string) (map[string][]string, error) {
	re := regexp.MustCompile(expr)
	found := map[string][]string{}
	return found, walk(func(path string) error {
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range re.FindAllStringSubmatch(string(text), -1) {
			found[filepath.Dir(path)] = append(found[filepath.Dir(path)], m[1])
		}
		return nil
	})
}
