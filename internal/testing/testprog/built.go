package testprog

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/cache"
)

// programs are built once for each test binary, whatever number of tests asks at the same time.
var programs sync.Map // package → func() (string, error)

// Built returns the path of a program that the module in test/programs has as a tool, such as
// "containerd". The first time it takes a minute or more; then the program lies in the user's
// cache until the module's go.mod or go.sum changes.
func Built(t testing.TB, name string) string {
	t.Helper()
	build, _ := programs.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		return Build(t.Context(), name)
	}))
	p, err := build.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Build does the same outside of tests: `go tool mage test` builds all of them before any test's
// time begins (internal/testing/testprog/build).
func Build(ctx context.Context, name string) (string, error) {
	module, err := findPrograms()
	if err != nil {
		return "", err
	}
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		return "", err
	}
	pkg, err := tool(string(mod), name)
	if err != nil {
		return "", err
	}
	// runc enters namespaces in C. docker's module has no go.mod, by which the compiler takes it
	// for a program of Go 1.16.
	return cache.Module{Dir: module, Name: "programs"}.Program(ctx, pkg, name == "runc", "-gcflags=github.com/docker/cli/...=-lang=go1.26")
}

// findPrograms looks for test/programs from the working directory of the test upwards.
func findPrograms() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		module := filepath.Join(at, "test", "programs")
		if _, err := os.Stat(filepath.Join(module, "go.mod")); err == nil {
			return module, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("there is no test/programs above %s", dir)
		}
	}
}

// tool finds the package of a program among the tools of a go.mod.
func tool(mod, name string) (string, error) {
	for l := range strings.Lines(mod) {
		l = strings.TrimPrefix(strings.TrimSpace(l), "tool ")
		if path.Base(l) == name && strings.Contains(l, "/") && !strings.Contains(l, " ") {
			return l, nil
		}
	}
	return "", fmt.Errorf("test/programs/go.mod has no tool %s", name)
}
