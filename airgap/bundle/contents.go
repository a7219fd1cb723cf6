package bundle

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/platform"
)

// Format is the version of the format that this code writes and reads.
const Format = 1

// Contents is what a bundle has: what its head describes, which is all but the bytes of layers.
type Contents struct {
	Format  int       `json:"format"`
	Product string    `json:"product"`
	Version string    `json:"version"`
	Created time.Time `json:"created"`
	// Platform is zero for all platforms.
	Platform platform.Platform `json:"platform,omitzero"`
	// Snapshot means that the names of the images exist in the embedded registry only.
	Snapshot bool `json:"snapshot"`
	// StubBases means that an image has a stub base, so that it cannot run.
	StubBases bool       `json:"stubBases"`
	Images    []Image    `json:"images"`
	Omitted   []Omission `json:"omitted,omitempty"`
	// Layers counts the layers of the bundle, each once; LayerBytes is their size.
	Layers     int   `json:"layers"`
	LayerBytes int64 `json:"layerBytes"`
	// Delta describes the base of a delta; nil for a bundle.
	Delta *Delta `json:"delta,omitempty"`
	// Groups are the groups of images that it has; none for all images.
	Groups []string `json:"groups,omitempty"`
	// Needs is what a sparse bundle lacks; nil for a complete one.
	Needs *Needs `json:"needs,omitempty"`
	// Volume is "1/3" for the first of three volumes that a bundle was split into.
	Volume string `json:"volume,omitempty"`
	// Note describes an unusual but harmless property of the file.
	Note string `json:"note,omitempty"`
}

// Omission is an image that is not in a bundle.
type Omission struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// File is a bundle on disk.
type File struct {
	Path   string `json:"path"`           // of the .tar.zst
	List   string `json:"list,omitempty"` // path of its .txt; empty: none was written
	Size   int64  `json:"size"`           // bytes of the .tar.zst
	SHA256 string `json:"sha256"`         // of the .tar.zst, in hex
	// Gzip is the same archive as .tar.gz; nil: none was written.
	Gzip *Archive `json:"gzip,omitempty"`
	// Contents is what the bundle has.
	Contents *Contents `json:"contents"`
	// Reused means that the file existed already, packed from the same inputs.
	Reused bool `json:"reused,omitempty"`
}

// WriteNames writes the names of the images, or of the charts, one per line: the form of
// images.txt and of a bundle's list. With digests every name is pinned by its digest.
func (c *Contents) WriteNames(w io.Writer, charts, digests bool) error {
	for _, i := range c.Images {
		if i.Chart != charts {
			continue
		}
		name := i.Name
		if digests {
			name += "@" + i.Digest().String()
		}
		if _, err := fmt.Fprintln(w, name); err != nil {
			return err
		}
	}
	return nil
}

// Count returns how many images there are, and how many charts.
func (c *Contents) Count() (images, charts int) {
	for _, i := range c.Images {
		if i.Chart {
			charts++
		}
	}
	return len(c.Images) - charts, charts
}

// AllLayers returns the layers of all images and referrers, each once, also those that a delta or
// a sparse bundle lacks.
func (c *Contents) AllLayers() []v1.Descriptor {
	var all []v1.Descriptor
	seen := once{}
	for _, i := range c.Images {
		for _, m := range i.Included() {
			all = seen.add(all, m.Layers...)
		}
	}
	for _, i := range c.Images {
		for _, r := range i.Referrers {
			_, layers := r.blobs()
			all = seen.add(all, layers...)
		}
	}
	return all
}

// LayerSet returns the digests of those of AllLayers that a sparse bundle has.
func (c *Contents) LayerSet() map[v1.Hash]bool {
	all, lacking := once{}, c.Needs.lacking()
	for _, l := range c.AllLayers() {
		if !lacking[l.Digest] {
			all[l.Digest] = true
		}
	}
	return all
}

// lacking is the set of layers that are not in the archive.
func (c *Contents) lacking() map[v1.Hash]bool {
	all := c.Delta.lacking()
	maps.Copy(all, c.Needs.lacking())
	return all
}

// count fills in the numbers and sizes of layers.
func (c *Contents) count() {
	c.Layers, c.LayerBytes = 0, 0
	lacking := c.lacking()
	for _, l := range c.AllLayers() {
		if !lacking[l.Digest] {
			c.Layers++
			c.LayerBytes += l.Size
		}
	}
	owners := map[v1.Hash]int{}
	for _, i := range c.Images {
		for h := range i.layers() {
			owners[h]++
		}
	}
	for n := range c.Images {
		c.Images[n].SharedBytes = 0
		for h, size := range c.Images[n].layers() {
			if owners[h] > 1 {
				c.Images[n].SharedBytes += size
			}
		}
	}
}

// Find returns the image that ref names: by tag, by digest or by both, also in Docker Hub's short
// form. A digest alone is that of an image, or of a manifest that is included.
func (c *Contents) Find(ref string) (Image, error) {
	at := slices.IndexFunc(c.Images, func(i Image) bool { return i.isNamed(ref) || i.Digest().String() == ref })
	if at < 0 {
		at = slices.IndexFunc(c.Images, func(i Image) bool { return i.manifest(ref) != nil })
	}
	if at < 0 {
		return Image{}, fmt.Errorf("%s is not in the bundle: %s lists its images", ref, howto.Run("airgap inspect"))
	}
	return c.Images[at], nil
}

// Platforms is what messages call the platform of a bundle.
func (c *Contents) Platforms() string {
	if c.Platform.IsZero() {
		return "all platforms"
	}
	return c.Platform.String()
}

// Archive is a bundle in one of its forms: .tar.zst or .tar.gz.
type Archive struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // in hex
}

// Bytes is the size of the bundle in all its forms.
func (f *File) Bytes() int64 {
	if f.Gzip == nil {
		return f.Size
	}
	return f.Size + f.Gzip.Size
}

// Archives returns the bundle in each of its forms.
func (f *File) Archives() []Archive {
	all := []Archive{{f.Path, f.Size, f.SHA256}}
	if f.Gzip != nil {
		all = append(all, *f.Gzip)
	}
	return all
}

// WriteKubelet writes the configuration of a kubelet that lets every pod of a node use the
// images, which were loaded there without credentials, and no others without those of the pod:
// preloadedImagesVerificationAllowlist of KEP-2535. Each entry is a complete name without tag and
// digest, the only form that the kubelet takes besides a prefix. See
// https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/2535-ensure-secret-pulled-images.
func (c *Contents) WriteKubelet(w io.Writer) error {
	var names []string
	for _, i := range c.Images {
		if !i.Chart {
			names = append(names, fmt.Sprintf("- %q\n", repository(i.Name)))
		}
	}
	slices.Sort(names)
	_, err := fmt.Fprintf(w, `# The images of %s %s that are on the node before the kubelet starts.
# Kubernetes 1.36 and newer; 1.35 compares an entry with the whole name in the pod, tag and digest included.
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages
preloadedImagesVerificationAllowlist:
%s`, c.Product, c.Version, strings.Join(slices.Compact(names), ""))
	return err
}
