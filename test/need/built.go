package need

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// programs are built once for each test binary, whatever number of tests asks at the same time.
var programs sync.Map // package → func() (string, error)

// Built returns the path of a program that the module in test/programs has as a tool, such as "containerd". The first time it takes a
// minute or more; then the program lies in the user's cache until the module's go.sum changes.
func Built(t testing.TB, name string) string {
	t.Helper()
	build, _ := programs.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		t.Logf("building %s, if it is not there: minutes where nothing is cached", name)
		return Build(t.Context(), name)
	}))
	p, err := build.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Build does the same outside of tests: `go tool mage test` builds all of them before any test's time begins (test/need/build).
func Build(ctx context.Context, name string) (string, error) {
	module, err := findPrograms()
	if err != nil {
		return "", err
	}
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(filepath.Join(module, "go.sum"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "slipway", fmt.Sprintf("programs-%x", sha256.Sum256(append(mod, sum...))))
	done := filepath.Join(dir, name)
	if _, err := os.Stat(done); err == nil {
		return done, nil
	}
	pkg, err := tool(string(mod), name)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	part, err := os.CreateTemp(dir, name+".part-")
	if err != nil {
		return "", err
	}
	defer os.Remove(part.Name()) //nolint:errcheck // it has another name by then
	if err := part.Close(); err != nil {
		return "", err
	}
	cgo := "0"
	if name == "runc" { // enters namespaces in C
		cgo = "1"
	}
	// docker's module has no go.mod, by which the compiler takes it for a program of Go 1.16.
	cmd := exec.CommandContext(ctx, "go", "build", "-C", module, "-gcflags=github.com/docker/cli/...=-lang=go1.26", "-o", part.Name(), pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOFLAGS=-mod=readonly", "GOWORK=off", "GOOS=", "GOARCH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return done, os.Rename(part.Name(), done)
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
