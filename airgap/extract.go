package airgap

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
)

// Formats that an image is extracted to.
const (
	FormatOCI    = "oci"            // image layout: a directory, or a tar of it
	FormatDocker = "docker-archive" // what docker load takes
)

// ExtractOptions say what becomes of an extracted image.
type ExtractOptions struct {
	// a file where it ends in .tar, else a directory: one that is not there, or that lacks some
	// of the image's files
	To string
	// FormatOCI or FormatDocker; empty: docker-archive for a file, oci for a directory
	Format   string
	Platform platform.Platform // zero: all platforms, or the only one that the bundle holds
	Progress *progress.Printer // nil: quiet
	// WithoutReferrers leaves out what refers to the image. crane push takes a layout of one
	// entry only.
	WithoutReferrers bool
}

// Extracted is an image outside of its bundle.
type Extracted struct {
	Name string `json:"name"`
	// of the index, or of the manifest where one was extracted
	Digest   v1.Hash           `json:"digest"`
	Platform platform.Platform `json:"platform,omitzero"` // of the manifest
	Format   string            `json:"format"`
	Path     string            `json:"path"`
	// Referrers is how many signatures and other artifacts about the image are in the layout.
	Referrers int `json:"referrers,omitempty"`
}

// Extract writes one image of the bundle to a layout or an archive, which appears under its name
// when it is complete and every digest has been checked. A layout of the same image that is there
// is completed. An index stays an index, with its digest, where the bundle holds all of it; of a
// bundle for one platform, and for docker, the one manifest is taken out. What refers to that, or
// to a part of it, goes into a layout as it stands in the bundle: in index.json behind the image,
// and without a name. A docker-archive has no place for it.
func (b *Bundle) Extract(ctx context.Context, ref string, o ExtractOptions) (*Extracted, error) {
	i, err := b.contents.Find(ref)
	if err != nil {
		return nil, err
	}
	file := strings.HasSuffix(o.To, ".tar")
	switch {
	case o.Format == "" && file:
		o.Format = FormatDocker
	case o.Format == "":
		o.Format = FormatOCI
	case o.Format != FormatOCI && o.Format != FormatDocker:
		return nil, fmt.Errorf("unknown format %q: use %s or %s", o.Format, FormatOCI, FormatDocker)
	}
	if o.Format == FormatDocker && !file {
		return nil, fmt.Errorf("%s: a docker-archive is a file: let its name end in .tar", o.To)
	}
	x := &Extracted{Name: i.Name, Digest: i.Digest, Format: o.Format, Path: o.To}
	child, err := i.one(o)
	if err != nil {
		return nil, err
	}
	list, referrers, err := b.members(i, child, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Name, err)
	}
	x.Referrers = referrers
	if child != nil {
		x.Digest, x.Platform = child.Digest, child.Platform
	}
	var total int64
	for _, e := range list {
		total += e.size
	}
	dir, err := hold(ctx, filepath.Dir(filepath.Clean(o.To)), o.Progress)
	if err != nil {
		return nil, fmt.Errorf("extracting %s: %w", i.Name, err)
	}
	defer dir.Unlock()
	task := o.Progress.Start("extracting "+i.Name, progress.Bytes, total)
	defer task.Fail()
	write := b.toDir
	if file {
		write = b.toFile
	}
	if err := write(o.To, list, func(r io.Reader) io.Reader { return progress.Reader(ctx, r, task) }); err != nil {
		return nil, fmt.Errorf("extracting %s: %w", i.Name, err)
	}
	task.Done("%s", progress.Size(total))
	return x, nil
}

// one returns the only manifest that is to be extracted, or nil for all.
func (i Image) one(o ExtractOptions) (*Child, error) {
	var runs []Child // not the attestations
	var have []string
	for _, c := range i.Children {
		if c.Platform.IsImage() {
			have = append(have, c.Platform.String())
			if o.Platform.IsZero() || platform.Same(c.Platform, o.Platform) {
				runs = append(runs, c)
			}
		}
	}
	switch {
	case !o.Platform.IsZero() && len(runs) == 0:
		return nil, fmt.Errorf("%s: the bundle has no %s of it, only %s", i.Name, o.Platform, strings.Join(have, ", "))
	case o.Platform.IsZero() && o.Format == FormatOCI && len(i.Missing) == 0:
		return nil, nil
	case len(runs) == 1:
		return &runs[0], nil
	case o.Format == FormatDocker:
		return nil, fmt.Errorf("%s: a docker-archive holds one platform: choose one of %s with -platform", i.Name, strings.Join(have, ", "))
	}
	return nil, fmt.Errorf("%s: the bundle does not hold all of its index: choose one of %s with -platform", i.Name, strings.Join(have, ", "))
}
