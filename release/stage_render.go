package release

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/lock"
)

// Render renders the manifest of a release, with the names that the images have at a
// destination, or at the first one if that is "", and writes the manifest to path.
func (s *Stage) Render(ctx context.Context, destination string) (path string, err error) {
	l, err := s.published()
	if err != nil {
		return "", err
	}
	path = s.path(Manifest)
	if destination != "" {
		if l, err = s.at(l, destination); err != nil {
			return "", err
		}
		path = renaming.DefaultOut(path, l.Registry)
	}
	text, _, err := Render(ctx, s.Product, l, nil)
	if err != nil {
		return "", err
	}
	if text == nil {
		return "", fmt.Errorf("no templates to render: name some under release.templates of %s", s.Product.Path)
	}
	return path, s.writeManifest(path, text)
}

// writeManifest writes a rendered manifest. Checksums list only release.yaml, not its copies, and
// stay valid if release.yaml is unchanged.
func (s *Stage) writeManifest(path string, text []byte) error {
	if have, err := regular.Read(path); err != nil || !bytes.Equal(have, text) {
		if filepath.Base(path) == Manifest {
			if err := s.claim(Manifest); err != nil {
				return err
			}
		}
		if err := disk.Write(path, text, disk.ModeFile); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return Settle(s.Out, s.Product.Name)
}

// at returns the lock as it is at one destination, by its name or its registry.
func (s *Stage) at(l *lock.Lock, destination string) (*lock.Lock, error) {
	registry := destination
	for _, d := range s.Product.Destinations {
		if d.Name == destination {
			registry = d.Registry
		}
	}
	at, ok := l.At(registry)
	if !ok {
		return nil, howto.Usage("-destination %s: the release is at %s: name one of these", destination,
			strings.Join(l.Registries(), ", "))
	}
	return at, nil
}
