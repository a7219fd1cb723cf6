package assemble_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/product"
)

// TestFailures checks that a build reports every error once, with its
// context, and makes nothing.
func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(t *testing.T, dir string)
		says   map[string]int // text to number of occurrences
	}{
		{
			"a program that does not compile",
			func(t *testing.T, dir string) {
				replace(t, filepath.Join(dir, "cmd", "hello", "main.go"),
					"func main() {", "func main() {\n\tundefinedThing()")
			},
			map[string]int{
				"undefined: undefinedThing": 2, "compiling hello for linux/amd64": 1,
				"compiling hello for windows/amd64": 1, "building image": 0, "did not compile": 0,
			},
		},
		{
			"a Dockerfile with RUN, before a program that does not compile is compiled",
			func(t *testing.T, dir string) {
				replace(t, filepath.Join(dir, "cmd", "hello", "main.go"),
					"func main() {", "func main() {\n\tundefinedThing()")
				replace(t, filepath.Join(dir, "Dockerfile"), "USER 65532:65532", "RUN gpg me")
			},
			map[string]int{
				"undefined: undefinedThing": 0, "building image hostinfo: linux/amd64": 1,
				"RUN gpg needs a machine": 1, "building image hello": 0,
			},
		},
		{
			"kodata that leads elsewhere",
			func(t *testing.T, dir string) {
				link(t, "../../../go.mod", filepath.Join(dir, "cmd", "hello", "kodata", "go.mod"))
			},
			map[string]int{"building image hello": 1, "leads out of kodata": 1},
		},
		{
			"kodata that is elsewhere",
			func(t *testing.T, dir string) {
				other, data := t.TempDir(), filepath.Join(dir, "cmd", "hello", "kodata")
				if err := errors.Join(os.WriteFile(filepath.Join(other, "secret"), []byte("secret"), 0o600),
					os.RemoveAll(data)); err != nil {
					t.Fatal(err)
				}
				link(t, other, data)
			},
			map[string]int{"building image hello": 1, "leads out of its source": 1},
		},
		{
			"kodata without end",
			func(t *testing.T, dir string) { link(t, ".", filepath.Join(dir, "cmd", "hello", "kodata", "self")) },
			map[string]int{"building image hello": 1, "links nest without end": 1},
		},
		{
			"kodata with a name that Windows cannot have",
			func(t *testing.T, dir string) {
				if err := os.WriteFile(filepath.Join(dir, "cmd", "hello", "kodata", "aux.txt"), nil,
					0o644); err != nil {
					t.Fatal(err)
				}
			},
			map[string]int{"building image hello: windows/amd64:": 1, "aux.txt is a device name": 1},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := copied(t, "../examples/hello")
			tc.change(t, dir)
			l, err := assemble.Build(t.Context(), load(t, dir), assemble.Options{Store: storetest.Open(t)})
			if err == nil {
				t.Fatalf("it is built: %+v", l)
			}
			for s, want := range tc.says {
				if n := strings.Count(err.Error(), s); n != want {
					t.Errorf("the error says %q %d times, want %d:\n%v", s, n, want, err)
				}
			}
		})
	}
}

// TestSourcesFirst checks that wrong sources fail the build before anything is compiled,
// and that the error names all of them.
func TestSourcesFirst(t *testing.T) {
	dir := copied(t, "../examples/hello")
	t.Setenv("GOPROXY", "off")
	p, st := load(t, dir), storetest.Open(t)
	p.Sources = append(p.Sources,
		product.Source{
			Name: "one", Module: "example.com/one@v1.0.0", Sum: "h1:x", Revision: "a",
			Created: time.Unix(1, 0),
		},
		product.Source{Name: "two", Directory: filepath.Join(dir, "none")})
	_, err := assemble.Build(t.Context(), p, assemble.Options{Store: st})
	if err == nil || !strings.Contains(err.Error(), "source one: ") || !strings.Contains(err.Error(), "source two: ") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(st.Dir(), "work", "go")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was compiled (%v)", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := assemble.Build(ctx, load(t, copied(t, "../examples/hello")), assemble.Options{Store: storetest.Open(t)})
	if !errors.Is(err,
		context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestHash checks that callers can identify the error for a source with a wrong hash.
func TestHash(t *testing.T) {
	p := load(t, "..")
	for n := range p.Sources {
		p.Sources[n].Sum = "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	}
	_, err := assemble.Build(t.Context(), p, assemble.Options{Store: storetest.Open(t)})
	if err == nil || !strings.Contains(err.Error(), "hash mismatch") {
		t.Fatalf("the error is %v", err)
	}
	for _, s := range p.Sources {
		if !strings.Contains(err.Error(), s.Module) {
			t.Errorf("the error does not name %s: %v", s.Module, err)
		}
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}
