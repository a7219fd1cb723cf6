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
)

// command is the package of the slipway command.
const command = "github.com/slipway-dev/slipway/cmd/slipway"

// compile brings .slipway/bin/slipway up to date and returns its path. `go tool slipway` would
// do, were it not that `go tool` takes no -trimpath: then every package would be compiled a
// second time for the binary in dist/bin, which must not depend on the directory it was built in.
// A cold compilation takes a minute, so it tells how far it is.
func compile(ctx context.Context, quiet bool) (binary string, err error) {
	binary, err = filepath.Abs(filepath.Join(".slipway", "bin", "slipway"))
	if err != nil {
		return "", err
	}
	t := newTicker(os.Stderr, quiet)
	defer func() { t.stop(err) }()
	out, err := goCommand(ctx, "list", "-deps", "-f", `{{if and .Stale (ne .Name "main")}}{{.ImportPath}}{{end}}`, command).Output()
	if err != nil {
		return "", fmt.Errorf("looking up the packages of slipway: %w", withStderr(err))
	}
	t.expect(len(strings.Fields(string(out))))

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

// isPackage tells the import paths that -v prints from the compiler's messages, which have spaces
// or start with "#".
func isPackage(line string) bool {
	return line != "" && !strings.ContainsAny(line, " \t#")
}

// goCommand returns a go command with the flags of the build of dist/bin/slipway, which can reuse
// its packages.
func goCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=", "CGO_ENABLED=0", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd
}

// withStderr adds what the go command wrote to standard error.
func withStderr(err error) error {
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // comes straight from Output
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}
