package airgap

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
)

// Inspect says what is in a bundle, as [Open] finds it, or in a delta.
func Inspect(path string) (*Contents, error) {
	b, err := openAny(path)
	if err != nil {
		return nil, err
	}
	return b.Contents(), b.Close()
}

// contents understands the head. Of a damaged one it returns, beside all errors, the images that
// are whole.
func (h *head) contents() (*Contents, error) {
	c, err := h.about()
	if err != nil {
		return nil, err
	}
	r := &reading{head: h, contents: c, used: map[v1.Hash]bool{}, configs: map[string]map[string]bool{}, sizes: map[v1.Hash]int64{}, lacking: c.Delta.lacking()}
	defer func() { share(c.Images) }()
	var errs []error
	for _, d := range h.index.Manifests {
		if len(errs) == maxErrors || r.refs > maxRefs || r.read > maxRead { // and it says so
			break
		}
		add := r.image
		if d.Annotations[annotationSubject] != "" {
			add = r.referrer
		}
		if err := add(d); err != nil {
			errs = append(errs, err)
		}
	}
	for d, err := range h.bad {
		if !r.used[d] {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return c, errors.Join(errs...)
	}
	for d := range h.blobs {
		if !r.used[d] {
			return c, fmt.Errorf("not a bundle of Slipway: blob %s belongs to no image", d)
		}
	}
	return c, h.agree(r.configs)
}

// reading is a head that is being understood.
type reading struct {
	*head
	contents *Contents
	used     map[v1.Hash]bool
	configs  map[string]map[string]bool // name → configurations
	sizes    map[v1.Hash]int64          // of layers
	refs     int                        // how often images name a manifest or a layer
	read     int64                      // bytes of blobs that get gave
	lacking  map[v1.Hash]bool           // layers that a delta does not hold
}

// get gives a blob of the head.
func (r *reading) get(d v1.Descriptor) ([]byte, error) {
	r.used[d.Digest] = true
	b, ok := r.blobs[d.Digest]
	switch {
	case r.bad[d.Digest] != nil:
		return nil, r.bad[d.Digest]
	case !ok:
		return nil, errAbsent
	case int64(len(b)) != d.Size:
		return nil, fmt.Errorf("%s has %d bytes, its descriptor says %d", d.Digest, len(b), d.Size)
	}
	if r.read += d.Size; r.read > maxRead {
		return nil, fmt.Errorf("not a bundle of Slipway: its images name the same blobs over and over, %d MiB in all", maxRead>>20)
	}
	return b, nil
}

// image adds one image of index.json to the contents.
func (r *reading) image(d v1.Descriptor) error {
	it, err := r.item(d, r.get)
	if err != nil {
		return err
	}
	if r.configs[it.name] != nil {
		return fmt.Errorf("not a bundle of Slipway: %s stands in index.json twice", it.name)
	}
	r.configs[it.name] = map[string]bool{}
	for _, n := range it.children {
		if err := r.refer(n.layers); err != nil {
			return fmt.Errorf("%s: %w", it.name, err)
		}
		if p := n.platform.String(); !n.platform.IsZero() && !isText(p, maxWord) {
			return fmt.Errorf("%s: not a bundle of Slipway: %.100q is no platform", it.name, p)
		}
	}
	i := it.describe(func(n node) bool { return !n.absent })
	if i.Fallback, err = it.fallback(r.contents.Platform, d.Annotations[annotationFallback]); err != nil {
		return err
	}
	if len(i.Children) == 0 {
		return fmt.Errorf("%s: the bundle holds none of its manifests", it.name)
	}
	for _, child := range i.Children {
		r.configs[it.name][blobName(child.Config)] = true
		for _, l := range child.Layers {
			if err := r.layer(l); err != nil {
				return fmt.Errorf("%s: %w", it.name, err)
			}
		}
	}
	r.contents.Images = append(r.contents.Images, i)
	return nil
}

// refer counts a manifest and its layers: each takes memory, however often it is the same.
func (r *reading) refer(layers []v1.Descriptor) error {
	if r.refs += 1 + len(layers); r.refs > maxRefs {
		return fmt.Errorf("not a bundle of Slipway: its images name manifests and layers more than %d times", maxRefs)
	}
	for _, l := range layers {
		if !isText(string(l.MediaType), maxWord) {
			return fmt.Errorf("not a bundle of Slipway: %.100q is no media type", l.MediaType)
		}
	}
	return nil
}

// layer counts a layer, and finds its place in the archive.
func (r *reading) layer(l Layer) error {
	if size, seen := r.sizes[l.Digest]; seen {
		if size != l.Size {
			return fmt.Errorf("not a bundle of Slipway: layer %s has %d bytes, and %d elsewhere", l.Digest, l.Size, size)
		}
		return nil
	}
	r.sizes[l.Digest] = l.Size
	if r.lacking[l.Digest] {
		return nil
	}
	r.contents.Layers++
	if len(r.sizes) > maxCount {
		return fmt.Errorf("not a bundle of Slipway: it has more than %d layers", maxCount)
	}
	if r.contents.LayerBytes += l.Size; l.Size > maxLayer || r.contents.LayerBytes > maxLayers {
		return fmt.Errorf("not a bundle of Slipway: layer %s has %d bytes", l.Digest, l.Size)
	}
	if _, early := r.blobs[l.Digest]; !early { // what stands in the head stands there only
		r.layers = append(r.layers, l)
	}
	return nil
}

// item reads one image of index.json.
func (h *head) item(d v1.Descriptor, get blobs) (*item, error) {
	given := d.Annotations[annotationImageName]
	tagged, pinned, err := names(given, d.Digest)
	switch {
	case err != nil:
		return nil, fmt.Errorf("not a bundle of Slipway: %.200q is no full name with a tag: %s", given, output.Excerpt(errors.Unwrap(err).Error(), maxWord))
	case tagged != given || d.Annotations[annotationRefName] != given:
		return nil, fmt.Errorf("not a bundle of Slipway: %.200q is no full name with a tag", given)
	}
	if written := d.Annotations[annotationReference]; written != "" {
		if again, _, err := names(written, d.Digest); err != nil || again != given {
			return nil, fmt.Errorf("%s: not a bundle of Slipway: it is written %.200q, which is another name", given, written)
		}
	}
	it := &item{name: tagged, pinned: pinned}
	if d.Annotations[annotationBare] != "" && h.format < formatBare {
		return nil, fmt.Errorf("%s: not a bundle of Slipway: it has bare manifests, which there are since format %d", it.name, formatBare)
	}
	if it.named, err = readBare(d.Annotations[annotationBare]); err != nil {
		return nil, fmt.Errorf("%s: %w", it.name, err)
	}
	if err := it.read(d, get); err != nil {
		return nil, fmt.Errorf("%s: %w", it.name, err)
	}
	for h, unfound := range it.named {
		if unfound {
			return nil, fmt.Errorf("%s: not a bundle of Slipway: its index has no manifest %s", it.name, h)
		}
	}
	return it, nil
}

// fallback holds what the bundle says against what it has: whether an image is here for another
// platform than the bundle is for.
func (it *item) fallback(bundle platform.Platform, says string) (platform.Platform, error) {
	if says == "" {
		return platform.Platform{}, nil
	}
	if says != bundle.String() {
		return platform.Platform{}, fmt.Errorf("%s: not a bundle of Slipway: it stands in for %.100q in a bundle for %.100q", it.name, says, bundle)
	}
	for _, n := range it.children {
		if n.image && !n.absent && (platform.Same(bundle, n.platform) || !platform.Runs(bundle, n.platform)) {
			return platform.Platform{}, fmt.Errorf("%s: not a bundle of Slipway: %s does not stand in for %s", it.name, n.platform, bundle)
		}
	}
	return bundle, nil
}

// about reads what the bundle says of itself.
func (h *head) about() (*Contents, error) {
	a := h.index.Annotations
	c := &Contents{
		Format: h.format, Product: a[annotationName], Version: a[annotationVersion],
		Snapshot: a[annotationSnapshot] == "true", StandIn: a[annotationStandIn] == "true",
	}
	var err error
	if c.Created, err = time.Parse(time.RFC3339, a[annotationCreated]); err != nil {
		return nil, fmt.Errorf("not a bundle of Slipway: %s: %w", annotationCreated, err)
	}
	if on := a[annotationPlatform]; on != "" {
		if c.Platform, err = platform.Parse(on); err != nil {
			return nil, fmt.Errorf("not a bundle of Slipway: %w", err)
		}
	}
	if c.Volume = a[annotationVolume]; c.Volume != "" && !volumePattern.MatchString(c.Volume) {
		return nil, fmt.Errorf("not a bundle of Slipway: %s is %.100q, not 1/3 or the like", annotationVolume, c.Volume)
	}
	if c.Delta, err = readDelta(a[annotationDelta]); err != nil {
		return nil, err
	}
	if s := a[annotationLeftOut]; s != "" {
		if err := decode(annotationLeftOut, []byte(s), &c.LeftOut); err != nil {
			return nil, err
		}
	}
	return c, c.texts()
}

var volumePattern = regexp.MustCompile(`^[1-9][0-9]{0,4}/[1-9][0-9]{0,4}$`)

// texts checks what is only shown: each is a line that a reader can see all of.
func (c *Contents) texts() error {
	for what, s := range map[string]string{annotationName: c.Product, annotationVersion: c.Version} {
		if !isText(s, maxWord) {
			return fmt.Errorf("not a bundle of Slipway: %s is %.100q, which is not a line of printable text", what, s)
		}
	}
	for _, o := range c.LeftOut {
		if !isText(o.Name, maxText) || !isText(o.Reason, maxText) {
			return fmt.Errorf("not a bundle of Slipway: %s has %.100q: %.100q, which is not a line of printable text", annotationLeftOut, o.Name, o.Reason)
		}
	}
	return nil
}

// isText reports whether s is a line of printable text of at most limit bytes.
func isText(s string, limit int) bool { return len(s) <= limit && output.IsLine(s) }

// agree checks that manifest.json names images of index.json, by the same names.
func (h *head) agree(configs map[string]map[string]bool) error {
	var m tarball.Manifest
	if err := decodeUpTo(maxDocker, "manifest.json", h.docker, &m); err != nil {
		return err
	}
	for _, d := range m {
		if len(d.RepoTags) == 0 {
			return errors.New("not a bundle of Slipway: manifest.json has an image without name")
		}
		for _, tag := range d.RepoTags {
			if !configs[tag][d.Config] {
				return fmt.Errorf("not a bundle of Slipway: manifest.json has %.200q with %.100s, index.json does not", tag, d.Config)
			}
		}
	}
	return nil
}
