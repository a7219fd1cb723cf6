package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lint/nodes"
)

func TestReport(t *testing.T) {
	a, b, c := errors.New("slipway.yaml:1:2: a"), errors.New("b"), errors.New("c")
	for _, test := range []struct {
		name string
		err  error
		code int
		want string
	}{
		{"none", nil, 0, ""},
		{"one", a, 1, "error: slipway.yaml:1:2: a\n"},
		{"joined", errors.Join(a, errors.Join(b, c)), 1, "error: slipway.yaml:1:2: a\nerror: b\nerror: c\n"},
		{"joined by format", fmt.Errorf("%w, because of %w", a, b), 1, "error: slipway.yaml:1:2: a, because of b\n"},
		{"wrapped", fmt.Errorf("building: %w", a), 1, "error: building: slipway.yaml:1:2: a\n"},
		{
			"with more lines", errors.New("compiling: exit status 1\na.go:1:2: b\nerror: c"),
			1, "error: compiling: exit status 1\n  a.go:1:2: b\n  error: c\n",
		},
		{
			"escaped", errors.New("\x1b]0;x\a\u202e at https://me:hunter2@host"),
			1, `error: \x1b]0;x\x07\u202e at https://[redacted]@host` + "\n",
		},
		{
			"unmet", errors.Join(&nodes.Unmet{What: "Pod a"}, &nodes.Unmet{What: "Pod b", Why: ": why"}),
			1, "error: Pod a has no node that can run it\nerror: Pod b has no node that can run it: why\n",
		},
		{"interrupted", errors.Join(a, halted(syscall.SIGINT)), 130, "error: slipway.yaml:1:2: a\nerror: stopped by signal: interrupt\n"},
		{"terminated", fmt.Errorf("pushing: %w", halted(syscall.SIGTERM)), 143, "error: pushing: stopped by signal: terminated\n"},
		{"usage, deep", fmt.Errorf("checking: %w", errors.Join(b, howto.Usage("c"))), 2, "error: checking: b\n  c\n"},
		{"usage", howto.Usage("%w", a), 2, "error: slipway.yaml:1:2: a\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if code := explain(output.New(&out), test.err); code != test.code || out.String() != test.want {
				t.Errorf("report = %d, %q; want %d, %q", code, out.String(), test.code, test.want)
			}
		})
	}
}

func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := errors.New("pushing: context canceled")
	if err := stopped(ctx, failed); !errors.Is(err, failed) {
		t.Errorf("before the signal: %v", err)
	}
	signal := errors.New("stopped by signal: interrupt")
	cancel(signal)
	if err := stopped(ctx, failed); !errors.Is(err, signal) {
		t.Errorf("after the signal: %v", err)
	}
	if err := stopped(ctx, nil); err != nil {
		t.Errorf("what succeeded in spite of the signal: %v", err)
	}
}
