package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lock"
)

// artifacts writes the artifacts of the lock to dist/ and returns their names. They come from
// the store, or from [Options].ArtifactDirs.
func (c *run) artifacts(ctx context.Context, l *lock.Lock) ([]string, error) {
	names := make([]string, len(l.Artifacts))
	err := each(len(l.Artifacts), func(i int) error {
		a := l.Artifacts[i]
		names[i] = a.File
		if err := c.artifact(ctx, a); err != nil {
			return fmt.Errorf("writing %s: %w", a.File, err)
		}
		return nil
	})
	return names, err
}

func (c *run) artifact(ctx context.Context, a lock.Artifact) error {
	to := filepath.Join(c.out, a.File)
	mode := disk.ModeFile
	if a.Executable {
		mode = disk.ModeProgram
	}
	if old, err := digest(ctx, to); err == nil && old == a.Digest {
		return disk.Chmod(to, mode)
	}
	open, err := c.find(ctx, a)
	if err != nil {
		return err
	}
	return program.Copy(layer.Content{Digest: a.Digest, Size: a.Size, Open: open}, to, mode)
}

// find returns a function that opens a file with the artifact's bytes.
func (c *run) find(ctx context.Context, a lock.Artifact) (func() (io.ReadCloser, error), error) {
	switch here, err := c.store.Check(v1.Descriptor{Digest: a.Digest, Size: a.Size}); {
	case err != nil:
		return nil, err
	case here:
		return func() (io.ReadCloser, error) { return c.store.Open(a.Digest) }, nil
	}
	for _, dir := range c.options.ArtifactDirs {
		path := filepath.Join(dir, a.File)
		switch h, err := digest(ctx, path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case h != a.Digest:
			return nil, fmt.Errorf("%s has digest %s, its lock says %s: copy it again from the machine that made it", path, h, a.Digest)
		default:
			return func() (io.ReadCloser, error) { return regular.Open(path) }, nil
		}
	}
	return nil, fmt.Errorf("no part has it: copy it from the machine that made it, beside the %s of that part", lock.PartName)
}
