package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// WriteArtifacts writes the artifacts of the lock, from st or from one of the directories of parts
// that other machines made, to dir.
func WriteArtifacts(ctx context.Context, st *store.Store, l *lock.Lock, dir string, from ...string) error {
	return each(len(l.Artifacts), func(i int) error {
		a := l.Artifacts[i]
		if err := writeArtifact(ctx, st, a, filepath.Join(dir, a.File), from); err != nil {
			return fmt.Errorf("writing %s: %w", a.File, err)
		}
		return nil
	})
}

func writeArtifact(ctx context.Context, st *store.Store, a lock.Artifact, to string, from []string) error {
	mode := disk.ModeFile
	if a.Executable {
		mode = disk.ModeProgram
	}
	if hasDigest(ctx, to, a.Digest) {
		return disk.Chmod(to, mode)
	}
	open, err := findArtifact(ctx, st, a, from)
	if err != nil {
		return err
	}
	return program.Copy(layer.Content{Digest: a.Digest, Size: a.Size, Open: open}, to, mode)
}

// writeArtifacts writes the artifacts of the lock to dist/.
func (c *run) writeArtifacts(ctx context.Context, l *lock.Lock) error {
	return WriteArtifacts(ctx, c.store, l, c.out, c.options.ArtifactDirs...)
}

// findArtifacts checks that writeArtifacts will find all files that it is to write.
func (c *run) findArtifacts(ctx context.Context, l *lock.Lock) error {
	return each(len(l.Artifacts), func(i int) error {
		a := l.Artifacts[i]
		if hasDigest(ctx, filepath.Join(c.out, a.File), a.Digest) {
			return nil
		}
		if _, err := findArtifact(ctx, c.store, a, c.options.ArtifactDirs); err != nil {
			return fmt.Errorf("%s: %w", a.File, err)
		}
		return nil
	})
}

// findArtifact returns a function that opens a file with the artifact's bytes.
func findArtifact(ctx context.Context, st *store.Store, a lock.Artifact,
	from []string,
) (func() (io.ReadCloser, error), error) {
	switch here, err := st.Check(v1.Descriptor{Digest: a.Digest, Size: a.Size}); {
	case err != nil:
		return nil, err
	case here:
		return func() (io.ReadCloser, error) { return st.Open(a.Digest) }, nil
	}
	for _, dir := range from {
		path := filepath.Join(dir, a.File)
		switch h, err := disk.Digest(ctx, path, nil); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case h != a.Digest:
			return nil, fmt.Errorf("%s has digest %s, its lock says %s: copy it again from the machine that made it",
				path, h, a.Digest)
		default:
			return func() (io.ReadCloser, error) { return regular.Open(path) }, nil
		}
	}
	if len(from) == 0 { // what Build made was removed since, or damaged and then removed
		return nil, fmt.Errorf("blob %s is not in the store %s: build again", a.Digest, st.Dir())
	}
	return nil, fmt.Errorf("no part has it: copy it from the machine that made it, next to the %s of that part",
		lock.PartName)
}

// hasDigest reports whether a file exists and has a digest.
func hasDigest(ctx context.Context, path string, want v1.Hash) bool {
	have, err := disk.Digest(ctx, path, nil)
	return err == nil && have == want
}

// each calls f with the numbers from 0 to n-1, on all cores, and returns all errors in their order.
func each(n int, f func(i int) error) error {
	errs := make([]error, n)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error { errs[i] = f(i); return nil })
	}
	_ = g.Wait() // no function fails
	return errors.Join(errs...)
}
