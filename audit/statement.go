package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lint"
)

// maxStatement bounds in bytes a statement that is read. Larger ones are those of SBOMs, next to
// which BuildKit keeps a small one.
const maxStatement = 4 << 20

// Media types of the layers of evidence.
const (
	bundleType    = "application/vnd.dev.sigstore.bundle"   // and a version: .v0.3+json
	envelopeType  = "application/vnd.dsse.envelope.v1+json" // of cosign's .att
	statementType = "application/vnd.in-toto+json"          // of BuildKit
)

// read reads the documents of evidence, up to a bound, and returns them as they were given, and why
// one could not be read.
func read(docs []document, from source, jobs int) (all []lint.Proof, failed []error) {
	all, failed = make([]lint.Proof, len(docs)), make([]error, len(docs))
	var g errgroup.Group
	g.SetLimit(max(1, jobs))
	for n, d := range docs {
		all[n] = d.Proof
		if n < maxProofs {
			g.Go(func() error {
				failed[n] = d.about(&all[n], from)
				return nil
			})
		}
	}
	g.Wait() //nolint:errcheck // each error is in its place
	return all, failed
}

// about reads a document of evidence: what it is, if the list did not say so, the digests that its
// smallest statement says it is about, and whether a part of it is missing. The error is about what
// could not be read.
func (doc document) about(p *lint.Proof, from source) error {
	d, raw, err := doc.get()
	if err != nil {
		return unread(p, err)
	}
	t, err := oci.Parse(d, raw)
	if err != nil {
		p.Read = outcome.Broken
		return nil //nolint:nilerr // it is in the proof
	}
	p.Read = outcome.There
	if doc.unknown {
		p.Signature = isSignature(t.ArtifactType())
	}
	layers := slices.DeleteFunc(slices.Clone(t.Layers), func(l v1.Descriptor) bool {
		return parser(l) == nil || l.Size > maxStatement
	})
	if len(layers) == 0 {
		return nil
	}
	layer := slices.MinFunc(layers, func(a, b v1.Descriptor) int { return cmp.Compare(a.Size, b.Size) })
	text, err := from.configs(layer)
	if err != nil {
		return unread(p, err)
	}
	p.Names = parser(layer)(text)
	return nil
}

// unread notes why a document of evidence was not read, and returns the error of a source that
// has failed, nil for an answer.
func unread(p *lint.Proof, err error) error {
	if p.Read = outcome.Of(err); p.Read == outcome.Unread {
		return err
	}
	return nil
}

// parser returns what reads the digests in a layer of evidence; nil for other layers.
func parser(layer v1.Descriptor) func([]byte) []v1.Hash {
	switch kind := string(layer.MediaType); {
	case kind == string(oci.SimpleSigning):
		return simple
	case kind == statementType:
		return statement
	case kind == envelopeType, strings.HasPrefix(kind, bundleType):
		return envelope
	}
	return nil
}

// simple reads the payload of a signature of cosign
// (https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md#simple-signing).
func simple(text []byte) []v1.Hash {
	var payload struct {
		Critical struct {
			Image struct {
				Digest string `json:"docker-manifest-digest"`
			} `json:"image"`
		} `json:"critical"`
	}
	if json.Unmarshal(text, &payload) != nil {
		return nil
	}
	return hashes(strings.TrimPrefix(payload.Critical.Image.Digest, "sha256:"))
}

// envelope reads the statement in an envelope of DSSE, or in that of a Sigstore bundle.
func envelope(text []byte) []v1.Hash {
	type dsse struct {
		Payload     []byte `json:"payload"`
		PayloadType string `json:"payloadType"`
	}
	var e struct {
		dsse

		Envelope dsse `json:"dsseEnvelope"`
	}
	if json.Unmarshal(text, &e) != nil {
		return nil
	}
	if len(e.Envelope.Payload) > 0 {
		e.dsse = e.Envelope
	}
	if e.PayloadType != statementType {
		return nil
	}
	return statement(e.Payload)
}

// statement reads the subjects of an in-toto statement, and not what follows them, since the
// predicate may be a large document.
func statement(text []byte) []v1.Hash {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		if key != "subject" {
			if d.Decode(new(json.RawMessage)) != nil {
				return nil
			}
			continue
		}
		var list []struct {
			Digest struct {
				SHA256 string `json:"sha256"`
			} `json:"digest"`
		}
		if d.Decode(&list) != nil {
			return nil
		}
		var all []string
		for _, s := range list {
			all = append(all, s.Digest.SHA256)
		}
		return hashes(all...)
	}
	return nil
}

// hashes returns those of hexadecimal texts that are SHA-256.
func hashes(list ...string) (all []v1.Hash) {
	for _, hex := range list {
		if h, err := v1.NewHash("sha256:" + hex); err == nil {
			all = append(all, h)
		}
	}
	return all
}
