package promote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/lock"
)

// File promotes the images of the lock, or else of the bundle, at a path.
func File(ctx context.Context, path string, o Options) (*Promoted, error) {
	if strings.HasSuffix(path, ".json") {
		return lockFile(ctx, path, o)
	}
	b, err := bundle.OpenAny(path)
	if err != nil {
		return nil, err
	}
	defer b.Close() //nolint:errcheck // it was only read
	if err := b.CheckSeekable(); err != nil {
		return nil, err
	}
	return Bundle(ctx, b, o)
}

// lockFile promotes the images of a lock, and then writes the file for kpromo.
func lockFile(ctx context.Context, path string, o Options) (*Promoted, error) {
	dir := filepath.Dir(path)
	l, err := lock.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		part := filepath.Join(dir, lock.PartName)
		if _, partErr := lock.ReadPart(part); partErr == nil {
			return nil, fmt.Errorf("%s: it is a part of a release: join all parts with %s first",
				part, howto.Run("merge"))
		}
	}
	if err != nil {
		return nil, err
	}
	manifest := filepath.Join(dir, distfile.Manifest)
	if _, err := os.Stat(manifest); o.Release == "" && err == nil {
		o.Release = manifest
	}
	if len(o.To) == 0 && o.From != "" && !slices.Contains(l.Registries(), o.From) {
		return nil, fmt.Errorf("-from=%s: the lock has the release in %s: name one of these, or, with -to, a copy",
			o.From, strings.Join(l.Registries(), ", "))
	}
	if o.ImagesYAML != "" { // its problems are reported before anything is sent
		if _, err := ImagesYAML(l, o, o.ImagesYAML); err != nil {
			return nil, err
		}
	}
	done := &Promoted{From: o.From, Destinations: []Destination{}}
	if len(o.To) > 0 {
		if done, err = Lock(ctx, l, o); err != nil {
			return nil, err
		}
	}
	if o.ImagesYAML == "" {
		return done, nil
	}
	done.ImagesYAML = o.ImagesYAML
	if done.Proofs, err = Proofs(l, o); err != nil {
		return nil, err
	}
	return done, WriteImagesYAML(ctx, l, o, o.ImagesYAML, o.Say)
}
