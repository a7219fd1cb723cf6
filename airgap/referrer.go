package airgap

import (
	"errors"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/store"
)

// Annotations on what refers to an image. Its descriptor stands in index.json behind all images
// and has no name, as layouts of others have it, too: what imports a bundle passes over it.
const (
	annotationSubject  = "dev.slipway.referrer.subject" // the digest of what it is about
	annotationSubjects = "dev.slipway.referrer.image"   // the name of the image
	annotationTag      = "dev.slipway.referrer.tag"     // cosign's, where it is found by a tag
	// its type, which not every reader knows as a field
	annotationArtifact = "dev.slipway.referrer.artifact"
)

// Referrer is an artifact about an image, such as a signature or an SBOM, that travels with it.
type Referrer struct {
	oci.Referrer
	Layers []Layer `json:"layers,omitempty"` // its blobs behind the head
}

// attachment is a referrer, read and checked.
type attachment struct {
	oci.Referrer
	head   []v1.Descriptor // its manifest, those below it, and configurations
	layers []v1.Descriptor
}

// maxAttachment bounds the manifests that one referrer consists of.
const maxAttachment = 1000

// attach reads what a lock says refers to the item.
func (it *item) attach(st *store.Store, all []oci.Referrer) error {
	for _, r := range all {
		if r.Subject == (v1.Hash{}) {
			r.Subject = it.desc.Digest
		}
		a, err := readAttachment(r, func(d v1.Descriptor) ([]byte, error) {
			if err := present(st, d); err != nil {
				return nil, err
			}
			return st.ReadAll(d.Digest, maxBlob)
		})
		if err != nil {
			return fmt.Errorf("%s, which refers to it: %w", r.Digest, err)
		}
		for _, l := range a.layers {
			if err := present(st, l); err != nil {
				return fmt.Errorf("%s, which refers to it: %w", r.Digest, err)
			}
		}
		it.attached = append(it.attached, a)
	}
	return nil
}

// readAttachment reads the manifest and everything below it. One that is found by no tag must
// itself say what it is about.
func readAttachment(r oci.Referrer, get blobs) (attachment, error) {
	a := attachment{Referrer: r}
	if err := r.CheckTag(); err != nil {
		return a, err
	}
	queue := []v1.Descriptor{{MediaType: r.MediaType, Digest: r.Digest, Size: r.Size}}
	for n := 0; n < len(queue); n++ {
		d := queue[n]
		var m struct {
			Manifests []v1.Descriptor `json:"manifests"`
			Config    *v1.Descriptor  `json:"config"`
			Layers    []v1.Descriptor `json:"layers"`
			Subject   *v1.Descriptor  `json:"subject"`
		}
		if err := readJSON(d, get, &m); err != nil {
			return a, err
		}
		a.head = append(a.head, d)
		switch {
		case n == 0 && r.Tag == "" && (m.Subject == nil || m.Subject.Digest != r.Subject):
			return a, fmt.Errorf("its manifest does not say that it is about %s", r.Subject)
		case d.MediaType.IsIndex():
			if queue = append(queue, m.Manifests...); len(queue) > maxAttachment {
				return a, errors.New("it consists of too many manifests")
			}
			continue
		case !d.MediaType.IsImage() || m.Config == nil:
			return a, fmt.Errorf("%s of type %.100q is no manifest", d.Digest, d.MediaType)
		}
		if len(a.layers)+len(m.Layers) > maxCount {
			return a, fmt.Errorf("it has more than %d layers", maxCount)
		}
		for i, b := range append([]v1.Descriptor{*m.Config}, m.Layers...) {
			if b.Size < 0 {
				return a, fmt.Errorf("blob %s has a negative size", b.Digest)
			}
			if i > 0 || b.Size > maxBlob {
				a.layers = append(a.layers, b)
				continue
			}
			if _, err := get(b); err != nil {
				return a, err
			}
			a.head = append(a.head, b)
		}
	}
	return a, nil
}

// travels are the attachments that are about what a bundle holds of the item, or about one another.
func (k pick) travels() []attachment {
	about := map[v1.Hash]bool{k.desc.Digest: true}
	for _, n := range k.children {
		about[n.desc.Digest] = true
	}
	var all []attachment
	for _, a := range k.attached {
		if about[a.Subject] {
			about[a.Digest] = true
			all = append(all, a)
		}
	}
	return all
}

// descriptor is how index.json has the attachment.
func (a attachment) descriptor(image string) v1.Descriptor {
	d := v1.Descriptor{MediaType: a.MediaType, Digest: a.Digest, Size: a.Size, ArtifactType: a.ArtifactType, Annotations: map[string]string{
		annotationSubjects: image,
		annotationSubject:  a.Subject.String(),
		annotationArtifact: a.ArtifactType,
	}}
	if a.Tag != "" {
		d.Annotations[annotationTag] = a.Tag
	}
	return d
}

// describe is what inspect says of the attachment; of is the image's digest. Layers that are no
// larger than a manifest may stand in the head, since something there has the same bytes.
func (a attachment) describe(of v1.Hash) Referrer {
	r := Referrer{Referrer: a.Referrer}
	if r.Subject == of {
		r.Subject = v1.Hash{}
	}
	for _, l := range a.layers {
		r.Layers = append(r.Layers, Layer{l.MediaType, l.Digest, l.Size})
	}
	return r
}

// referrer adds what refers to an image to the contents.
func (r *reading) referrer(d v1.Descriptor) error {
	name := d.Annotations[annotationSubjects]
	at := slices.IndexFunc(r.contents.Images, func(i Image) bool { return i.Name == name })
	about, err := v1.NewHash(d.Annotations[annotationSubject])
	if at < 0 || err != nil {
		return fmt.Errorf("not a bundle of Slipway: %s refers to %.200q, which is not in it", d.Digest, name)
	}
	i := &r.contents.Images[at]
	known := i.Digest == about || slices.ContainsFunc(i.Children, func(c Child) bool { return c.Digest == about }) ||
		slices.ContainsFunc(i.Referrers, func(o Referrer) bool { return o.Digest == about })
	if !known {
		return fmt.Errorf("not a bundle of Slipway: %s refers to %s, which is no part of %s", d.Digest, about, i.Name)
	}
	a, err := r.attachment(d)
	if err != nil {
		return fmt.Errorf("%s: %s, which refers to it: %w", i.Name, d.Digest, err)
	}
	if err := r.refer(a.layers); err != nil {
		return fmt.Errorf("%s: %w", i.Name, err)
	}
	described := a.describe(i.Digest)
	for _, l := range described.Layers {
		if err := r.layer(l); err != nil {
			return fmt.Errorf("%s: %w", i.Name, err)
		}
	}
	i.Referrers = append(i.Referrers, described)
	return nil
}

// attachment reads the referrer that index.json has as d.
func (r *reading) attachment(d v1.Descriptor) (attachment, error) {
	about, err := v1.NewHash(d.Annotations[annotationSubject])
	if err != nil {
		return attachment{}, err
	}
	a := oci.Referrer{ArtifactType: d.Annotations[annotationArtifact], MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Subject: about, Tag: d.Annotations[annotationTag]}
	if !isText(a.ArtifactType, maxWord) || !isText(string(a.MediaType), maxWord) {
		return attachment{}, fmt.Errorf("not a bundle of Slipway: %.100q of type %.100q is no artifact", a.ArtifactType, a.MediaType)
	}
	return readAttachment(a, r.get)
}
