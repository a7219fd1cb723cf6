package target

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// command is the package of the slipway command.
const command = "github.com/slipway-dev/slipway/cmd/slipway"

// compile updates .slipway/bin/slipway and returns its path. It reports progress, because
// a cold compilation takes a minute.
//
// It does not use `go tool slipway`, because `go tool` has no -trimpath: every
// package would be compiled a second time for the binary in dist/bin, which must not
// depend on its build directory.
func compile(ctx context.Context, quiet bool) (binary string, err error) {
	binary, err = filepath.Abs(filepath.Join(".slipway", "bin", "slipway"))
	if err != nil {
		return "", err
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
	build := goCommand(ctx, "build", "-v", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, command)
	stderr, err := build.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := build.Start(); err != nil {
		return "", fmt.Errorf("compiling slipway: %w", err)
	}
	var said bytes.Buffer
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if isPackage(lines.Text()) {
			t.compiled(lines.Text())
		} else {
			fmt.Fprintln(&said, lines.Text())
		}
	}
	if err := build.Wait(); err != nil {
		return "", fmt.Errorf("compiling slipway: %w\n%s", err, said.Bytes())
	}
	return binary, nil
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
