package bundletest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	_ "embed" // for fixedKey
	"fmt"
	"slices"
	"sync"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	nothing "github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Key makes a key that signs. Nothing encrypts it, which would take a tenth of a second.
func Key(tb testing.TB) *signature.Signer {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := signature.Local(key)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// FixedKey returns the same key in each process, as fuzz targets need: what one process has
// signed, the others must accept. The key is not secret.
func FixedKey(tb testing.TB) *signature.Signer {
	tb.Helper()
	s, err := parsed()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

var parsed = sync.OnceValues(func() (*signature.Signer, error) { return signature.ParsePrivateKey(fixedKey, nil) })

// fixedKey is a private key without a password.
//
//go:embed fixed.key
var fixedKey []byte

// Release is the demo as a release, which has real bases and a registry.
func Release(tb testing.TB, size int) (*store.Store, *lock.Lock) {
	tb.Helper()
	st, l := Demo(tb, size)
	l.Snapshot, l.Registry = false, "registry.example/me"
	for n := range l.Images {
		i := &l.Images[n]
		i.Repository = l.Registry + "/" + i.Name
		for k := range i.Children {
			i.Children[k].Base = nil
		}
	}
	return st, l
}

// Statement describes a release as its provenance does. Files are those that the lock does not
// have.
func Statement(tb testing.TB, l *lock.Lock, files ...provenance.File) *provenance.Statement {
	tb.Helper()
	archive := l.Name + "-" + l.Version + ".inputs.tar.gz"
	s, err := provenance.Make(l, provenance.Inputs{
		Archive: archive, Builder: "https://builder.example/first",
		Files: files, Materials: []lock.Material{
			{URI: archive, SHA256: Digest("a").Hex, Path: "slipway.yaml"},
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// Encoded encodes a statement.
func Encoded(tb testing.TB, s *provenance.Statement) []byte {
	tb.Helper()
	text, err := s.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// SignedStatement returns the Sigstore bundle of a statement.
func SignedStatement(tb testing.TB, k *signature.Signer, statement []byte) []byte {
	tb.Helper()
	text, err := signature.SignStatement(context.Background(), k, statement)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// Attach lets a Sigstore bundle refer to every image and manifest of a lock.
func Attach(tb testing.TB, st *store.Store, l *lock.Lock, sigstore []byte) {
	tb.Helper()
	for n := range l.Images {
		i := &l.Images[n]
		i.Referrers = slices.Clone(i.Referrers)
		i.Referrers = append(i.Referrers, BundleOf(tb, st, sigstore, i.Descriptor(), i.Digest))
		for _, c := range i.Children {
			if c.Digest != i.Digest {
				i.Referrers = append(i.Referrers, BundleOf(tb, st, sigstore,
					v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size}, i.Digest))
			}
		}
	}
	for n := range l.Charts {
		c := &l.Charts[n]
		c.Referrers = append(slices.Clone(c.Referrers), BundleOf(tb, st, sigstore, c.Image().Descriptor(), c.Digest))
	}
}

// BundleOf puts a Sigstore bundle into the store, as a referrer of a manifest.
func BundleOf(tb testing.TB, st *store.Store, sigstore []byte, about v1.Descriptor, image v1.Hash) oci.Referrer {
	tb.Helper()
	img, err := mutate.AppendLayers(mutate.MediaType(nothing.Image, types.OCIManifestSchema1),
		static.NewLayer(sigstore, signature.BundleType))
	if err != nil {
		tb.Fatal(err)
	}
	img = mutate.Subject(mutate.ConfigMediaType(img, signature.BundleType),
		v1.Descriptor{MediaType: about.MediaType, Digest: about.Digest, Size: about.Size}).(v1.Image)
	d := storetest.Put(tb, st, img)
	r := oci.Referrer{ArtifactType: signature.BundleType, MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}
	if about.Digest != image {
		r.Subject = about.Digest
	}
	return r
}

// SignedRelease is a release that a key has signed.
func SignedRelease(tb testing.TB, size int, keys ...*signature.Signer) (*store.Store, *lock.Lock) {
	tb.Helper()
	st, l := Release(tb, size)
	for n, k := range keys {
		s := Statement(tb, l)
		if n > 0 {
			s.Predicate.RunDetails.Builder.ID = "https://builder.example/other"
		}
		Attach(tb, st, l, SignedStatement(tb, k, Encoded(tb, s)))
	}
	return st, l
}

// Documents returns the statement of a release, and an SBOM for each of its images.
func Documents(tb testing.TB, l *lock.Lock) evidence.Documents {
	tb.Helper()
	d := evidence.Documents{Statement: Encoded(tb, Statement(tb, l)), SBOMs: map[string][]byte{}}
	for _, i := range l.Images {
		d.SBOMs[i.Name] = fmt.Appendf(nil, `{"spdxVersion":"SPDX-2.3","name":%q}`, i.Name)
	}
	return d
}

// Prove adds to every image and chart of a lock all the evidence that a release has: provenance,
// SBOM and signature of each index and manifest.
func Prove(tb testing.TB, st *store.Store, l *lock.Lock, k *signature.Signer) {
	tb.Helper()
	m, err := evidence.Make(context.Background(), st, l, Documents(tb, l), k)
	if err != nil {
		tb.Fatal(err)
	}
	for n := range l.Images {
		l.Images[n].Referrers = slices.Concat(l.Images[n].Referrers, m.Referrers[n])
	}
	for n := range l.Charts {
		l.Charts[n].Referrers = slices.Concat(l.Charts[n].Referrers, m.Referrers[len(l.Images)+n])
	}
}

// Flip returns b with the n-th bit of one byte changed.
func Flip(b []byte, at int, bit uint) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1 << (bit % 8)
	return b
}
