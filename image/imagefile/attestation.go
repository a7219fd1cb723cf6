package imagefile

import (
	"cmp"
	"slices"

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
// byte for byte, and returns its documents, children first. It is the zero value where the
// attestation has a subject itself, or no statement.
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
