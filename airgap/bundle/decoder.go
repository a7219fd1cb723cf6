package bundle

import (
	"errors"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
)

// Inspect returns the contents of a bundle, which it reads as [Open] does, or of a delta.
func Inspect(path string) (*Contents, error) {
	b, err := OpenAny(path)
	if err != nil {
		return nil, err
	}
	return b.Contents(), b.Close()
}

// contents decodes the head. Of a damaged one it returns, with all errors, the images that are
// complete.
func (h *head) contents() (*Contents, error) {
	c, err := h.describe()
	if err != nil {
		return nil, err
	}
	d := &decoder{head: h, contents: c, used: map[v1.Hash]bool{}, names: map[string]int{}, sizes: map[v1.Hash]int64{}}
	d.reader.Get = d.get
	var errs []error
	for _, desc := range h.index.Manifests {
		if len(errs) == maxErrors || d.refs > maxRefs || d.read > maxRead { // and the last error is that
			break
		}
		add := d.image
		if desc.Annotations[annotationSubjectDigest] != "" {
			add = d.referrer
		}
		if err := add(desc); err != nil {
			errs = append(errs, err)
		}
	}
	for h, err := range h.bad {
		if !d.used[h] {
			errs = append(errs, err)
		}
	}
	c.count()
	if _, h.layers, err = c.order(); err != nil {
		errs = append(errs, &FormatError{Err: err})
	}
	if len(errs) > 0 {
		return c, errors.Join(errs...)
	}
	if err := c.checkNeeds(); err != nil {
		return c, err
	}
	for b := range h.blobs {
		if !d.used[b] {
			return c, invalid("blob %s belongs to no image", b)
		}
	}
	return c, d.checkDocker()
}

// decoder turns a head into Contents, within the limits.
type decoder struct {
	*head
	contents *Contents
	reader   oci.Reader
	used     map[v1.Hash]bool
	names    map[string]int    // of images, by their index in Contents
	sizes    map[v1.Hash]int64 // of layers
	refs     int               // how often images list a manifest or a layer
	read     int64             // bytes of blobs that get returned
}

// get returns a metadata blob.
func (d *decoder) get(desc v1.Descriptor) ([]byte, error) {
	d.used[desc.Digest] = true
	b, ok := d.blobs[desc.Digest]
	switch {
	case d.bad[desc.Digest] != nil:
		return nil, d.bad[desc.Digest]
	case !ok:
		return nil, fmt.Errorf("%s is %w", desc.Digest, oci.ErrAbsent)
	case int64(len(b)) != desc.Size:
		return nil, fmt.Errorf("%s has %d bytes, its descriptor says %d", desc.Digest, len(b), desc.Size)
	}
	if d.read += desc.Size; d.read > maxRead {
		return nil, invalid("its images list the same blobs again and again, %d MiB in all", maxRead>>20)
	}
	return b, nil
}

// image adds one image of index.json to the contents.
func (d *decoder) image(desc v1.Descriptor) error {
	name, err := imageName(desc)
	if err != nil {
		return err
	}
	if _, twice := d.names[name]; twice {
		return invalid("index.json lists %s twice", name)
	}
	i, err := d.readImage(name, desc)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d.names[name] = len(d.contents.Images)
	d.contents.Images = append(d.contents.Images, i)
	return nil
}

func (d *decoder) readImage(name string, desc v1.Descriptor) (Image, error) {
	only, err := parseDigests(desc.Annotations[annotationManifestOnly])
	if err != nil {
		return Image{}, err
	}
	found := map[v1.Hash]bool{}
	d.reader.ManifestOnly = func(m v1.Descriptor) bool {
		found[m.Digest] = true
		return only[m.Digest]
	}
	i, err := ReadImage(name, v1.Descriptor{MediaType: desc.MediaType, Digest: desc.Digest, Size: desc.Size}, &d.reader)
	if err != nil {
		return i, err
	}
	for h := range only {
		if !found[h] {
			return i, invalid("its index lists no manifest %s", h)
		}
	}
	if i.Chart = desc.Annotations[annotationChart] != ""; i.Chart && !i.isChart() {
		return i, invalid("it is not a chart")
	}
	i.Listed, i.Floating = desc.Annotations[annotationListed], desc.Annotations[annotationFloating] == "true"
	included := i.Included()
	for _, m := range i.Manifests {
		if err := d.count(m.Layers); err != nil {
			return i, err
		}
		if p := m.Platform.String(); !m.Platform.IsZero() && !isText(p, maxNameLen) {
			return i, invalid("%.100q is not a platform", p)
		}
	}
	if len(included) == 0 {
		return i, errors.New("the bundle includes none of its manifests")
	}
	if fallback := desc.Annotations[annotationFallback]; fallback != "" {
		i.Fallback = d.contents.Platform
		return i, checkFallback(included, fallback, i.Fallback)
	}
	return i, nil
}

// imageName returns the name of an image of index.json, if it is complete and the same in all
// annotations. A chart has one alone.
func imageName(desc v1.Descriptor) (string, error) {
	given, again := desc.Annotations[annotationImageName], desc.Annotations[annotationRefName]
	if chart := desc.Annotations[annotationChart]; chart != "" {
		if given+again != "" {
			return "", invalid("%.200q is an image and a chart", given)
		}
		given, again = chart, chart
	}
	tagged, err := imagename.Bundled(given, desc.Digest)
	switch {
	case err != nil:
		return "", invalid("%.200q is not a full name with a tag: %s", given,
			output.Excerpt(errors.Unwrap(err).Error(), maxNameLen))
	case tagged != given || again != given:
		return "", invalid("%.200q is not a full name with a tag", given)
	}
	if listed := desc.Annotations[annotationListed]; listed != "" {
		if name, err := imagename.Bundled(listed, desc.Digest); err != nil || name != given {
			return "", invalid("%s is listed as %.200q, which is another name", given, listed)
		}
	}
	return given, nil
}

// checkFallback checks that the manifests are not for the bundle's platform, and that its nodes
// run them.
func checkFallback(included []Manifest, fallback string, bundle platform.Platform) error {
	if bundle.IsZero() || fallback != bundle.String() {
		return invalid("it is a fallback for %.100q in a bundle for %s", fallback, bundle)
	}
	key := bundle.Key()
	for _, m := range included {
		if m.Runnable && (m.Key == key || !platform.Runs(bundle, m.Platform)) {
			return invalid("%s is not a fallback for %s", m.Platform, bundle)
		}
	}
	return nil
}

// count counts a manifest and its layers: each takes memory, also if it is the same again.
func (d *decoder) count(layers []v1.Descriptor) error {
	if d.refs += 1 + len(layers); d.refs > maxRefs {
		return invalid("its images list manifests and layers more than %d times", maxRefs)
	}
	for _, l := range layers {
		if !isText(string(l.MediaType), maxNameLen) {
			return invalid("%.100q is not a media type", l.MediaType)
		}
		size, seen := d.sizes[l.Digest]
		if d.sizes[l.Digest] = l.Size; seen && size != l.Size {
			return invalid("layer %s has %d bytes, and %d elsewhere", l.Digest, l.Size, size)
		}
		if l.Size > maxLayer {
			return invalid("layer %s has %d bytes", l.Digest, l.Size)
		}
	}
	if len(d.sizes) > maxCount {
		return invalid("it has more than %d layers", maxCount)
	}
	return nil
}

// referrer adds a referrer of index.json to its image.
func (d *decoder) referrer(desc v1.Descriptor) error {
	name := desc.Annotations[annotationSubjectImage]
	at, ok := d.names[name]
	subject, err := v1.NewHash(desc.Annotations[annotationSubjectDigest])
	if !ok || err != nil {
		return invalid("%s refers to %.200q, which is not in it", desc.Digest, name)
	}
	i := &d.contents.Images[at]
	if !i.has(subject) {
		return invalid("%s refers to %s, which is not a part of %s", desc.Digest, subject, name)
	}
	r := listedReferrer(desc, subject)
	if !isText(r.ArtifactType, maxNameLen) || !isText(string(r.MediaType), maxNameLen) {
		return invalid("%.100q of type %.100q is not an artifact", r.ArtifactType, r.MediaType)
	}
	full, err := ReadReferrer(r, i.Digest(), &d.reader)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, layers := full.blobs()
	if err := d.count(layers); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	i.Referrers = append(i.Referrers, full)
	return nil
}

// has reports whether a digest is that of the image, of a manifest that is included or of a
// referrer.
func (i *Image) has(h v1.Hash) bool {
	return i.Digest() == h || slices.ContainsFunc(i.Included(), func(m Manifest) bool { return m.Desc.Digest == h }) ||
		slices.ContainsFunc(i.Referrers, func(r Referrer) bool { return r.Digest == h })
}

// checkDocker checks that manifest.json lists images of index.json, by the same names.
func (d *decoder) checkDocker() error {
	var all tarball.Manifest
	if err := oci.Decode("manifest.json", d.docker, &all, maxDocker); err != nil {
		return err
	}
	for _, desc := range all {
		if len(desc.RepoTags) == 0 {
			return invalid("manifest.json lists an image without name")
		}
		hasConfig := func(m Manifest) bool { return blobName(m.Config.Digest) == desc.Config }
		for _, tag := range desc.RepoTags {
			at, ok := d.names[tag]
			if !ok || !slices.ContainsFunc(d.contents.Images[at].Included(), hasConfig) {
				return invalid("manifest.json lists %.200q with %.100s, index.json does not", tag, desc.Config)
			}
		}
	}
	return nil
}
