package lock

import (
	"fmt"
	"path"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/oci"
)

// Chart is a Helm chart of the product: a file in dist/, and the same file as an OCI artifact.
type Chart struct {
	Name       string `json:"name"`                 // as in its Chart.yaml
	Version    string `json:"version"`              // as in its Chart.yaml
	AppVersion string `json:"appVersion,omitempty"` // as in its Chart.yaml
	Repository string `json:"repository"`           // registry/repository, whose last part is Name
	// Copies are its repositories in the registries of Lock.Copies, in their order.
	Copies []string `json:"copies,omitempty"`
	// Tags never move. One of them is that by which Helm finds Version.
	Tags         []string        `json:"tags"`
	FloatingTags []FloatingTag   `json:"floatingTags,omitempty"`
	MediaType    types.MediaType `json:"mediaType"`
	Digest       v1.Hash         `json:"digest"` // of the manifest
	Size         int64           `json:"size"`   // bytes of the manifest
	File         ChartFile       `json:"file"`
	Referrers    []oci.Referrer  `json:"referrers,omitempty"`
}

// ChartFile is the archive of a chart: the only layer of the artifact.
type ChartFile struct {
	Name   string  `json:"name"` // in dist/: NAME-VERSION.tgz
	Digest v1.Hash `json:"digest"`
	Size   int64   `json:"size"`
}

// KindChart is the kind of an [Image] that [Chart.Image] returns.
const KindChart = "chart"

// Image returns the chart as an image without platforms, for code that handles only names and
// digests. The two share the floating tags.
func (c Chart) Image() Image {
	return Image{
		Name: c.Name, Kind: KindChart, Repository: c.Repository, Copies: c.Copies, Tags: c.Tags,
		FloatingTags: c.FloatingTags,
		MediaType:    c.MediaType, Digest: c.Digest, Size: c.Size, Referrers: c.Referrers,
	}
}

// ChartImages returns the charts as images.
func (l *Lock) ChartImages() []Image {
	var all []Image
	for _, c := range l.Charts {
		all = append(all, c.Image())
	}
	return all
}

// Published returns everything that has names in the registries: the images, then the charts.
func (l *Lock) Published() []Image { return slices.Concat(l.Images, l.ChartImages()) }

func (c Chart) check() error {
	if err := c.Image().check(); err != nil {
		return err
	}
	if c.File.Digest == (v1.Hash{}) {
		return errMissing
	}
	if !isFileName(c.File.Name) {
		return fmt.Errorf("%q is not a file name", c.File.Name)
	}
	if !slices.Contains(c.Tags, imagename.ChartTag(c.Version)) {
		return fmt.Errorf("none of its tags is %q, by which Helm finds it", imagename.ChartTag(c.Version))
	}
	for _, r := range c.Image().Repositories() {
		if path.Base(r) != c.Name {
			return fmt.Errorf("%s does not end with its name, as Helm demands", r)
		}
	}
	return nil
}
