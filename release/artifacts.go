package release

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/lock"
)

// artifacts brings those of the lock into dist/ and returns their names. They come from the store, or from beside the lock of the part
// that another machine made.
func (c *cut) artifacts(l *lock.Lock) ([]string, error) {
	var names []string
	for _, a := range l.Artifacts {
		if err := c.artifact(a); err != nil {
			return nil, fmt.Errorf("writing %s: %w", a.File, err)
		}
		names = append(names, a.File)
	}
	return names, nil
}

func (c *cut) artifact(a lock.Artifact) error {
	to := filepath.Join(c.out, a.File)
	if old, err := layer.File(c.store, to); err == nil && old.Digest == a.Digest {
		return nil
	}
	from, err := c.find(a)
	if err != nil {
		return err
	}
	mode := disk.ModeFile
	if a.Executable {
		mode = disk.ModeProgram
	}
	open := func() (io.ReadCloser, error) { return os.Open(from) }
	return program.Copy(layer.Content{Digest: a.Digest, Size: a.Size, Open: open}, to, mode)
}

// find returns a file that has the artifact's bytes.
func (c *cut) find(a lock.Artifact) (string, error) {
	if c.store.Has(a.Digest) {
		return c.store.Path(a.Digest), nil
	}
	for _, dir := range c.options.Parts {
		path := filepath.Join(dir, a.File)
		switch f, err := layer.File(c.store, path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case f.Digest != a.Digest:
			return "", fmt.Errorf("%s has digest %s, its lock says %s: copy it again from the machine that made it", path, f.Digest, a.Digest)
		default:
			return path, nil
		}
	}
	return "", fmt.Errorf("no part has it: copy it from the machine that made it, beside the %s of that part", lock.Name)
}
