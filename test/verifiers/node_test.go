package verifiers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/cache"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// modules returns the directory of the npm packages of the scripts.
func modules(ctx context.Context) (string, error) {
	return cache.NodeModules(ctx, "node", "verifiers-node")
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
