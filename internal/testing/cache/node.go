package cache

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// NodeModules returns the directory of the npm packages that dir/package-lock.json names with
// their hashes. The packages are installed into the user's cache, in a directory that begins with
// name, and their scripts are not run.
func NodeModules(ctx context.Context, dir, name string) (string, error) {
	h := sha256.New()
	files := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		h.Write(b)
		files[name] = b
	}
	return Program(ctx, fmt.Sprintf("%s-%x", name, h.Sum(nil)), "node_modules",
		func(ctx context.Context, dir string) error {
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
