// Slipway cuts mixed Linux and Windows Kubernetes releases from one Linux machine.
//
// Each subcommand is a stage, or all of them in order (release); each stands in a file of its
// own, which parses, calls the stage's package and prints. Results go to standard output,
// progress and errors to standard error. The exit code is 0, or 1 where the work did not succeed,
// or 2 where the command line is wrong.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"

	"github.com/sirupsen/logrus"
	"k8s.io/klog/v2"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the command line args and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	network.Agent = "slipway/" + identify().Version
	ctx, stop := interruptible(context.Background(), stderr)
	defer stop()
	conceal(args, os.Environ())
	out, problems := output.New(stdout), output.New(stderr)
	collect(problems)
	root := newRoot()
	root.SetArgs(longFlags(args))
	root.SetOut(out)
	root.SetErr(problems)
	err := stopped(ctx, root.ExecuteContext(ctx))
	code := report(problems, errors.Join(err, out.Flush()))
	problems.Flush() //nolint:errcheck // there is no other place to say so
	return code
}

// collect sends what libraries log to w: the standard library's servers, client-go, BuildKit.
func collect(w io.Writer) {
	log.SetOutput(w)
	logrus.SetOutput(w)
	klog.SetSlogLogger(slog.New(slog.NewTextHandler(w, nil)))
}

// conceal registers the passwords in arguments, as in -registry=https://me:password@host, and in
// URLs of the environment, as in HTTPS_PROXY or GOPROXY: they are not printed, whoever repeats
// them.
func conceal(args, env []string) {
	for _, a := range args {
		_, value, _ := strings.Cut(a, "=")
		output.Account(a)
		output.Account(value)
	}
	for _, e := range env {
		_, value, _ := strings.Cut(e, "=")
		// as GOPROXY has them
		for _, text := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' }) {
			if strings.Contains(text, "://") {
				output.Account(text)
			}
		}
	}
}
