//go:build mage

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/sync/errgroup"
)

// verify compares the modules in the module cache with the go.sum files of these
// directories. Unlike `go mod verify` in each directory, it reads a module only once, and
// it compares with the repository's hashes, not with the cache's.
func verify(ctx context.Context, dirs []string) error {
	cache, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
	if err != nil {
		return fmt.Errorf("finding the module cache: %w", err)
	}
	sums, err := readSums(dirs)
	if err != nil {
		return err
	}
	versions := slices.SortedFunc(maps.Keys(sums), func(a, b module.Version) int {
		return strings.Compare(a.String(), b.String())
	})
	fmt.Fprintf(os.Stderr, "→ verifying %d modules\n", len(versions))
	errs := make([]error, len(versions))
	var g errgroup.Group
	g.SetLimit(2)
	for n, v := range versions {
		g.Go(func() error {
			errs[n] = verifyModule(strings.TrimSpace(string(cache)), v, sums[v])
			return ctx.Err()
		})
	}
	return errors.Join(g.Wait(), errors.Join(errs...))
}

// readSums returns the hashes of modules in the go.sum files.
func readSums(dirs []string) (map[module.Version]string, error) {
	sums := map[module.Version]string{}
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, "go.sum"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) != 3 || strings.HasSuffix(f[1], "/go.mod") {
				continue
			}
			v := module.Version{Path: f[0], Version: f[1]}
			if sums[v] != "" && sums[v] != f[2] {
				return nil, fmt.Errorf("%s/go.sum has another hash of %s than a go.sum before it", dir, v)
			}
			sums[v] = f[2]
		}
	}
	return sums, nil
}

// verifyModule compares the directory and the archive of a cached module with its hash. A module
// that is not cached is ignored, because no build reads it.
func verifyModule(cache string, v module.Version, want string) error {
	path, err := module.EscapePath(v.Path)
	if err != nil {
		return err
	}
	version, err := module.EscapeVersion(v.Version)
	if err != nil {
		return err
	}
	for file, hash := range map[string]func(string) (string, error){
		filepath.Join(cache, path+"@"+version): func(dir string) (string, error) {
			return dirhash.HashDir(dir, v.String(), dirhash.DefaultHash)
		},
		filepath.Join(cache, "cache", "download", path, "@v", version+".zip"): func(zip string) (string, error) {
			return dirhash.HashZip(zip, dirhash.DefaultHash)
		},
	} {
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			continue
		}
		got, err := hash(file)
		if err != nil {
			return fmt.Errorf("verifying %s: %w", v, err)
		}
		if got != want {
			return fmt.Errorf("%s was changed after its download: "+
				"its hash is %s, go.sum has %s; run `go clean -modcache`", file, got, want)
		}
	}
	return nil
}
