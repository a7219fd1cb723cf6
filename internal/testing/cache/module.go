package cache

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// Module is a Go module that is there for the programs that it requires, at the versions of its
// go.mod.
type Module struct {
	Dir  string
	Name string // of its directory in the cache, before the hash of go.mod and go.sum
}

// Program returns the path of the program that is a package of what the module requires. It has
// the name of the package's directory, and is compiled without cgo unless it needs that; flags
// are further ones for go build.
func (m Module) Program(ctx context.Context, pkg string, cgo bool, flags ...string) (string, error) {
	h := sha256.New()
	for _, file := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(m.Dir, file))
		if err != nil {
			return "", err
		}
		h.Write(b)
	}
	return Program(ctx, fmt.Sprintf("%s-%x", m.Name, h.Sum(nil)), path.Base(pkg), func(ctx context.Context, dir string) error {
		fmt.Fprintf(os.Stderr, "building %s into the user's cache, once: minutes where nothing of it is compiled\n", pkg)
		enabled := "0"
		if cgo {
			enabled = "1"
		}
		args := append([]string{"build", "-C", m.Dir, "-o", filepath.Join(dir, path.Base(pkg))}, flags...)
		cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+enabled, "GOFLAGS=-mod=readonly", "GOWORK=off", "GOOS=", "GOARCH=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
		}
		return nil
	})
}
