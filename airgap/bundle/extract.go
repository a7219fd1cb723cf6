package bundle

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
)

// Formats that an image is extracted to.
const (
	FormatOCI    = "oci"            // image layout: a directory, or a tar of it
	FormatDocker = "docker-archive" // what docker load takes
	FormatChart  = "chart"          // NAME-VERSION.tgz, what helm install takes
)

// ExtractOptions are the form and the place of an extracted image.
type ExtractOptions struct {
	// To is a file if it ends in .tar, or in .tgz for a chart, else a directory: a new one, or one
	// that lacks some of the image's files.
	To string
	// FormatOCI, FormatDocker or FormatChart; empty: chart or docker-archive for a file, oci for a
	// directory
	Format   string
	Platform platform.Platform // zero: all platforms, or the only one of the bundle
	Progress *progress.Printer // nil: quiet
	// WithoutReferrers omits the referrers of the image: crane push accepts only a layout of one
	// entry.
	WithoutReferrers bool
}

// Extracted is an image that was extracted.
type Extracted struct {
	Name string `json:"name"`
	// of the index, or of the manifest if one was extracted
	Digest   v1.Hash           `json:"digest"`
	Platform platform.Platform `json:"platform,omitzero"` // of the manifest
	Format   string            `json:"format"`
	Path     string            `json:"path"`
	// Referrers is how many signatures and other artifacts of the image are in the layout.
	Referrers int `json:"referrers,omitempty"`
}

// Extract writes one image of the bundle to a layout or an archive, which has its name only when
// it is complete and every digest was compared. An existing layout of the same image is
// completed. An index is extracted with its digest if the bundle has all of it. Otherwise, and
// for a docker-archive, Extract extracts a single manifest. A layout has the referrers, too, as
// the bundle has them: in index.json after the image, without a name. A docker-archive cannot.
func (b *Bundle) Extract(ctx context.Context, ref string, o ExtractOptions) (*Extracted, error) {
	i, err := b.contents.Find(ref)
	if err != nil {
		return nil, err
	}
	if m := i.manifest(ref); m != nil && i.Digest().String() != ref {
		if !o.Platform.IsZero() && m.Key != o.Platform.Key() {
			return nil, fmt.Errorf("%s is for %s, not for %s: leave out -platforms", ref, m.Platform, o.Platform)
		}
		o.Platform = m.Platform
	}
	write, err := b.format(i, &o)
	if err != nil {
		return nil, err
	}
	i.Referrers = b.contents.about(i)
	x := &Extracted{Name: i.Name, Digest: i.Digest(), Format: o.Format, Path: o.To}
	i, only, err := i.extracted(o)
	if err != nil {
		return nil, err
	}
	list, referrers := b.files(i, only, o)
	x.Referrers = referrers
	if only != nil {
		x.Digest, x.Platform = only.Desc.Digest, only.Platform
	}
	var total int64
	for _, e := range list {
		total += e.size
	}
	dir, err := hold(ctx, filepath.Clean(o.To), o.Progress.Printf)
	if err != nil {
		return nil, fmt.Errorf("extracting %s: %w", i.Name, err)
	}
	defer dir.Unlock()
	task := o.Progress.Start("extracting "+i.Name, progress.Bytes, total)
	defer task.Fail()
	if err := write(o.To, list, func(r io.Reader) io.Reader { return progress.Reader(ctx, r, task) }); err != nil {
		return nil, fmt.Errorf("extracting %s: %w", i.Name, err)
	}
	task.Done("%s", progress.Size(total))
	return x, nil
}

// about returns the referrers of an image under any of its names: the bundle has them with one of
// those.
func (c *Contents) about(i Image) []Referrer {
	var all []Referrer
	for _, other := range c.Images {
		for _, r := range other.Referrers {
			r.Subject = r.subject(other.Digest())
			all = append(all, r)
		}
	}
	var included []v1.Hash
	for _, m := range i.Included() {
		included = append(included, m.Desc.Digest)
	}
	all = oci.ReferringTo(all, func(r Referrer) oci.Referrer { return r.Referrer }, i.Digest(), included...)
	for n := range all {
		if all[n].Subject == i.Digest() {
			all[n].Subject = v1.Hash{}
		}
	}
	return all
}

// format decides the format, unless o has one, and returns the function that writes the files.
func (b *Bundle) format(i Image, o *ExtractOptions) (write func(string, []extractFile, counted) error, err error) {
	image, archive := strings.HasSuffix(o.To, ".tar"), strings.HasSuffix(o.To, ".tgz")
	if o.Format == "" {
		o.Format = FormatOCI
		switch {
		case archive && i.Chart:
			o.Format = FormatChart
		case image:
			o.Format = FormatDocker
		}
	}
	switch o.Format {
	case FormatOCI:
		if image {
			return b.toFile, nil
		}
		return b.toDir, nil
	case FormatDocker:
		switch {
		case i.Chart:
			return nil, fmt.Errorf("%s is a chart, which a docker-archive cannot have: "+
				"choose a name that ends in .tgz, or a directory", i.Name)
		case !image:
			return nil, fmt.Errorf("%s: a docker-archive is a file: choose a name that ends in .tar", o.To)
		}
		return b.toFile, nil
	case FormatChart:
		if !i.Chart || !archive {
			return nil, fmt.Errorf("%s: the format %s is for charts, and a file whose name ends in .tgz",
				i.Name, FormatChart)
		}
		return func(path string, list []extractFile, count counted) error { return b.toNew(path, list[0], count) }, nil
	}
	return nil, howto.Usage("unknown format %q: use %s, %s, or for a chart %s", o.Format, FormatOCI,
		FormatDocker, FormatChart)
}

// extracted returns the image to extract, and its only manifest unless the index is extracted.
func (i Image) extracted(o ExtractOptions) (Image, *Manifest, error) {
	var fit []int // not attestations
	var have []string
	on := o.Platform.Key()
	for n, m := range i.Manifests {
		if m.Runnable {
			have = append(have, m.Platform.String())
			if o.Platform.IsZero() || m.Key == on {
				fit = append(fit, n)
			}
		}
	}
	switch {
	case i.Chart:
		return i, nil, nil
	case !o.Platform.IsZero() && len(fit) == 0:
		return i, nil, fmt.Errorf("%s: the bundle does not have it for %s, only for %s", i.Name,
			o.Platform, strings.Join(have, ", "))
	case o.Platform.IsZero() && o.Format == FormatOCI && len(i.Missing()) == 0:
		return i, nil, nil
	case len(fit) == 1:
		only := &i.Manifests[fit[0]]
		i.Referrers = oci.ReferringTo(i.Referrers, func(r Referrer) oci.Referrer {
			r.Subject = r.subject(i.Digest())
			return r.Referrer
		}, only.Desc.Digest)
		return i, only, nil
	case o.Format == FormatDocker:
		return i, nil, fmt.Errorf("%s: a docker-archive has one platform: choose one of %s with -platforms",
			i.Name, strings.Join(have, ", "))
	}
	return i, nil, fmt.Errorf("%s: the bundle does not have all of its index: choose one of %s with -platforms",
		i.Name, strings.Join(have, ", "))
}
