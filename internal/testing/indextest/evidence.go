package indextest

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
)

const (
	// BundleType is the media type of Sigstore's bundles.
	BundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"
	statements = "application/vnd.in-toto+json"
)

// statement is an in-toto statement about digests.
func statement(about ...v1.Hash) string {
	var subjects []string
	for _, h := range about {
		subjects = append(subjects, fmt.Sprintf(`{"name":"app","digest":{"sha256":%q}}`, h.Hex))
	}
	return `{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://slsa.dev/provenance/v1","subject":[` +
		strings.Join(subjects, ",") + `],"predicate":{"large":{"subject":[]}}}`
}

// envelope is a DSSE envelope with a statement.
func envelope(about v1.Hash) string {
	return fmt.Sprintf(`{"payloadType":%q,"payload":%q,"signatures":[{"sig":"AA=="}]}`, statements,
		base64.StdEncoding.EncodeToString([]byte(statement(about))))
}

// forms are those of evidence about a digest: a layer's media type, and its content.
var forms = map[string]struct {
	kind    types.MediaType
	content func(v1.Hash) string
}{
	".sig": {oci.SimpleSigning, func(h v1.Hash) string {
		return fmt.Sprintf(`{"critical":{"identity":{"docker-reference":"app"},"image":{"docker-manifest-digest":%q},`+
			`"type":"cosign container image signature"},"optional":null}`, h)
	}},
	".att": {"application/vnd.dsse.envelope.v1+json", envelope},
	"bundle": {BundleType, func(h v1.Hash) string {
		return `{"mediaType":"` + BundleType + `","dsseEnvelope":` + envelope(h) + `}`
	}},
	"attestation": {statements, func(h v1.Hash) string { return statement(h) }},
}

// Proof is the manifest of evidence in a form about a digest.
func Proof(tb testing.TB, form string, about v1.Hash) v1.Image {
	tb.Helper()
	f := forms[form]
	img, err := mutate.Append(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		mutate.Addendum{Layer: static.NewLayer([]byte(f.content(about)), f.kind)})
	must(tb, err)
	if form == "bundle" {
		return mutate.ConfigMediaType(img, f.kind) // its artifact type in lists by old clients, too
	}
	return mutate.ConfigMediaType(img, types.OCIConfigJSON)
}

// Attested is an index of one image and an attestation of BuildKit, which the index says is about
// listed, and whose statement is about is.
func Attested(tb testing.TB, listed, is func(image v1.Hash) v1.Hash) v1.ImageIndex {
	tb.Helper()
	i := Index(tb, "linux/amd64")
	m, err := i.IndexManifest()
	must(tb, err)
	h := m.Manifests[0].Digest
	about := v1.Descriptor{
		Platform: &v1.Platform{OS: "unknown", Architecture: "unknown"},
		Annotations: map[string]string{
			"vnd.docker.reference.type": "attestation-manifest", oci.ReferenceDigest: listed(h).String(),
		},
	}
	return mutate.AppendManifests(i, mutate.IndexAddendum{Add: Proof(tb, "attestation", is(h)), Descriptor: about})
}

// Describe returns the descriptor of an image or an index.
func Describe(tb testing.TB, i partial.Describable) *v1.Descriptor {
	tb.Helper()
	d, err := partial.Descriptor(i)
	must(tb, err)
	return d
}
