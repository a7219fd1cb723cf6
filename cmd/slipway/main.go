// Slipway releases mixed Linux and Windows Kubernetes products from one Linux machine.
//
// Each subcommand runs one stage, and release runs all of them in order. Its function newX
// parses the command line, calls the stage's package and returns the result to be printed.
// Results go to standard output, progress and errors to standard error. The exit code is
// 0 on success, 1 on failure, 2 for a wrong command line, 3 if a registry could not be read and 130
// after Ctrl-C.
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
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	_ "github.com/slipway-dev/slipway/internal/heap" // garbage is collected rarely, from the start on
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/sandbox"
	_ "github.com/slipway-dev/slipway/render/engines" // which render charts and kustomizations
	"github.com/slipway-dev/slipway/render/renderer"
)

func main() {
	renderer.Main()
	sandbox.Main()
	stderr := os.Stderr
	// Libraries that print instead of returning, such as kustomize's, find a file that takes
	// nothing.
	if sink, err := os.Open(os.DevNull); err == nil {
		os.Stderr = sink
	}
	os.Exit(run(named(os.Args[0], os.Args[1:]), os.Stdout, stderr))
}

// run runs the command line args and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	network.Agent = "slipway/" + identify().Version
	ctx, stop := interruptible(context.Background(), stderr)
	defer stop()
	defer renderer.Close()
	conceal(args, os.Environ())
	out, problems := output.New(stdout), output.New(stderr)
	collect(problems)
	root := newTree(out, problems)
	args = longFlags(args)
	root.SetArgs(args)
	err := unknownHelp(root, args)
	if err == nil {
		var cmd *cobra.Command
		cmd, err = root.ExecuteContextC(ctx)
		err = stopped(ctx, grouped(cmd, err))
	}
	if lost := out.Flush(); lost != nil && !errors.Is(err, lost) {
		err = errors.Join(err, lost)
	}
	code := explain(problems, err)
	problems.Flush() //nolint:errcheck // there is no other place to say so
	return code
}

// collect sends the logs of libraries to w: the standard library's
// servers, client-go, BuildKit. Helm's warnings, which it repeats with each
// rendering of a chart, are omitted.
func collect(w io.Writer) {
	slog.SetDefault(slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelError})))
	log.SetOutput(w)
	logrus.SetOutput(w)
	klog.SetSlogLogger(slog.New(slog.NewTextHandler(w, nil)))
}

// conceal registers passwords so that they are never printed. Passwords occur in
// arguments, as in -registry=https://me:password@host, and in URLs of the
// environment, as in HTTPS_PROXY or GOPROXY.
func conceal(args, env []string) {
	for _, a := range args {
		_, value, _ := strings.Cut(a, "=")
		output.Account(a)
		output.Account(value)
	}
	for _, e := range env {
		_, value, _ := strings.Cut(e, "=")
		// GOPROXY separates URLs by commas and bars.
		for _, text := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' }) {
			if strings.Contains(text, "://") {
				output.Account(text)
			}
		}
	}
}
