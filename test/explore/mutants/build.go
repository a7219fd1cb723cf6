package mutants

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles slipway with the fault. The overlay's files go into dir, which is empty.
func (m Mutant) Build(ctx context.Context, root, dir, to string) error {
	path, text, err := m.Apply(root)
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	other := filepath.Join(dir, filepath.Base(path))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: other}})
	if err != nil {
		return err
	}
	list := filepath.Join(dir, "overlay.json")
	for name, text := range map[string][]byte{other: text, list: overlay} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return err
		}
	}
	return compile(ctx, root, "-overlay="+list, "-o="+to)
}

// BuildClean compiles slipway as it is.
func BuildClean(ctx context.Context, root, to string) error { return compile(ctx, root, "-o="+to) }

func compile(ctx context.Context, root string, args ...string) error {
	args = append(append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"}, args...), "./cmd/slipway")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling slipway: %w\n%s", err, out)
	}
	return nil
}
