package airgap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/transfer"
)

// maxRelease bounds a release.yaml in bytes; kpack's has 300 KiB.
const maxRelease = 64 << 20

// Renamed is the result of renaming the references in a release.yaml.
type Renamed struct {
	Path       string `json:"path"`       // of the file that was written
	References int    `json:"references"` // how many were renamed
	// Untouched are texts that contain a reference to an image of the bundle and more. They are not
	// changed.
	Untouched []string `json:"untouched,omitempty"`
}

// release is a release.yaml that is written after the push.
type release struct {
	Renamed
	bytes []byte
	pins  []transfer.Pin
}

// readRelease renames the references of o.Release; it returns nil if that is empty.
func readRelease(o PushOptions, images []bundle.Image) (*release, error) {
	if o.Release == "" {
		return nil, nil
	}
	if o.Out == "" {
		o.Out = defaultOut(o.Release, o.To)
	}
	in, err := os.Stat(o.Release)
	if err != nil {
		return nil, fmt.Errorf("reading release: %w", err)
	}
	if out, err := os.Stat(o.Out); err == nil && os.SameFile(in, out) {
		return nil, fmt.Errorf("-out %s is the release itself: choose another name", o.Out)
	}
	f, err := os.Open(o.Release)
	if err != nil {
		return nil, fmt.Errorf("reading release: %w", err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxRelease+1))
	if err != nil {
		return nil, fmt.Errorf("reading release: %w", err)
	}
	if len(src) > maxRelease {
		return nil, fmt.Errorf("%s is larger than %d MiB: it is not a release", o.Release, maxRelease>>20)
	}
	r, err := rename(o.Release, src, newRenamer(images, o.To))
	if err != nil {
		return nil, err
	}
	r.Path = o.Out
	return r, nil
}

// defaultOut is release.HOST.yaml for release.yaml.
func defaultOut(path, to string) string {
	host, _, _ := strings.Cut(to, "/")
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "." + strings.NewReplacer(":", "-", "[", "", "]", "").Replace(host) + ext
}

// finish writes the file if every reference in it can be pulled.
func (r *release) finish(ctx context.Context, o network.Options) error {
	if err := transfer.New(o).Check(ctx, r.pins); err != nil {
		return inFile(r.Path+" is not written, since nodes could not pull what it names", err)
	}
	if err := disk.WriteAlone(ctx, r.Path, r.bytes, disk.ModeFile, waiting(o.Progress, filepath.Dir(r.Path))); err != nil {
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
