package consumer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/testing/cache"
)

// BuildAll builds the programs of all consumers but those in without, so that no test waits for a
// compiler, and prints their paths.
func BuildAll(ctx context.Context, without []string) error {
	var errs []error
	built := map[string]bool{}
	for _, c := range All {
		for _, program := range c.Built {
			if built[program] || slices.Contains(without, c.Name) {
				continue
			}
			path, err := c.Build(ctx, program)
			if err == nil {
				built[program] = true
				fmt.Fprintln(os.Stderr, path)
			}
			errs = append(errs, err)
		}
	}
	if !slices.Contains(without, "cluster") {
		dir, err := ControlPlane(ctx)
		if err == nil {
			fmt.Fprintln(os.Stderr, dir)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Build returns the path of one of the programs that the consumer builds. The first time it takes
// a minute or more; then the program is in the user's cache until the go.mod or go.sum of the
// consumer's module changes.
func (c Consumer) Build(ctx context.Context, program string) (string, error) {
	if !slices.Contains(c.Built, program) {
		return "", fmt.Errorf("consumer %s does not build %s", c.Name, program)
	}
	dir, err := find(c.Module)
	if err != nil {
		return "", err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", err
	}
	pkg, err := tool(string(mod), program)
	if err != nil {
		return "", fmt.Errorf("%s/go.mod: %w", c.Module, err)
	}
	// runc enters namespaces in C. The module of docker's command has no go.mod, so that the
	// compiler would build it as Go 1.16. The policy of containers/image is to do without GnuPG.
	return cache.Module{
		Dir:  dir,
		Name: strings.ReplaceAll(strings.TrimPrefix(c.Module, "test/"), "/", "-"),
	}.Program(ctx, pkg,
		program == "runc", "-gcflags=github.com/docker/cli/...=-lang=go1.26", "-tags=containers_image_openpgp")
}

// find looks for a directory of the repository from the working directory upwards.
func find(module string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		found := filepath.Join(at, filepath.FromSlash(module))
		if _, err := os.Stat(filepath.Join(found, "go.mod")); err == nil {
			return found, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no directory above %[2]s has %[1]s", module, dir)
		}
	}
}

// tool returns the package of a program among the tools of a go.mod.
func tool(mod, program string) (string, error) {
	for l := range strings.Lines(mod) {
		l = strings.TrimPrefix(strings.TrimSpace(l), "tool ")
		if path.Base(l) == program && strings.Contains(l, "/") && !strings.Contains(l, " ") {
			return l, nil
		}
	}
	return "", fmt.Errorf("no tool %s", program)
}
