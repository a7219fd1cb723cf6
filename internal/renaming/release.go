package renaming

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// maxRelease bounds a release.yaml in bytes; kpack's has 300 KiB.
const maxRelease = 64 << 20

// Release is a release.yaml with new names.
type Release struct {
	Path       string `json:"path"`       // of the file that is written
	References int    `json:"references"` // how many were renamed
	// Untouched are texts that contain a reference to one of the images and more, and that are
	// not changed.
	Untouched []string `json:"untouched,omitempty"`

	Text []byte         `json:"-"`
	Pins []transfer.Pin `json:"-"` // the new references

	object bool // it has an object of Kubernetes, or nothing
}

// Read renames the references of the file at path, to be written to out. If out is empty, that is
// in the same directory, and named after the registry to.
func (n *Names) Read(path, out, to string) (*Release, error) {
	if out == "" {
		out = DefaultOut(path, to)
	}
	in, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading release: %w", err)
	}
	if have, err := os.Stat(out); err == nil && os.SameFile(in, have) {
		return nil, fmt.Errorf("writing the release with new names: %s is the release itself: choose another name", out)
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading release: %w", err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxRelease+1))
	if err != nil {
		return nil, fmt.Errorf("reading release: %w", err)
	}
	if len(src) > maxRelease {
		return nil, fmt.Errorf("%s is larger than %d MiB: it is not a release", path, maxRelease>>20)
	}
	r, err := n.Rename(path, src)
	if err != nil {
		return nil, err
	}
	if !r.object {
		return nil, fmt.Errorf("%s has no object of Kubernetes: name the release.yaml of the release", path)
	}
	r.Path = out
	return r, nil
}

// DefaultOut is release.REGISTRY.yaml for release.yaml: release.ghcr.io-me.yaml for ghcr.io/me. Two
// prefixes of one host have two files.
func DefaultOut(path, to string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "." + strings.NewReplacer(":", "-", "/", "-", "[", "", "]", "").Replace(to) +
		ext
}

// Write writes the file if every new reference in it can be pulled.
func (r *Release) Write(ctx context.Context, o network.Options) error {
	if err := transfer.New(o).Check(ctx, r.Pins); err != nil {
		return inFile(r.Path+" is not written, since nodes could not pull what it names", err)
	}
	if err := disk.WriteAlone(ctx, r.Path, r.Text, disk.ModeFile, o.Progress.Printf); err != nil {
		return fmt.Errorf("writing release: %w", err)
	}
	return nil
}

// inFile names a file in each problem of err.
func inFile(path string, err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, fmt.Errorf("%s: %w", path, e))
		}
		return errors.Join(all...)
	}
	return fmt.Errorf("%s: %w", path, err)
}
