package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/build/packages/apt"
	"github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Packages decides which packages the Dockerfiles of p install, for packages.lock.yaml: from what
// their repositories have now, or with that file's entries where pin keeps them. It reads the bases
// from their registries, and keeps in the store of a directory what it fetches. Without commands of
// package managers it asks nothing.
func Packages(ctx context.Context, p *product.Product, dir string, pin *apt.Pin,
	pr *progress.Printer,
) ([]product.LockedPackages, error) {
	if !slices.ContainsFunc(p.Images, hasDockerfile) && !slices.ContainsFunc(p.Bases, hasPackages) {
		return nil, nil
	}
	trees, missing := build.Sources(ctx, p)
	installs, err := installsPackages(ctx, p, trees)
	if err != nil || !installs {
		return nil, err
	}
	st, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	unlock, err := st.Lock(ctx, pr.Printf)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := errors.Join(build.New(p, trees, st, pr).Packages(ctx, pin), missing); err != nil {
		return nil, err
	}
	return pin.Entries(), nil
}

func hasDockerfile(i product.Image) bool { _, ok := i.Content.(*product.DockerfileImage); return ok }

func hasPackages(b product.Base) bool { return b.Packages != nil }

// installsPackages reports whether a Dockerfile has commands of package managers.
func installsPackages(ctx context.Context, p *product.Product, trees map[string]source.Tree) (bool, error) {
	dir, err := disk.Scratch("")
	if err != nil {
		return false, fmt.Errorf("making a directory: %w", err)
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(dir)
	if err != nil {
		return false, err
	}
	// what is wrong with a Dockerfile is reported when its packages are looked for, or by a check
	installs, _ := build.New(p, trees, st, nil).InstallsPackages(ctx)
	return installs, ctx.Err()
}
