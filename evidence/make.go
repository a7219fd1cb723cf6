package evidence

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/plainjson"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Documents are what a release states of itself.
type Documents struct {
	// Statement is the provenance of the release, as provenance.Statement.Encode writes it.
	Statement []byte
	// SBOMs are SPDX documents, by the name of an image in the lock.
	SBOMs map[string][]byte
}

// Made is the evidence of a release.
type Made struct {
	// Provenance is the Sigstore bundle with the statement: the file provenance.sigstore.json.
	Provenance []byte
	// Referrers are the artifacts of each element of lock.Lock.Published. The store has them.
	Referrers [][]oci.Referrer
}

// Make signs the documents of a release and puts them into st, as referrers of every index, every
// manifest of a platform and every chart: Sigstore bundles with the statement and with the SBOM
// of the image, and the list of signatures that podman, CRI-O and cosign 2 ask for.
func Make(ctx context.Context, st *store.Store, l *lock.Lock, d Documents, s *signature.Signer) (*Made, error) {
	m := &maker{store: st, signer: s}
	made := &Made{}
	var err error
	if made.Provenance, err = signature.SignStatement(ctx, s, d.Statement); err != nil {
		return nil, fmt.Errorf("signing the provenance: %w", err)
	}
	for _, i := range l.Published() {
		all, err := m.image(ctx, i, made.Provenance, d.SBOMs)
		if err != nil {
			return nil, fmt.Errorf("signing %s: %w", i.Name, err)
		}
		made.Referrers = append(made.Referrers, all)
	}
	return made, nil
}

type maker struct {
	store  *store.Store
	signer *signature.Signer
}

// image makes the evidence of an image or a chart.
func (m *maker) image(ctx context.Context, i lock.Image,
	sealed []byte, sboms map[string][]byte,
) ([]oci.Referrer, error) {
	bundles := map[string][]byte{provenance.PredicateType: sealed}
	documents := i.Documents()
	if sbom := sboms[i.Name]; sbom != nil && i.Kind != lock.KindChart {
		statement, err := spdxStatement(i, documents, sbom)
		if err != nil {
			return nil, err
		}
		if bundles[spdxType], err = signature.SignStatement(ctx, m.signer, statement); err != nil {
			return nil, err
		}
	}
	var all []oci.Referrer
	for _, to := range documents {
		var bundled []oci.Referrer
		for predicate, text := range bundles {
			r, err := m.refer(to, predicate, text)
			if err != nil {
				return nil, err
			}
			bundled = append(bundled, r)
		}
		slices.SortFunc(bundled, func(a, b oci.Referrer) int { return cmp.Compare(a.Digest.Hex, b.Digest.Hex) })
		signed, err := m.sign(ctx, i, to)
		if err != nil {
			return nil, err
		}
		for _, r := range append(bundled, signed) {
			if to.Digest != i.Digest {
				r.Subject = to.Digest
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// spdxStatement is an in-toto statement with an SPDX document as its predicate.
func spdxStatement(i lock.Image, documents []v1.Descriptor, sbom []byte) ([]byte, error) {
	type subject struct {
		Name   string            `json:"name"`
		Digest provenance.Digest `json:"digest"`
	}
	s := struct {
		Type          string          `json:"_type"`
		Subjects      []subject       `json:"subject"`
		PredicateType string          `json:"predicateType"`
		Predicate     json.RawMessage `json:"predicate"`
	}{Type: provenance.StatementType, PredicateType: spdxType, Predicate: sbom}
	for _, d := range documents {
		s.Subjects = append(s.Subjects, subject{i.Repository, provenance.Digest{SHA256: d.Digest.Hex}})
	}
	text, err := plainjson.Line(s)
	if err != nil {
		return nil, fmt.Errorf("encoding the SBOM: %w", err)
	}
	return text, nil
}

// refer puts a Sigstore bundle into the store as a referrer of a document.
func (m *maker) refer(to v1.Descriptor, predicate string, text []byte) (oci.Referrer, error) {
	layer, err := m.put(signature.BundleType, text)
	if err != nil {
		return oci.Referrer{}, err
	}
	if _, err := m.store.PutBytes([]byte(oci.Empty)); err != nil {
		return oci.Referrer{}, err
	}
	raw, err := oci.MakeArtifact(signature.BundleType, []v1.Descriptor{layer}, &to,
		map[string]string{
			"dev.sigstore.bundle.content":       "dsse-envelope",
			"dev.sigstore.bundle.predicateType": predicate,
		})
	if err != nil {
		return oci.Referrer{}, err
	}
	d, err := m.put(types.OCIManifestSchema1, raw)
	return oci.Referrer{ArtifactType: signature.BundleType, MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}, err
}

// sign puts the list of signatures of a document into the store: one for every repository that the
// image has, since podman compares the repository with that in the payload.
func (m *maker) sign(ctx context.Context, i lock.Image, to v1.Descriptor) (oci.Referrer, error) {
	var layers []v1.Descriptor
	for _, repository := range i.Repositories() {
		payload, err := simple(repository, to.Digest)
		if err != nil {
			return oci.Referrer{}, err
		}
		sig, err := m.signer.Sign(ctx, payload)
		if err != nil {
			return oci.Referrer{}, err
		}
		layer, err := m.put(oci.SimpleSigning, payload)
		if err != nil {
			return oci.Referrer{}, err
		}
		layer.Annotations = map[string]string{oci.SignatureKey: base64.StdEncoding.EncodeToString(sig)}
		layers = append(layers, layer)
	}
	raw, config, err := oci.MakeSignatures(layers)
	if err != nil {
		return oci.Referrer{}, err
	}
	if _, err := m.put(types.OCIConfigJSON, config); err != nil {
		return oci.Referrer{}, err
	}
	d, err := m.put(types.OCIManifestSchema1, raw)
	return oci.Referrer{
		ArtifactType: string(oci.SimpleSigning), MediaType: d.MediaType, Digest: d.Digest, Size: d.Size,
		Tag: to.Digest.Algorithm + "-" + to.Digest.Hex + ".sig",
	}, err
}

// simple is the payload of a signature
// (https://github.com/containers/image/blob/main/docs/containers-signature.5.md#json-data-format).
func simple(repository string, digest v1.Hash) ([]byte, error) {
	var s struct {
		Critical struct {
			Identity struct {
				Reference string `json:"docker-reference"`
			} `json:"identity"`
			Image struct {
				Digest v1.Hash `json:"docker-manifest-digest"`
			} `json:"image"`
			Type string `json:"type"`
		} `json:"critical"`
		Optional map[string]string `json:"optional"`
	}
	s.Critical.Identity.Reference, s.Critical.Image.Digest = repository, digest
	s.Critical.Type = "cosign container image signature"
	return json.Marshal(s)
}

// put puts a blob into the store.
func (m *maker) put(mt types.MediaType, text []byte) (v1.Descriptor, error) {
	h, err := m.store.PutBytes(text)
	return v1.Descriptor{MediaType: mt, Digest: h, Size: int64(len(text))}, err
}
