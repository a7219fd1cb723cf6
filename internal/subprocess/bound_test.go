package subprocess_test

import (
	"context"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/subprocess"
)

// TestBound ends a program that writes without end, also one that does not care for its reader.
func TestBound(t *testing.T) {
	for _, script := range []string{"yes", `trap "" PIPE; while :; do echo y; done 2>/dev/null`} {
		ctx, cancel := context.WithCancel(t.Context())
		b := &subprocess.Bound{Max: 1000, End: cancel}
		cmd := subprocess.Command(ctx, "sh", "-c", script)
		cmd.Stdout = b
		if err := cmd.Run(); err == nil || !b.Full || len(b.Text) > 1000 {
			t.Errorf("%q: %d bytes, %v", script, len(b.Text), err)
		}
		cancel()
	}
}

func TestTail(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"a\nb\n\n":                        "b",
		"one":                             "one",
		"progress\r100 %\r\n":             "100 %",
		strings.Repeat("long", 1000):      strings.Repeat("long", 512),
		strings.Repeat("x", 5000) + "\nz": "z",
	} {
		var tail subprocess.Tail
		for len(text) > 0 {
			n := min(len(text), 700)
			tail.Write([]byte(text[:n])) //nolint:errcheck // it never fails
			text = text[n:]
		}
		if got := tail.Line(); got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}
