package bundle

import (
	"fmt"
	"math"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// maxReferrerManifests bounds the manifests that one referrer consists of.
const maxReferrerManifests = 1000

// Referrer is an artifact that refers to an image, such as a signature or an SBOM. Its Subject is
// zero if it refers to the image itself.
type Referrer struct {
	oci.Referrer

	Tree *oci.Tree
}

// listedReferrer returns a referrer as index.json lists it: see [Referrer.descriptor].
func listedReferrer(d v1.Descriptor, subject v1.Hash) oci.Referrer {
	return oci.Referrer{
		ArtifactType: d.Annotations[annotationArtifact], MediaType: d.MediaType, Digest: d.Digest, Size: d.Size,
		Subject: subject, Tag: d.Annotations[annotationTag],
	}
}

// ReadReferrer reads the manifest of a referrer of an image, and everything below it. If no tag
// finds the referrer, its manifest must name the subject.
func ReadReferrer(r oci.Referrer, image v1.Hash, reader *oci.Reader) (Referrer, error) {
	if err := r.CheckTag(); err != nil {
		return Referrer{}, err
	}
	if r.Subject == (v1.Hash{}) {
		r.Subject = image
	}
	reader.Limits, reader.ManifestOnly = oci.Limits{
		Manifests: maxReferrerManifests, References: math.MaxInt,
		Bytes: math.MaxInt64,
	}, nil
	t, err := reader.Read(r.Descriptor())
	if err != nil {
		return Referrer{}, fmt.Errorf("referrer %s: %w", r.Digest, err)
	}
	if r.Tag == "" && (t.Subject == nil || t.Subject.Digest != r.Subject) {
		return Referrer{}, fmt.Errorf("referrer %s: its manifest does not name the subject %s", r.Digest, r.Subject)
	}
	if r.Subject == image {
		r.Subject = v1.Hash{}
	}
	all := Referrer{r, t}
	metadata, _ := all.blobs()
	for _, d := range metadata {
		if _, err := reader.Get(d); err != nil {
			return Referrer{}, fmt.Errorf("referrer %s: %w", r.Digest, err)
		}
	}
	return all, nil
}

// blobs returns the blobs of the referrer: those that belong into the head, and the others. A
// configuration that is larger than a reader of heads accepts is one of the others.
func (r Referrer) blobs() (metadata, layers []v1.Descriptor) {
	queue := []*oci.Tree{r.Tree}
	for n := 0; n < len(queue); n++ {
		t := queue[n]
		metadata = append(metadata, t.Desc)
		queue = append(queue, t.Children...)
		if t.Config == nil {
			continue
		}
		if t.Config.Size > oci.MaxConfig {
			layers = append(layers, *t.Config)
		} else {
			metadata = append(metadata, *t.Config)
		}
		layers = append(layers, t.Layers...)
	}
	return metadata, layers
}

// subject returns the digest that the referrer refers to.
func (r Referrer) subject(image v1.Hash) v1.Hash {
	if r.Subject == (v1.Hash{}) {
		return image
	}
	return r.Subject
}

// describe returns the type of an artifact, and how cosign finds it.
func (r Referrer) describe() string {
	s := r.ArtifactType
	if r.Tag != "" {
		s += " by cosign's tag"
	}
	return s
}
