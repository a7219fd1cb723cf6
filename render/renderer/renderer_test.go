package renderer_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/renderer"
)

func TestMain(m *testing.M) {
	renderer.Main()
	code := m.Run()
	renderer.Close()
	os.Exit(code)
}

var (
	whoami  = renderer.Register("whoami", func(string) (int, error) { return os.Getpid(), nil })
	environ = renderer.Register("environ", func(string) ([]string, error) { return os.Environ(), nil })
	fail    = renderer.Register("fail", func(text string) (string, error) {
		return text, errors.Join(&yamlfile.Error{Pos: yamlfile.Pos{File: "a.yaml", Line: 2}, Text: "one"},
			fmt.Errorf("two: %w", os.ErrExist))
	})
	loop = renderer.Register("loop", func(place string) (int, error) {
		renderer.At(place)
		for n := 0; ; n++ {
			if n < 0 {
				return n, nil
			}
		}
	})
	recurse = renderer.Register("recurse", func(n int) (int, error) { return deeper(n), nil })
	grow    = renderer.Register("grow", func(place string) (int, error) {
		renderer.At(place)
		var all [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = byte(i)
			}
			all = append(all, b)
			if len(all) == math.MaxInt {
				return len(all), nil
			}
		}
	})
	long   = renderer.Register("long", func(n int) (string, error) { return strings.Repeat("x", n), nil })
	panics = renderer.Register("panics", func(text string) (string, error) { panic(text) })
)

func deeper(n int) int {
	if n < 0 {
		return 0
	}
	return deeper(n+1) + n
}

// within sets other limits for a test.
func within(t *testing.T, change func(l *renderer.Limits)) {
	t.Helper()
	before := renderer.Bounds
	t.Cleanup(func() { renderer.Bounds = before })
	change(&renderer.Bounds)
}

// TestRun checks that a child answers several questions, and has an environment without anything
// of the parent's.
func TestRun(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "secret")
	t.Setenv("TZ", "UTC")
	renderer.Close()
	first, err1 := whoami.Run(t.Context(), "a", "")
	second, err2 := whoami.Run(t.Context(), "a", "")
	if err := errors.Join(err1, err2); err != nil || first != second || first == os.Getpid() {
		t.Errorf("processes %d and %d, error %v; this is %d", first, second, err, os.Getpid())
	}
	got, err := environ.Run(t.Context(), "a", "")
	if want := []string{"GOTRACEBACK=none", "TZ=UTC"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the child's environment is %q, error %v", got, err)
	}
}

// TestError checks that errors keep their form.
func TestError(t *testing.T) {
	got, err := fail.Run(t.Context(), "a", "text")
	at := (*yamlfile.Error)(nil)
	if all := output.Split(err); got != "text" || len(all) != 2 || !errors.As(err, &at) || at.Pos.Line != 2 ||
		all[1].Error() != "two: file already exists" {
		t.Errorf("%q and %q", got, all)
	}
}

func TestLimits(t *testing.T) {
	extent.Plain(t)
	for name, test := range map[string]struct {
		change func(l *renderer.Limits)
		run    func() error
		want   string
	}{
		"time": {
			func(l *renderer.Limits) { l.CPU = 100 * time.Millisecond },
			func() error { _, err := loop.Run(t.Context(), "a", "b.yaml"); return err },
			"b.yaml: rendering takes more than 100ms of processor time",
		},
		"wall": {
			func(l *renderer.Limits) { l.Wall = 100 * time.Millisecond },
			func() error { _, err := loop.Run(t.Context(), "a", "b.yaml"); return err },
			"rendering takes more than 100ms: take out loops",
		},
		"memory": {
			func(l *renderer.Limits) { l.Memory = 128 << 20 },
			func() error { _, err := grow.Run(t.Context(), "a", "b.yaml"); return err },
			"b.yaml: rendering needs more than 128 MiB of memory",
		},
		"stack": {
			func(*renderer.Limits) {},
			func() error { _, err := recurse.Run(t.Context(), "a", 1); return err },
			"a: rendering calls itself without end",
		},
		"answer": {
			func(*renderer.Limits) {},
			func() error { _, err := long.Run(t.Context(), "a", 33<<20); return err },
			"a: it makes more than 32 MiB of text",
		},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, test.change)
			err := test.run()
			if !renderer.Exceeded(err) || !strings.Contains(err.Error(), test.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestPanic checks that a mistake of a library ends in one line, and that the next child works.
func TestPanic(t *testing.T) {
	_, err := panics.Run(t.Context(), "a.yaml", "oh\x1b")
	if err == nil || !strings.HasPrefix(err.Error(), "a.yaml: the process that renders has ended: panic: oh") ||
		strings.ContainsAny(err.Error(), "\n\x1b") {
		t.Errorf("got %v", err)
	}
	if _, err := whoami.Run(t.Context(), "a", ""); err != nil {
		t.Error(err)
	}
}

// TestCancel checks that a child ends with the context of its question.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped by signal")
	done := make(chan error)
	go func() {
		_, err := loop.Run(ctx, "a", "a")
		done <- err
	}()
	cancel(stop)
	if err := <-done; !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if _, err := loop.Run(ctx, "a", "a"); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestPack(t *testing.T) {
	want := map[string]any{
		"a": []any{1, int64(2), uint64(3), 1.5, "x", true, false, nil, time.Unix(1, 0).UTC()},
		"b": map[string]any{}, "c": []any{},
	}
	packed, err := renderer.Pack(want)
	if got := packed.Unpack(); err != nil || !reflect.DeepEqual(got, any(want)) {
		t.Errorf("got %v, error %v", got, err)
	}
	if _, err := renderer.Pack(struct{}{}); err == nil {
		t.Error("a struct was packed")
	}
}
