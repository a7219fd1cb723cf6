package target

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// command is the package of the slipway command.
const command = "github.com/slipway-dev/slipway/cmd/slipway"

// buildFlags are the arguments of the go command by which slipway is compiled.
var buildFlags = []string{"build", "-buildvcs=false", "-ldflags=-s -w"}

// compile updates .slipway/bin/slipway and returns its path. Progress is reported, because a cold
// compilation takes a minute. The go command is not asked if the program is current.
//
// `go tool slipway` is not used, because `go tool` has no -trimpath: every package would be
// compiled a second time for the binary in dist/bin, which must not depend on its build
// directory.
func compile(ctx context.Context, quiet bool) (binary string, err error) {
	binary, err = filepath.Abs(filepath.Join(".slipway", "bin", "slipway"))
	if err != nil {
		return "", err
	}
	if current(ctx, binary) {
		return binary, nil
	}
	t := newTicker(os.Stderr, quiet)
	defer func() { t.stop(err) }()
	counted, stop := context.WithCancel(ctx)
	var counting sync.WaitGroup
	if !quiet {
		counting.Go(func() { count(counted, t) })
	}
	defer counting.Wait()
	defer stop()
	return binary, recorded(ctx, binary, command, func() error { return build(ctx, binary, command, t) })
}

// build compiles the package pkg into a program, unless that is what it would be.
func build(ctx context.Context, program, pkg string, t *ticker) error {
	cmd := goCommand(ctx, slices.Concat(buildFlags, []string{"-v", "-o", program, pkg})...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("compiling slipway: %w", err)
	}
	var said bytes.Buffer
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if isPackage(lines.Text()) {
			t.compiled(lines.Text())
		} else {
			fmt.Fprintln(&said, lines.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("compiling slipway: %w\n%s", err, said.Bytes())
	}
	return nil
}

// patience is how long a build may take before its packages are counted for the sake of progress:
// counting takes the go command as long as finding out what to compile does, and most builds have
// ended by then.
const patience = 4 * time.Second

// count asks the go command how many packages are still to be compiled.
func count(ctx context.Context, t *ticker) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(patience):
	}
	before := t.begun()
	out, err := goCommand(ctx, "list", "-buildvcs=false", "-deps", "-f",
		`{{if and .Stale (ne .Name "main")}}{{.ImportPath}}{{end}}`, command).Output()
	if err == nil {
		t.expect(before + len(strings.Fields(string(out))))
	}
}

// isPackage distinguishes import paths printed by -v from compiler messages, which
// contain spaces or start with "#".
func isPackage(line string) bool {
	return line != "" && !strings.ContainsAny(line, " \t#")
}

// goCommand returns a go command with the build flags of dist/bin/slipway, which
// can then reuse its packages.
func goCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=",
		"CGO_ENABLED=0", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd
}
