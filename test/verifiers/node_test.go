package verifiers

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/cache"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// modules returns the directory of the npm packages that node/package-lock.json names, in the
// user's cache. None of their scripts is run.
func modules(ctx context.Context) (string, error) {
	h := sha256.New()
	files := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join("node", name))
		if err != nil {
			return "", err
		}
		h.Write(b)
		files[name] = b
	}
	return cache.Program(ctx, fmt.Sprintf("verifiers-node-%x", h.Sum(nil)), "node_modules", func(ctx context.Context, dir string) error {
		for name, b := range files {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
				return err
			}
		}
		cmd := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("npm ci in %s: %w\n%s", dir, err, out)
		}
		return nil
	})
}

// node is a call of one of the scripts in the directory node.
func node(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	testprog.Need(t, "node")
	at, err := modules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program(at), append([]string{filepath.Join("node", script)}, args...)...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+at)
	return cmd
}

// program returns the Node of the npm packages: sigstore-js needs a newer one than Debian 12 has.
// Where they have none for the machine, it is the one in PATH.
func program(modules string) string {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if path := filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node"); exists(path) {
		return path
	}
	return "node"
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
