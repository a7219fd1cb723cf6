package assemble

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Document has the documents of an image of another builder, without its layers.
type Document struct {
	Image    string // its name
	Platform platform.Platform
	Manifest *oci.Tree // nil for one of a docker-archive, which gets one
	Config   *v1.ConfigFile
	Pos      yamlfile.Pos // of its name in slipway.yaml
}

// Documents returns the documents of prebuilt images, without those of registries that may not be
// asked.
func (f *Found) Documents() (all []Document) {
	for n, i := range f.images {
		for _, d := range i.taken {
			d.Image = f.reader.Product.Images[n].Name
			all = append(all, d)
		}
	}
	return all
}

// taken reads the documents of an image of another builder.
func (c *checker) taken(ctx context.Context, t product.PrebuiltImage) (f finding) {
	d, err := c.takenDocument(ctx, t)
	switch {
	case errors.Is(err, base.ErrElsewhere) && c.bases.Offline:
		f.notes = [][]string{{t.Text + " is not in the store: a release fetches it, and looks at it then"}}
	case err != nil:
		for _, e := range output.Split(err) {
			f.errs = append(f.errs, fmt.Errorf("%s: %w", t.Pos, e))
		}
	default:
		f.taken = []Document{d}
	}
	return f
}

func (r *reader) takenDocument(ctx context.Context, t product.PrebuiltImage) (Document, error) {
	d := Document{Platform: t.Platform, Pos: t.Pos}
	switch {
	case r.bases.Shipped != nil && t.File != nil:
		return d, nil
	case t.File == nil:
		if _, pinned := t.Reference.(name.Digest); !pinned {
			return d, fmt.Errorf("%s is not pinned: run %s, which adds its digest%s", t.Text, howto.Run("pin"),
				product.Since)
		}
		got, err := r.bases.Prebuilt(ctx, t.Reference, t.Platform)
		if err != nil {
			return d, err
		}
		of, err := r.inStore(got.Info.Digest, t, nil)
		d.Manifest, d.Config = of.manifest, of.config
		return d, err
	}
	if known, ok, err := r.recallArchive(t, archiveKey(t)); err != nil || ok {
		d.Manifest, d.Config = known.manifest, known.config
		return d, err
	}
	f, err := r.openTaken(ctx, t)
	if err != nil {
		return d, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	i, err := f.Image(t.Platform)
	if err != nil {
		return d, err
	}
	d.Manifest, d.Config = i.Tree, i.Config
	return d, nil
}

// openTaken opens the file of an image.
func (r *reader) openTaken(ctx context.Context, t product.PrebuiltImage) (*imagefile.File, error) {
	f, err := imagefile.Open(ctx, base.FileReference(*t.File), r.Store)
	if errors.Is(err, imagefile.ErrAbsent) {
		err = absentFile{err, t}
	}
	if err == nil {
		f.Progress = r.Progress
	}
	return f, err
}

// absentFile is the error for a file that is not on this machine.
type absentFile struct {
	error

	of product.PrebuiltImage
}

// Unwrap returns the reason.
func (e absentFile) Unwrap() error { return e.error }

// Error names the file, and how another machine hands it over.
func (e absentFile) Error() string {
	return e.of.Text + " is not on this machine: build the image first, release this image on the " +
		"machine that has it (-images, -platforms), or push it to a registry and name it by its digest"
}
