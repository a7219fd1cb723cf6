// Slipway cuts mixed Linux and Windows Kubernetes releases from one Linux machine.
//
// Each subcommand is a stage, or all of them in order (release); each stands in a file of its own, which parses, calls the stage's
// package and prints. Results go to standard output, progress and errors to standard error. The exit code is 0, or 1 where the
// work did not succeed, or 2 where the command line is wrong.
package main

import (
	"context"
	"io"
	"os"

	"github.com/slipway-dev/slipway/internal/transfer"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the command line args and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	transfer.Agent = "slipway/" + identify().Version
	ctx, stop := interruptible(context.Background(), stderr)
	defer stop()
	root := newRoot()
	root.SetArgs(longFlags(args))
	root.SetOut(stdout)
	root.SetErr(stderr)
	return report(stderr, stopped(ctx, root.ExecuteContext(ctx)))
}
