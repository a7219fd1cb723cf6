package imagefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
)

// Annotations of BuildKit's attestations, next to [oci.ReferenceDigest]
// (https://docs.docker.com/build/metadata/attestations/attestation-storage/), and the type of
// their layers.
const (
	referenceType = "vnd.docker.reference.type"
	attestation   = "attestation-manifest"
	statements    = "application/vnd.in-toto+json"
)

// madeFrom is the annotation of a referrer with the digest of the manifest that it replaces.
const madeFrom = "dev.slipway.referrer.made-from"

func isAttestation(d v1.Descriptor) bool { return d.Annotations[referenceType] == attestation }

// Attests reports whether an entry of an index is an attestation of BuildKit about a manifest.
func Attests(d v1.Descriptor, manifest v1.Hash) bool {
	return isAttestation(d) && d.Annotations[oci.ReferenceDigest] == manifest.String()
}

// makeable reports whether an attestation can become a referrer: one with a subject is one, and one
// without statements says nothing.
func makeable(t *oci.Tree) bool { return t.Subject == nil && len(t.Layers) > 0 }

// Referrer makes the referrer of an image out of an attestation of BuildKit, whose statements stay
// byte for byte, and returns its documents, children first. An attestation that has a subject
// itself, or no statement, gives the zero value.
func Referrer(t *oci.Tree, image v1.Descriptor) (r oci.Referrer, documents [][]byte, err error) {
	if !makeable(t) {
		return r, nil, nil
	}
	subject := v1.Descriptor{MediaType: image.MediaType, Digest: image.Digest, Size: image.Size}
	raw, err := oci.MakeArtifact(statements, t.Layers, &subject, map[string]string{
		oci.ReferenceDigest: image.Digest.String(), madeFrom: t.Desc.Digest.String(),
	})
	if err != nil {
		return r, nil, err
	}
	d, err := describe(raw)
	if err != nil {
		return r, nil, err
	}
	return oci.Referrer{
		ArtifactType: statements, MediaType: types.OCIManifestSchema1, Digest: d.Digest, Size: d.Size,
		Subject: image.Digest,
	}, [][]byte{[]byte(oci.Empty), raw}, nil
}

// Sorted returns the referrers of a manifest in the order in which a registry is asked for them:
// those that have it as their subject, by digest, then those that cosign's tags name, then those of
// other referrers. Each is there once.
func Sorted(manifest v1.Hash, all []oci.Referrer) []oci.Referrer {
	rank := func(r oci.Referrer) int {
		switch {
		case r.Tag != "":
			return 1
		case r.Subject != (v1.Hash{}) && r.Subject != manifest:
			return 2
		}
		return 0
	}
	all = slices.Clone(all)
	for n := range all {
		if all[n].Subject == (v1.Hash{}) {
			all[n].Subject = manifest
		}
	}
	slices.SortStableFunc(all, func(a, b oci.Referrer) int {
		if c := cmp.Compare(rank(a), rank(b)); c != 0 || rank(a) > 0 {
			return c
		}
		return cmp.Compare(a.Digest.Hex, b.Digest.Hex)
	})
	return slices.Compact(all)
}

// proof is a referrer of an image, and what it consists of.
type proof struct {
	oci.Referrer

	documents [][]byte // children before the index that lists them
	blobs     []v1.Descriptor
}

// tagSuffixes are those of cosign's tags, in the order in which registries are asked for them.
var tagSuffixes = []string{".sig", ".att", ".sbom"}

// proofs returns what refers to the image, in the order in which a registry is asked for it: what
// has it as its subject, by digest, then what cosign's tags name, then what refers to those.
func (i *Image) proofs() ([]proof, error) {
	l := i.file.layout
	direct, err := l.referring(i.digest)
	if err != nil {
		return nil, err
	}
	made, err := l.attestations(i.Tree.Desc)
	if err != nil {
		return nil, err
	}
	tagged, err := l.tagged(i.digest)
	if err != nil {
		return nil, err
	}
	all := appendNew(appendNew(nil, sorted(append(direct, made...))), tagged)
	round := all
	for range maxDepth - 1 {
		var next []proof
		for _, p := range round {
			more, err := l.referring(p.Digest)
			if err != nil {
				return nil, err
			}
			next = append(next, more...)
		}
		before := len(all)
		all = appendNew(all, next)
		round = all[before:]
	}
	return all, nil
}

// lost returns the digest of a document that is listed as evidence of an image, or in index.json as
// an artifact, and is not there; zero if there is none.
func (l *layout) lost(image v1.Hash) (h v1.Hash) {
	if l == nil {
		return h
	}
	for e := range below(l.top) {
		if e.node == nil && Attests(e.Descriptor, image) {
			return e.Digest
		}
	}
	for _, e := range l.top {
		if e.absent() && (e.ArtifactType != "" || strings.HasPrefix(cosignTag(e.Descriptor), "sha256-"+image.Hex)) {
			return e.Digest
		}
	}
	return h
}

func sorted(list []proof) []proof {
	slices.SortFunc(list, func(a, b proof) int { return cmp.Compare(a.Digest.Hex, b.Digest.Hex) })
	return list
}

func appendNew(all, more []proof) []proof {
	for _, p := range more {
		if !slices.ContainsFunc(all, func(o proof) bool { return o.Digest == p.Digest }) {
			all = append(all, p)
		}
	}
	return all
}

// referring returns the documents whose subject has a digest, sorted by their own.
func (l *layout) referring(subject v1.Hash) ([]proof, error) {
	var all []proof
	for _, n := range l.documents {
		if n.Subject == nil || n.Subject.Digest != subject {
			continue
		}
		p, err := l.proof(n)
		if err != nil {
			return nil, err
		}
		p.Subject = subject
		all = append(all, p)
	}
	return sorted(all), nil
}

// proof lists what a document consists of.
func (l *layout) proof(n *node) (proof, error) {
	p := proof{Referrer: oci.Referrer{
		ArtifactType: n.ArtifactType(), MediaType: n.Desc.MediaType, Digest: n.Desc.Digest, Size: n.Desc.Size,
	}}
	seen := map[v1.Hash]bool{}
	var collect func(n *node) error
	collect = func(n *node) error {
		if seen[n.Desc.Digest] {
			return nil
		}
		seen[n.Desc.Digest] = true
		for _, e := range n.entries {
			if e.node == nil {
				return fmt.Errorf("index %s, which refers to the image, lists %s, which is not there: export it whole",
					n.Desc.Digest, e.Digest)
			}
			if err := collect(e.node); err != nil {
				return err
			}
		}
		for _, b := range n.Blobs() {
			if err := checkDigest("a blob of "+n.Desc.Digest.String(), b); err != nil {
				return err
			}
		}
		p.documents, p.blobs = append(p.documents, n.Raw), append(p.blobs, n.Blobs()...)
		return nil
	}
	return p, collect(n)
}

// tagged returns what tags of cosign in index.json name as evidence of a manifest.
func (l *layout) tagged(image v1.Hash) ([]proof, error) {
	var all []proof
	for _, suffix := range tagSuffixes {
		tag := "sha256-" + image.Hex + suffix
		var first *node
		for _, e := range l.top {
			if cosignTag(e.Descriptor) != tag || e.node == nil || e.node.Config == nil {
				continue
			}
			if first != nil && first.Desc.Digest != e.Digest {
				return nil, fmt.Errorf("index.json lists two manifests as %s, %s and %s: remove one", tag,
					first.Desc.Digest, e.Digest)
			}
			first = e.node
		}
		if first == nil {
			continue
		}
		p, err := l.proof(first)
		if err != nil {
			return nil, err
		}
		p.Subject, p.Tag = image, tag
		all = append(all, p)
	}
	return all, nil
}

// attestations makes referrers of BuildKit's attestations of an image. As entries of an index they
// would have the platform unknown/unknown, on which older readers fail.
func (l *layout) attestations(image v1.Descriptor) ([]proof, error) {
	var all []proof
	for e := range below(l.top) {
		if !Attests(e.Descriptor, image.Digest) || e.node == nil || e.node.Config == nil || !makeable(e.node.Tree) {
			continue
		}
		p, err := l.attestation(e.node, image)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// attestation makes a referrer with the layers of BuildKit's manifest.
func (l *layout) attestation(n *node, image v1.Descriptor) (proof, error) {
	r, documents, err := Referrer(n.Tree, image)
	for _, b := range n.Layers {
		if err == nil {
			err = checkDigest("a layer of "+n.Desc.Digest.String(), b)
		}
	}
	return proof{Referrer: r, documents: documents, blobs: n.Layers}, err
}
