package reproduce

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/purl"
)

// shipped opens what the release has of bases and third-party images: documents of bases in its
// statement, everything else in its bundles. A bundle has the layers of a base within its images.
func (s *inputTree) shipped() (oci.Open, error) {
	documents := map[v1.Hash][]byte{}
	for _, d := range s.options.Statement.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Annotations.Kind != provenance.KindDocument {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(d.Content)
		if sum := sha256.Sum256(raw); err != nil || hex.EncodeToString(sum[:]) != d.Digest.SHA256 {
			return nil, fmt.Errorf("its statement has a content of %s that does not have the digest: ask the maintainer", d.URI)
		}
		documents[v1.Hash{Algorithm: "sha256", Hex: d.Digest.SHA256}] = raw
	}
	return func(h v1.Hash) (io.ReadCloser, error) {
		if raw, ok := documents[h]; ok {
			return io.NopCloser(bytes.NewReader(raw)), nil
		}
		return s.options.Original.open(h)
	}, nil
}

// digest returns the digest that the statement has of a third-party image by tag.
func (s *inputTree) digest(tag name.Tag) (v1.Hash, bool) {
	for _, d := range s.options.Statement.Predicate.BuildDefinition.ResolvedDependencies {
		h := v1.Hash{Algorithm: "sha256", Hex: d.Digest.SHA256}
		if d.Annotations.Kind == provenance.KindImage && d.URI == purl.OCI(tag.Context().Name(), h.String(), map[string]string{"tag": tag.TagStr()}) {
			return h, true
		}
	}
	return v1.Hash{}, false
}
