package target

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
)

// The tests run in synctest bubbles, in which time does not advance: the ticker's
// own timer never adds a line.

func logFile(t *testing.T) (f *os.File, text func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, func() string { return read(t, path) }
}

func TestTicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, text := logFile(t)
		tick := newTicker(f, false)
		tick.tick()
		tick.compiled("fmt")
		tick.tick()
		tick.expect(tick.begun() + 1)
		tick.compiled("net/http")
		tick.tick()
		tick.stop(nil)
		tick.tick()
		want := `compiling slipway: looking up its packages
compiling slipway: 1 packages, fmt
compiling slipway: 1 of 2 packages, fmt
compiling slipway: linking
✓ compiling slipway (0.0s)
`
		if text() != want {
			t.Errorf("log:\n%s", text())
		}
	})
}

func TestTickerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, text := logFile(t)
		tick := newTicker(f, false)
		tick.expect(1)
		tick.stop(errors.New("syntax error"))
		if want := "compiling slipway: 0 of 1 packages\n✗ compiling slipway (0.0s)\n"; text() != want {
			t.Errorf("log:\n%s", text())
		}
	})
}

func TestTickerSaysNothing(t *testing.T) {
	for name, use := range map[string]func(*os.File){
		"quiet":   func(f *os.File) { k := newTicker(f, true); k.expect(2); k.stop(nil) },
		"current": func(f *os.File) { k := newTicker(f, false); k.expect(0); k.tick(); k.stop(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, text := logFile(t)
				use(f)
				if text() != "" {
					t.Errorf("log:\n%s", text())
				}
			})
		})
	}
}
