package imagefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
)

// Image is an image for one platform.
type Image struct {
	Platform  platform.Platform // of the configuration, with all parts of os.version
	Config    *v1.ConfigFile
	RawConfig []byte // byte for byte
	// Tree is the manifest. That of an image of a docker-archive without one is nil until
	// [Image.Put] has made it.
	Tree *oci.Tree
	// Look, if set, reads as much as it likes of a blob while [Image.Put] copies that, in several
	// goroutines, and for blobs of referrers, too.
	Look func(blob v1.Descriptor, r io.Reader)

	file   *File
	digest v1.Hash  // of the manifest, or of the configuration where there is none
	layers []string // of an image without a manifest, the names of its layers in the archive
}

// images returns the images among entries and below them, each once, and the descriptors of those
// whose manifest or configuration is not there.
func (l *layout) images(list []entry) (all []*Image, absent []v1.Descriptor, err error) {
	seen := map[v1.Hash]bool{}
	for e := range below(list) {
		switch {
		case e.MediaType.IsSchema1():
			return nil, nil, fmt.Errorf("manifest %s has Docker's schema 1, which has no configuration: "+
				"build the image anew, or copy it with skopeo copy --format=oci", e.Digest)
		case isProof(e.Descriptor):
			continue
		case e.absent():
			absent = append(absent, e.Descriptor)
			continue
		case e.node == nil, e.node.Config == nil, e.node.IsArtifact(), seen[e.Digest]:
			continue
		}
		seen[e.Digest] = true
		i, err := l.image(e.node)
		if errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, e.Descriptor)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if i.Platform.IsImage() { // the configuration of cosign's signatures has no platform
			all = append(all, i)
		}
	}
	return all, absent, nil
}

// isProof reports whether an entry is an attestation of BuildKit or is under a tag of cosign, and
// so not an image.
func isProof(d v1.Descriptor) bool {
	return cosignTag(d) != "" || isAttestation(d) || d.Platform != nil && d.Platform.OS == "unknown"
}

func (l *layout) image(n *node) (*Image, error) {
	i := &Image{Tree: n.Tree, digest: n.Desc.Digest}
	config, err := n.ReadConfig(func(d v1.Descriptor) (_ []byte, err error) {
		i.RawConfig, err = l.get("configuration", d, oci.MaxConfig)
		return i.RawConfig, err
	})
	if err != nil {
		return nil, err
	}
	i.Config, i.Platform = config, platform.FromConfig(config)
	return i, nil
}

// Image returns the only image for a platform. Its configuration decides what it is for, not the
// descriptor that lists it.
func (f *File) Image(p platform.Platform) (*Image, error) {
	var found []*Image
	for _, i := range f.images {
		if p.Takes(i.Platform) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return nil, f.none(p)
	}
	if len(found) > 1 {
		return nil, fmt.Errorf("%s has two images for %s, %s and %s: %s", f.ref.Text, shown(p), found[0].digest,
			found[1].digest, f.advice())
	}
	if err := found[0].check(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.ref.Text, err)
	}
	if lost := f.layout.lost(found[0].digest); lost != (v1.Hash{}) && f.ref.Digest != found[0].digest {
		layout := strings.Replace(f.ref.Transport, DockerArchive, OCIArchive, 1) // which takes a digest
		return nil, fmt.Errorf("%s: it lists %s, which says something of the image and is not there: export the image "+
			"whole, or name %s:…@%s, which is the image alone", f.ref.Text, lost, layout, found[0].digest)
	}
	return found[0], nil
}

// advice is how to name one image of several for a platform.
func (f *File) advice() string {
	switch {
	case f.ref.Transport == DockerArchive:
		return "save one of them alone"
	case f.ref.Name != "":
		return "add @DIGEST instead of the tag to name one"
	}
	return "add :TAG or @DIGEST to name one"
}

// none explains why an image for a platform is missing.
func (f *File) none(p platform.Platform) error {
	for _, d := range f.absent {
		if on := platform.From(d.Platform); on.IsImage() && platform.Same(on, p) {
			return fmt.Errorf("%s lists %s for %s, and its manifest or configuration is not there: "+
				"export this platform, too", f.ref.Text, d.Digest, shown(p))
		}
	}
	for _, i := range f.images {
		if i.Platform.OS == platform.Windows && p.OS == platform.Windows && i.Platform.Architecture == p.Architecture {
			if err := i.checkVersion(); err != nil {
				return fmt.Errorf("%s: %w", f.ref.Text, err)
			}
		}
	}
	switch len(f.images) {
	case 0:
		if len(f.absent) > 0 {
			return fmt.Errorf("%s lists %s, and its manifest or configuration is not there: export the image whole",
				f.ref.Text, f.absent[0].Digest)
		}
		return fmt.Errorf("%s has no image: name the tag or the digest of one, or build it", f.ref.Text)
	case 1:
		return fmt.Errorf("%s is an image for %s, not for %s: build it for this platform, or take the platform out",
			f.ref.Text, shown(f.images[0].Platform), shown(p))
	}
	var names []string
	for _, h := range f.Platforms() {
		names = append(names, shown(h))
	}
	return fmt.Errorf("%s has no image for %s, only for %s: build it for this platform too, or take the platform out",
		f.ref.Text, shown(p), strings.Join(names, ", "))
}

// shown is a platform that others wrote, on one line.
func shown(p platform.Platform) string { return output.Excerpt(p.String(), 100) }

// checkVersion returns an error for a Windows image that hosts cannot compare with themselves.
func (i *Image) checkVersion() error {
	if v := i.Platform.OSVersion; i.Platform.OS == platform.Windows && strings.Count(v, ".") != 3 {
		return fmt.Errorf("the os.version %.100q of %s has not four parts, so no host can tell whether it runs: "+
			"build the image on a base that has", v, i.digest)
	}
	return nil
}

// check returns an error for an image that no runtime takes.
func (i *Image) check() error {
	if err := i.checkVersion(); err != nil {
		return err
	}
	n := len(i.layers)
	if i.Tree != nil {
		n = len(i.Tree.Layers)
		for _, l := range i.Tree.Layers {
			if !l.MediaType.IsLayer() {
				return fmt.Errorf("manifest %s: layer %s has the type %.100q, which is not one of layers of images: "+
					"build the image with those of OCI or Docker", i.digest, l.Digest, l.MediaType)
			}
			if err := checkDigest("a layer of "+i.digest.String(), l); err != nil {
				return err
			}
		}
	}
	if have := len(i.Config.RootFS.DiffIDs); have != n {
		return fmt.Errorf("%s has %d layers, and its configuration lists %d in rootfs.diff_ids: build the image anew",
			i.digest, n, have)
	}
	return nil
}
